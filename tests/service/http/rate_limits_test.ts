import { deepEqual, equal, match, ok, throws } from "node:assert/strict";
import { createClient } from "../../../lib/client.ts";
import { each } from "../../../lib/page.ts";
import { listProducts } from "../../../lib/resources/products.ts";
import { LOCAL_LIMITS, PUBLIC_LIMITS } from "../../../lib/service/mod.ts";
import { Refusal } from "../../../lib/service/contract/errors.ts";
import { createRateCounter } from "../../../lib/service/http/rates.ts";
import type { RateClass } from "../../../lib/service/contract/route.ts";
import { type Answer, type Api, apiOf, checkRefusal, signIn } from "../../support/api.ts";
import { BASE_URL, openDesk } from "../../support/harness.ts";
import { fc } from "../../support/properties.ts";

const NOON = Date.parse("2026-11-27T12:00:00Z");
const LIMITS = { configuration: 3, customers: 2, charts: 1 };

Deno.test("every answer has the used part of the minute's limit", async () => {
  await using desk = await openDesk({
    clock: () => NOON,
    rateLimits: { ...LIMITS, configuration: 9 },
  });
  const api = apiOf(desk);
  const requests: [method: string, path: string, status: number][] = [
    ["GET", "/offerings", 200],
    ["POST", "/v2/projects", 400],
    ["GET", "/offerings/none", 404],
    ["POST", "/offerings/default/actions/archive", 422],
    ["DELETE", "/entitlements/pro", 200],
  ];
  for (const [i, [method, path, status]] of requests.entries()) {
    const answer = await api.send(method, path);
    equal(answer.status, status, path);
    deepEqual(usageOf(answer), [String(i + 1), "9"], path);
    equal(answer.headers.get("Retry-After"), null);
  }
});

Deno.test("a request refused before it is counted does not use up the limit", async () => {
  await using desk = await openDesk({ clock: () => NOON, rateLimits: LIMITS });
  const api = apiOf(desk);
  const reader = apiOf(desk, await signIn(desk, { scope: "*:*:read" }));
  for (let i = 0; i < 5; i++) {
    deepEqual(usageOf(await api.send("GET", "/nothing")), [null, null]);
    equal((await api.send("PATCH", "/offerings")).status, 405);
    equal((await reader.send("POST", "/offerings", {})).status, 403);
    equal(
      (await api.send("GET", "/offerings", undefined, { Authorization: "Bearer x" })).status,
      401,
    );
  }
  deepEqual(usageOf(await api.send("GET", "/offerings")), ["1", "3"]);
});

Deno.test("over the limit the answer is 429, with the time to wait, until a minute has passed", async () => {
  let now = NOON + 18_500;
  await using desk = await openDesk({ clock: () => now, rateLimits: LIMITS });
  const api = apiOf(desk);
  const before = (await api.get("/offerings")).items;
  for (let i = 2; i <= 3; i++) equal((await api.send("GET", "/offerings")).status, 200);
  for (
    const [wait, method, path] of [
      [0, "GET", "/offerings"],
      [10_000, "POST", "/entitlements"],
      [59_999, "DELETE", "/offerings/winter_sale"],
    ] as const
  ) {
    now = NOON + 18_500 + wait;
    const answer = await api.send(method, path);
    checkRefusal(answer, { status: 429, type: "rate_limit_error", message: /More than 3 / }, path);
    // Requests are counted by quarters of a second.
    const seconds = Math.ceil((60_250 - wait) / 1000);
    equal(answer.headers.get("Retry-After"), String(seconds));
    equal(answer.body.backoff_ms, seconds * 1000);
    deepEqual(usageOf(answer), ["3", "3"]);
  }
  now = NOON + 18_500 + 60_250;
  const answer = await api.send("GET", "/offerings");
  deepEqual(usageOf(answer), ["1", "3"]);
  deepEqual(answer.body.items, before, "what was refused has changed nothing");
});

Deno.test("each account has its own limit, whichever token it uses", async () => {
  await using desk = await openDesk({ clock: () => NOON, rateLimits: LIMITS });
  const owner = apiOf(desk);
  const sameOwner = apiOf(desk, await signIn(desk, {}));
  const stranger = apiOf(desk, await signIn(desk, { email: "stranger@example.com" }));
  const read = async (api: Api) => await api.send("GET", "/v2/projects");
  deepEqual(usageOf(await read(owner)), ["1", "3"]);
  deepEqual(usageOf(await read(sameOwner)), ["2", "3"]);
  deepEqual(usageOf(await read(owner)), ["3", "3"]);
  equal((await read(sameOwner)).status, 429);
  deepEqual(usageOf(await read(stranger)), ["1", "3"]);
});

Deno.test("a walk through a list waits at a limit, and loses and repeats nothing", async () => {
  let now = NOON;
  const rateLimits = { ...LIMITS, configuration: 2 };
  await using desk = await openDesk({ clock: () => now, rateLimits });
  const waits: number[] = [];
  const client = createClient({
    baseUrl: BASE_URL,
    projectId: desk.projectId,
    credential: (await signIn(desk, {})).Authorization.replace("Bearer ", ""),
    fetch: desk.service.fetch,
    pause: (ms) => {
      now += ms;
      waits.push(ms);
      return Promise.resolve();
    },
  });
  const ids: string[] = [];
  for await (const { id } of each(client, listProducts(client, { limit: 1 }))) ids.push(id);
  equal(ids.length, 8);
  equal(new Set(ids).size, 8);
  equal(waits.length, 3);
  equal(waits.every((ms) => ms >= 59_000 && ms < 62_000), true, String(waits));
});

Deno.test("no span of a minute has more requests than the limit", () => {
  let now = NOON + 59_000;
  const limit = PUBLIC_LIMITS.configuration;
  const rates = createRateCounter(PUBLIC_LIMITS, () => now);
  const burst = (most: number) => {
    let passed = 0;
    try {
      for (; passed < most; passed++) rates.count("acct1", "configuration");
    } catch (error) {
      match(String(error), /More than 60 requests in one minute/);
    }
    return passed;
  };
  equal(burst(40), 40);
  now = NOON + 61_000;
  equal(burst(999), limit - 40, "the minute of the clock has changed, and nothing else");
  now = NOON + 119_249;
  equal(burst(999), 0);
  now = NOON + 119_250;
  equal(burst(999), 40, "a minute after the slot of the first 40, they no longer count");
  now -= 3_600_000;
  equal(burst(999), 0, "a clock that is set back frees nothing");
  now += 7_200_000;
  equal(burst(999), limit);
});

/** A time between two requests, in milliseconds: now and then more than a minute. */
const anyStep = fc.oneof(
  { weight: 9, arbitrary: fc.integer({ min: 1, max: 20_000 }) },
  { weight: 1, arbitrary: fc.integer({ min: 60_000, max: 70_000 }) },
);

Deno.test("requests that another process counted count for a minute, and late news not at all", () => {
  let now = NOON;
  const rates = createRateCounter(PUBLIC_LIMITS, () => now);
  const slot = NOON / 250;
  const used = () => rates.count("acct1", "charts")["Service-Rate-Limit-Current-Usage"];
  equal(used(), "1");
  rates.add("charts acct1", slot - 241, 5);
  rates.add("charts acct1", slot - 242, 5);
  equal(used(), "2");
  rates.add("charts acct1", slot - 240, 5);
  equal(used(), "8");
  // Clocks may differ: what is counted ahead of this one counts as of now.
  rates.add("charts acct1", slot + 1, 2);
  equal(used(), "11");
  now += 250;
  equal(used(), "7", "the oldest slot has passed");
  now += 60_000;
  equal(used(), "2");
});

Deno.test("no span of a minute has more requests than the limit, wherever it begins", () => {
  fc.assert(
    fc.property(fc.array(anyStep, { minLength: 20 }), (steps) => {
      let now = NOON;
      const limits = { ...PUBLIC_LIMITS, charts: 3 };
      const rates = createRateCounter(limits, () => now);
      const passed: number[] = [];
      for (const step of steps) {
        now += step;
        try {
          rates.count("acct1", "charts");
          passed.push(now);
        } catch (error) {
          match(String(error), /More than 3 requests/);
        }
      }
      for (const [i, time] of passed.entries()) {
        const fourth = passed[i + 3];
        ok(fourth === undefined || fourth - time >= 60_000, `${fourth} - ${time}`);
      }
    }),
  );
});

Deno.test("a refused request may come again after the time of its answer, and no second sooner", () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 30_000 }), { minLength: 10 }), (steps) => {
      let now = NOON;
      const limits = { ...PUBLIC_LIMITS, charts: 4 };
      const rates = createRateCounter(limits, () => now);
      const wait = (): number => {
        try {
          rates.count("acct1", "charts");
          return 0;
        } catch (error) {
          if (!(error instanceof Refusal)) throw error;
          const seconds = Number(error.details.headers?.["Retry-After"]);
          equal(error.details.backoff_ms, seconds * 1000);
          return seconds;
        }
      };
      for (const step of steps) {
        now += step;
        const seconds = wait();
        if (seconds === 0) continue;
        now += (seconds - 1) * 1000;
        equal(wait(), 1, "the last second is needed");
        now += 1000;
        equal(wait(), 0);
      }
    }),
  );
});

Deno.test("customers, configuration and charts are counted apart", () => {
  const rates = createRateCounter(LIMITS, () => NOON);
  const used = (rate: RateClass) => rates.count("acct1", rate)["Service-Rate-Limit-Current-Usage"];
  deepEqual([used("configuration"), used("customers"), used("charts")], ["1", "1", "1"]);
  throws(() => used("charts"), /More than 1 request in one minute/);
  deepEqual([used("customers"), used("configuration")], ["2", "2"]);
});

Deno.test("the public limits are those of the public API, and the local ones stop no script", () => {
  deepEqual(PUBLIC_LIMITS, { customers: 480, configuration: 60, charts: 15 });
  const most = 1_000_000;
  deepEqual(LOCAL_LIMITS, { customers: most, configuration: most, charts: most });
});

/** The numbers in the headers: used and allowed. */
function usageOf({ headers }: Answer): (string | null)[] {
  return ["Usage", "Limit"].map((name) => headers.get(`Service-Rate-Limit-Current-${name}`));
}

Deno.test("callers without requests in the last minute take no memory", () => {
  let now = NOON;
  const rates = createRateCounter(LIMITS, () => now);
  for (let i = 0; i < 1_000; i++) rates.count(`caller ${i}`, "charts");
  equal(rates.callers, 1_000);
  now += 120_000;
  rates.count("caller 0", "charts");
  equal(rates.callers, 1);
});
