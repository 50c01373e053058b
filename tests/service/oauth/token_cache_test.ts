import { equal } from "node:assert/strict";
import { createTokenCache, type LiveToken } from "../../../lib/service/oauth/token_cache.ts";

Deno.test("a token that has ended is forgotten, also when the clock goes back", async () => {
  const cache = createTokenCache();
  const live = { grant_id: "grant", expires_at: 1000 } as LiveToken;
  equal(await cache.load("token", () => Promise.resolve(live)), live);
  equal(cache.get("token", 999), live);
  equal(cache.get("token", 1000), undefined);
  equal(cache.get("token", 999), undefined);
});
