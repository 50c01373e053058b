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
} from "../../../support/engine.ts";
import { until } from "../../../support/together.ts";

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
  /** Whether the service is the process that does what needs doing once. */
  leads(): Promise<boolean>;
}

/**
 * Makes a user with the rights that a service needs, and with the name of its database. Returns the
 * address of the database for that user.
 */
async function addUser(name: string): Promise<string> {
  await onDatabase(name, async (client) => {
    await client.query(`create role ${name} login`);
    for (const kind of ["tables", "sequences"]) {
      await client.query(`grant all on all ${kind} in schema public to ${name}`);
    }
  });
  const url = new URL(directAddressOf(name));
  url.username = name;
  return url.href;
}

/** Runs a test with a service on a database of its own, and with a user of its own if that is wanted. */
async function withService(
  role: "all" | "worker",
  test: (running: Running) => Promise<void>,
  { ownUser = false } = {},
): Promise<void> {
  const name = await createDatabase();
  const said: string[] = [];
  try {
    await using service = await openService({
      database: ownUser ? await addUser(name) : directAddressOf(name),
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
      leads: async () => await service.store.others?.leads() ?? false,
    });
  } finally {
    await dropDatabase(name);
    if (ownUser) await onDatabase("postgres", (client) => client.query(`drop role ${name}`));
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
      await withService(role, async ({ name, said, get, leads }) => {
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

        // Connections keep the setting with which they began: the service makes others by itself.
        await setting("off");
        await until(async () => (await get("/health"))[0] === 200, "/health is well again", 15_000);
        for (let i = 0; i < 5; i++) equal((await get("/health/ready"))[0], 200, "it stays well");
        await until(() => leads().catch(() => false), "it leads");
      });
    },
  );
}

Deno.test(
  "a right that is taken away is an outage with its reason",
  ONLY_POSTGRES,
  async () => {
    await withService("all", async ({ name, said, get }) => {
      const ask = (statement: string) => onDatabase(name, (client) => client.query(statement));
      await ask(`revoke all on accounts from ${name}`);
      await until(async () => (await get("/health"))[0] !== 200, "an outage");
      const [status, text] = await get("/health");
      equal(status, 503, text);
      match(text, /the database denies the service access/);
      match(
        said.join("\n"),
        /^Cannot read the database: the database denies .* \(permission denied for table accounts\)/m,
      );
      await ask(`grant all on accounts to ${name}`);
      await until(async () => (await get("/health"))[0] === 200, "/health is well again", 15_000);
    }, { ownUser: true });
  },
);

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
