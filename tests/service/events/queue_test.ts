import { deepEqual, equal } from "node:assert/strict";
import { SqliteAdapter, SqliteQueryCompiler } from "kysely";
import { queueAgain, type QueuedEvent, wants } from "../../../lib/service/events/queue.ts";
import { inProject } from "../../../lib/service/store/mod.ts";
import type { Row } from "../../../lib/service/store/tables.ts";
import type { Runner } from "../../../lib/service/store/queries.ts";
import { runWork } from "../../../lib/service/store/work.ts";

/** An integration for all events, with changes. */
function webhook(
  more: Partial<Row<"webhook_integrations">> = {},
): Row<"webhook_integrations"> {
  return {
    project_id: "proj1",
    id: "whintgr1",
    seq: 1,
    name: "All",
    url: "https://hooks.acme.dev/",
    event_types: null,
    authorization_header: null,
    environment: null,
    app_id: null,
    signing_secret: "whsec_x",
    created_at: 0,
    previous_secret: null,
    previous_secret_until: null,
    disabled_at: null,
    pruned_seq: 0,
    ...more,
  };
}

const RENEWAL: QueuedEvent = {
  id: "e1",
  seq: 1,
  type: "RENEWAL",
  customer_id: "ada",
  app_id: "app1",
  environment: "production",
};

Deno.test("an integration gets events that match its types, its environment and its app", () => {
  const cases: [Partial<Row<"webhook_integrations">>, Partial<QueuedEvent>, boolean][] = [
    [{}, {}, true],
    [{}, { app_id: null, environment: "sandbox", type: "TEST" }, true],
    [{ event_types: '["expiration","renewal"]' }, {}, true],
    [{ event_types: '["expiration"]' }, {}, false],
    [{ event_types: "[]" }, {}, false],
    [{ environment: "production" }, {}, true],
    [{ environment: "sandbox" }, {}, false],
    [{ environment: "production" }, { environment: "sandbox" }, false],
    [{ app_id: "app1" }, {}, true],
    [{ app_id: "app2" }, {}, false],
    // An event without an app, such as a transfer, is for integrations of all apps.
    [{ app_id: "app1" }, { app_id: null }, false],
    [{ event_types: '["renewal"]', environment: "production", app_id: "app1" }, {}, true],
    [{ event_types: '["renewal"]', environment: "production", app_id: "app2" }, {}, false],
    [{ event_types: '["renewal"]', environment: "sandbox", app_id: "app1" }, {}, false],
    [{ event_types: '["expiration"]', environment: "production", app_id: "app1" }, {}, false],
  ];
  for (const [limits, event, expected] of cases) {
    equal(
      wants(webhook(limits), { ...RENEWAL, ...event }),
      expected,
      JSON.stringify([limits, event]),
    );
  }
  deepEqual(wants(webhook({ event_types: '["RENEWAL"]' }), RENEWAL), false);
});

/** The lengths of the lists in the queries that queue deliveries again. */
async function listsFor(count: number): Promise<number[]> {
  const lists: number[] = [];
  const runner: Runner = {
    compiler: new SqliteQueryCompiler(),
    adapter: new SqliteAdapter(),
    execute({ sql }) {
      const [, list = ""] = sql.match(/ in \((.*?)\)/) ?? [];
      lists.push(list.split("?").length - 1);
      return { rows: [] };
    },
  };
  const deliveries = Array.from({ length: count }, (_, i) => ({
    id: `dlv${i}`,
    event_id: `e${i}`,
    integration_id: "whintgr1",
    customer_id: "ada",
  }));
  await runWork(runner, (tx) => queueAgain({ tx: inProject(tx, "proj1") }, deliveries), "write");
  return lists;
}

Deno.test("many deliveries are queued again 500 at once, and no query has an empty list", async () => {
  deepEqual(await listsFor(0), []);
  deepEqual(await listsFor(500), [500, 500, 500]);
  deepEqual(await listsFor(501), [500, 500, 1, 1, 500, 1]);
});
