/**
 * What a service says of a server that refuses: to callers, and to the operator. Runs with
 * `TEST_ENGINE=postgres`, and is skipped by name otherwise.
 */

import { deepEqual, equal, match } from "node:assert/strict";
import {
  createDatabase,
  directAddressOf,
  dropDatabase,
  onDatabase,
  ONLY_POSTGRES,
  openService,
} from "../../support/engine.ts";
import { until } from "../../support/together.ts";

/** The admin secret, for the metrics. */
const SECRET = "adm_outage";

/** A running service on a database of its own. */
interface Running {
  /** The name of the database. */
  name: string;
  /** What the operator was told. */
  said: string[];
  /** The status and the text of an answer. */
  get(path: string): Promise<[status: number, text: string]>;
}

/** Runs a test with a service on a database of its own. */
async function withService(
  role: "all" | "worker",
  test: (running: Running) => Promise<void>,
): Promise<void> {
  const name = await createDatabase();
  const said: string[] = [];
  try {
    await using service = await openService({
      database: directAddressOf(name),
      buyers: false,
      role,
      adminSecret: SECRET,
      report: (text: unknown) => void said.push(String(text)),
    });
    await test({
      name,
      said,
      get: async (path) => {
        const headers = { Authorization: `Bearer ${SECRET}` };
        const request = new Request(`http://127.0.0.1:4010${path}`, { headers });
        const answer = await service.fetch(request);
        return [answer.status, await answer.text()];
      },
    });
  } finally {
    await dropDatabase(name);
  }
}

/** Ends the connections of a database, so that new ones get its settings. */
function endConnections(name: string): Promise<unknown> {
  const query = "select pg_terminate_backend(pid) from pg_stat_activity " +
    "where datname = $1 and pid <> pg_backend_pid()";
  return onDatabase("postgres", (client) => client.query(query, [name]));
}

for (const role of ["all", "worker"] as const) {
  Deno.test(
    `the health of a service with role ${role} shows a read-only database`,
    ONLY_POSTGRES,
    async () => {
      await withService(role, async ({ name, said, get }) => {
        const setting = (value: string) =>
          onDatabase(
            "postgres",
            (client) =>
              client.query(`alter database ${name} set default_transaction_read_only = ${value}`),
          );
        equal((await get("/health"))[0], 200);
        await setting("on");
        await endConnections(name);
        const isReadOnly = async (path: string) => {
          const [status, text] = await get(path);
          return status === 503 && text.includes("the database is read-only");
        };
        await until(() => isReadOnly("/health"), "/health shows it");
        await until(() => isReadOnly("/health/ready"), "/health/ready shows it");
        match((await get("/metrics"))[1], /^svc_up 0$/m);
        match(said.join("\n"), /^Cannot write the database: the database is read-only \(.+\)\. /m);

        await setting("off");
        await endConnections(name);
        await until(async () => (await get("/health"))[0] === 200, "/health is well again", 15_000);
      });
    },
  );
}

Deno.test(
  "the log of an outage has the server's own words, and answers have not",
  ONLY_POSTGRES,
  async () => {
    await withService("all", async ({ name, said, get }) => {
      const allow = (isAllowed: boolean) =>
        onDatabase(
          "postgres",
          (client) => client.query(`alter database ${name} allow_connections ${isAllowed}`),
        );
      const answers: string[] = [];
      const REFUSED = /: the database server cannot be reached \(database "test_.*\)\. /;
      // A statement under way hears of the end of its connection first, and a kind of failure is said once.
      for (let left = 5; left > 0 && !said.some((text) => REFUSED.test(text)); left--) {
        said.length = 0;
        await allow(false);
        await endConnections(name);
        await new Promise((resolve) => setTimeout(resolve, 200));
        await until(async () => {
          const [status, text] = await get("/health");
          answers.push(text);
          return status === 503 && said.length > 0;
        }, "the outage");
        await allow(true);
        await until(async () => (await get("/health"))[0] === 200, "/health is well again", 15_000);
      }
      match(said.join("\n"), REFUSED);
      deepEqual(answers.filter((text) => /test_|terminating/.test(text)), []);
    });
  },
);
