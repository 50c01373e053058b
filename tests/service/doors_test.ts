import { deepEqual, equal, rejects } from "node:assert/strict";
import { openService, type TestService } from "../support/engine.ts";
import { BASE_URL } from "../support/harness.ts";

/** Counts the loads of the code for what needs no credential. The first of them fail. */
function countLoads({ oauth }: TestService, failures = 0): { count: number } {
  const { routes } = oauth;
  const loads = { count: 0 };
  Object.assign(oauth, {
    routes: async () => {
      if (loads.count++ < failures) throw new TypeError("no code");
      return await routes();
    },
  });
  return loads;
}

/** The status of the answer at an address that needs no credential. */
async function ask({ fetch }: TestService, path = "/openapi.json"): Promise<number> {
  const response = await fetch(new Request(BASE_URL + path));
  await response.body?.cancel();
  return response.status;
}

Deno.test("code is loaded for its first request, or before, and once", async () => {
  for (const isWarm of [false, true]) {
    await using service = await openService({ empty: true });
    const loads = countLoads(service);
    equal(await ask(service, "/health"), 200);
    equal(loads.count, 0);
    if (isWarm) {
      await service.warm();
      equal(loads.count, 1, "before any request needs it");
    }
    deepEqual(await Promise.all([ask(service), ask(service)]), [200, 200]);
    equal(loads.count, 1);
  }
});

Deno.test("code that could not be loaded is loaded again for the next request", async () => {
  await using service = await openService({ empty: true, report: () => {} });
  const loads = countLoads(service, 2);
  await rejects(service.warm(), TypeError);
  equal(await ask(service), 500);
  equal(await ask(service), 200);
  equal(loads.count, 3);
});
