import { deepEqual, equal, match } from "node:assert/strict";
import { sql } from "kysely";
import type { Service } from "../../../lib/service/mod.ts";
import { openDatabase, StoreError } from "../../../lib/service/store/mod.ts";
import { openService } from "../../support/engine.ts";

/** The status and the reason that an address answers with. */
async function ask(service: Service, path: string): Promise<[number, string, string | undefined]> {
  const answer = await service.fetch(new Request(`http://127.0.0.1:4010${path}`));
  const { status, reason } = await answer.json();
  equal(answer.headers.get("Cache-Control"), "no-store");
  return [answer.status, status, reason];
}

const ALL = ["/health", "/health/live", "/health/ready"];

function askAll(service: Service): Promise<[number, string, string | undefined][]> {
  return Promise.all(ALL.map((path) => ask(service, path)));
}

Deno.test("a worker names the processes that answer requests, and says not to try again", async () => {
  await using service = await openService({ empty: true, role: "worker" });
  for (const path of ["/v2/projects", "/_sim/projects", "/oauth2/token", "/.well-known/x"]) {
    const response = await service.fetch(new Request(`http://127.0.0.1:4010${path}`));
    const { type, message, retryable } = await response.json();
    deepEqual([response.status, type, retryable], [421, "invalid_request", false], path);
    match(message, /\(--role worker\): send requests to one with --role api or --role all$/);
  }
  // An app's SDK would give up a purchase that is refused with a status under 500.
  const app = await service.fetch(new Request("http://127.0.0.1:4010/v1/receipts"));
  equal(app.status, 503);
  match((await app.json()).message, /--role worker/);
});

Deno.test("a stopping service lives, but is not ready", async () => {
  await using service = await openService({ empty: true });
  deepEqual(await askAll(service), [
    [200, "ok", undefined],
    [200, "live", undefined],
    [200, "ready", undefined],
  ]);
  const head = new Request("http://127.0.0.1:4010/health/ready", { method: "HEAD" });
  equal((await service.fetch(head)).status, 200);
  service.stopWaiting();
  deepEqual(await ask(service, "/health/live"), [200, "live", undefined]);
  deepEqual(await ask(service, "/health/ready"), [503, "unavailable", "stopping"]);
});

Deno.test("a service without its database lives, but is not ready; a worker says the same", async () => {
  let away = false;
  await using service = await openService({
    empty: true,
    role: "worker",
    // It says that the database is away.
    report: () => {},
    open: async (options) => {
      const store = await openDatabase(options);
      const failing = { failure: "unreachable" } as const;
      return {
        ...store,
        async probe(access) {
          if (away) throw new StoreError("Cannot use the database", failing);
          await store.probe(access);
        },
      };
    },
  });
  equal((await ask(service, "/health/ready"))[0], 200);
  // The result of a look is used again for a second.
  await new Promise((resolve) => setTimeout(resolve, 1100));
  away = true;
  const gone = [503, "unavailable", "the database server cannot be reached"];
  deepEqual(await askAll(service), [gone, [200, "live", undefined], gone]);
});

Deno.test("a service that only a new start helps does not live", async () => {
  let failed = false;
  await using service = await openService({
    empty: true,
    report: () => {},
    open: async (options) => {
      const store = await openDatabase(options);
      return {
        ...store,
        isLost: () => failed,
        async probe(access) {
          if (failed) throw new StoreError("Cannot write", { failure: "disk_failed" });
          await store.probe(access);
        },
      };
    },
  });
  deepEqual(await ask(service, "/health/live"), [200, "live", undefined]);
  failed = true;
  const reason = "the disk has failed, and the service must start again";
  deepEqual(await ask(service, "/health/live"), [503, "unavailable", reason]);
});

Deno.test("a service is not ready on a database that lacks tables", async () => {
  await using service = await openService({ empty: true });
  await service.store.write((tx) => sql`delete from schema_migrations`.execute(tx));
  const reason = "the database lacks tables of this version";
  deepEqual(await ask(service, "/health/ready"), [503, "unavailable", reason]);
  await service.store.write((tx) => sql`drop table schema_migrations`.execute(tx));
  deepEqual(await ask(service, "/health/ready"), [503, "unavailable", reason]);
});
