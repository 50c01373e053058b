import { equal } from "node:assert/strict";
import { createTokenCache, type LiveToken } from "../../../lib/service/oauth/token_cache.ts";

Deno.test("at most 10,000 tokens are remembered: the oldest one goes", async () => {
  const cache = createTokenCache();
  const live = { grant_id: "grant", expires_at: 1000 } as LiveToken;
  for (let i = 0; i <= 10_000; i++) await cache.load(`token ${i}`, () => Promise.resolve(live));
  equal(cache.get("token 0", 0), undefined);
  equal(cache.get("token 1", 0), live);
  equal(cache.get("token 10000", 0), live);
});

Deno.test("a token that has ended is forgotten, also when the clock goes back", async () => {
  const cache = createTokenCache();
  const live = { grant_id: "grant", expires_at: 1000 } as LiveToken;
  equal(await cache.load("token", () => Promise.resolve(live)), live);
  equal(cache.get("token", 999), live);
  equal(cache.get("token", 1000), undefined);
  equal(cache.get("token", 999), undefined);
});
