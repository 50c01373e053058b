import { equal, rejects } from "node:assert/strict";
import { openForTests, openService, type TestService } from "../support/engine.ts";
import { withLasting } from "../support/lasting.ts";
import { othersOf } from "../support/others.ts";

Deno.test("a process whose secret is not that of the others on its database does not start", () =>
  withLasting(async ({ database }) => {
    let closed = 0;
    const start = (holder: string, adminSecret: string): Promise<TestService> =>
      openService({
        database,
        empty: true,
        adminSecret,
        open: async (options) => {
          const store = await openForTests(options);
          const close = async () => {
            closed++;
            await store.close();
          };
          return { ...store, close, others: othersOf(holder) };
        },
      });
    await (await start("a", "adm_one")).close();
    await rejects(start("b", "adm_two"), {
      name: "ConfigError",
      message: "Cannot start the service: a process on the same database has another admin secret",
    });
    equal(closed, 2);
    await (await start("c", "adm_one")).close();
  }));
