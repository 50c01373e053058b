import { deepEqual, equal, ok, rejects } from "node:assert/strict";
import { join } from "node:path";
import { Cancelled } from "../../../lib/errors.ts";
import { openService } from "../../../lib/service/mod.ts";
import { serve, type ServeOptions, type Server } from "../../../lib/service/http/serve.ts";
import { connect } from "../../../lib/service/store/connection.ts";
import { fill, START } from "../../support/clock_fixture.ts";
import { DAY } from "../../support/simulation.ts";
import { inFolder } from "../../support/store_fixture.ts";

/** A database in which six subscriptions have so many days to catch up with. */
async function behind(folder: string, days: number): Promise<number> {
  const database = join(folder, "service.db");
  const service = await openService({ database, clock: () => START, adminSecret: "adm_x" });
  await fill(service, 6);
  await service.close();
  const until = START + days * DAY;
  query(folder, `UPDATE projects SET clock_advancing_to = ${until}`);
  return until;
}

/** Starts the service on a folder. */
function start(
  folder: string,
  options: Pick<ServeOptions, "report" | "signal">,
): Promise<Server> {
  const there = { folder, port: 0, host: "127.0.0.1" } as const;
  return serve({ ...there, empty: false, rateLimits: "local", ...options });
}

/** Where the project's clock stands, where it is on its way to, and how much is due by then. */
function progress(folder: string, until: number): unknown[] {
  const clock = "SELECT clock_frozen_at AS at, clock_advancing_to AS target FROM projects";
  const due = `SELECT count(*) AS n FROM subscriptions WHERE due_at <= ${until}`;
  const [project] = query(folder, clock);
  return [project?.at, project?.target, query(folder, due)[0]?.n];
}

Deno.test("an advance that was cut off is at its end before the service listens again", async () => {
  await inFolder(async (folder) => {
    const until = await behind(folder, 100);
    const told: unknown[] = [];
    const server = await start(folder, { report: (error) => told.push(error) });
    const found = progress(folder, until);
    await server.stop();
    deepEqual(found, [until, null, 0]);
    // On a busy machine it may have taken long enough to be told.
    deepEqual(told.filter((one) => !String(one).startsWith("Catching up")), []);
  });
});

Deno.test("Ctrl-C ends a start that has much to catch up with, and the next one goes on", async () => {
  await inFolder(async (folder) => {
    const until = await behind(folder, 365 * 40);
    const [from] = progress(folder, until);
    const interrupt = new AbortController();
    const report = () => {};
    const starting = start(folder, { report, signal: interrupt.signal });
    const timer = setInterval(() => {
      const [at] = progress(folder, until);
      if (at !== from) interrupt.abort();
    }, 5);
    await rejects(starting, Cancelled).finally(() => clearInterval(timer));
    const [at, target] = progress(folder, until);
    ok(Number(at) > Number(from) && Number(at) < until, String(at));
    equal(target, until);
    const server = await start(folder, { report });
    const found = progress(folder, until);
    await server.stop();
    deepEqual(found, [until, null, 0]);
  });
});

Deno.test("a start that was interrupted before it began settles nothing", async () => {
  await inFolder(async (folder) => {
    const until = await behind(folder, 100);
    const before = progress(folder, until);
    await rejects(start(folder, { report: () => {}, signal: AbortSignal.abort() }), Cancelled);
    deepEqual(progress(folder, until), before);
  });
});

/** What a statement finds in a database file. */
function query(folder: string, statement: string): Record<string, unknown>[] {
  const connection = connect(join(folder, "service.db"));
  try {
    return connection.rows(statement);
  } finally {
    connection.close();
  }
}
