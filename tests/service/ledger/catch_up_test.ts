import { deepEqual, equal, match, ok, rejects } from "node:assert/strict";
import { Cancelled } from "../../../lib/errors.ts";
import type { ServeOptions } from "../../../lib/service/serve.ts";
import { isOnServer } from "../../../lib/service/store/mod.ts";
import { fill, serveAt, START } from "../../support/clock_fixture.ts";
import { openService } from "../../support/engine.ts";
import { startServer, type TestServer } from "../../support/server.ts";
import { DAY } from "../../support/simulation.ts";
import { type Lasting, SHARED_SECRET, withLasting } from "../../support/lasting.ts";

/** A database in which subscriptions, usually six, have so many days to catch up with. */
async function behind(lasting: Lasting, days: number, subscriptions = 6): Promise<number> {
  const { database } = lasting;
  {
    await using service = await serveAt(database);
    await fill(service, subscriptions);
  }
  const until = START + days * DAY;
  await lasting.query(`UPDATE projects SET clock_advancing_to = ${until}`);
  return until;
}

/** Loads the simulator's code, so that the first request to it finds work in progress. */
async function loadSimulator(): Promise<void> {
  await using service = await openService({ empty: true });
  await service.warm();
}

/** Starts the service on a database. */
async function start(
  { database, folder }: Lasting,
  options: Pick<ServeOptions, "report" | "signal">,
): Promise<TestServer> {
  await loadSimulator();
  const server = { database, adminSecret: SHARED_SECRET };
  const where = isOnServer(database)
    ? { folder: undefined, server, signIn: { kind: "password" } } as const
    : { folder };
  return await startServer({ ...where, empty: false, ...options });
}

/** The time of the project's clock, its target, and the number of steps due by then. */
async function progress({ query }: Lasting, until: number): Promise<unknown[]> {
  const clock = "SELECT clock_frozen_at AS at, clock_advancing_to AS target FROM projects";
  const due = `SELECT count(*) AS n FROM subscriptions WHERE due_at <= ${until}`;
  const [project] = await query(clock);
  return [project?.at, project?.target, (await query(due))[0]?.n];
}

/** The answer to a request for the project's clock, or to anything else below it. */
async function ask(server: TestServer, path: string, method = "GET"): Promise<Response> {
  return await fetch(`${server.baseUrl}/_sim/projects/${server.projectId}${path}`, {
    method,
    headers: { Authorization: `Bearer ${server.adminSecret}` },
  });
}

Deno.test("a service that has to catch up listens at once, and shows no intermediate state", async () => {
  await withLasting(async (lasting) => {
    const until = await behind(lasting, 365 * 60, 14);
    const server = await start(lasting, { report: () => {} });
    // Other requests are answered meanwhile.
    equal((await fetch(`${server.baseUrl}/health`)).status, 200);
    const early = await (await ask(server, "/clock/progress")).json();
    deepEqual([early.moving, early.to], [true, until]);
    // The first step falls due a month after the start; on a busy machine all may have been made.
    ok(early.left > 0 || early.done > 0, "something is left to do, or was done");
    ok(early.left < 14 * 365 * 60 && early.now <= until, `${early.left} left at ${early.now}`);
    const refused: unknown[] = [];
    for (;;) {
      const answer = await ask(server, "/clock");
      const body = await answer.json();
      if (answer.status === 200) {
        ok(body.now >= until, "nobody sees a moment on the way");
        break;
      }
      refused.push([
        answer.status,
        body.retryable,
        body.backoff_ms,
        answer.headers.get("Retry-After"),
      ]);
      match(body.message, /^The project is catching up with its clock; try again\./);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    for (const one of refused) deepEqual(one, [503, true, 1000, "1"]);
    const { items } = await (await fetch(`${server.baseUrl}/_sim/progress`, {
      headers: { Authorization: `Bearer ${server.adminSecret}` },
    })).json();
    deepEqual(items, []);
    const found = await progress(lasting, until);
    await server.stop();
    deepEqual(found, [until, null, 0]);
  });
});

Deno.test("a stop in the middle of catching up is quick, and the next start continues", async () => {
  await withLasting(async (lasting) => {
    const until = await behind(lasting, 365 * 60);
    const [from] = await progress(lasting, until);
    const server = await start(lasting, { report: () => {} });
    for (let at = from; at === from; [at] = await progress(lasting, until)) {
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    await server.stop();
    const [at, target] = await progress(lasting, until);
    ok(Number(at) > Number(from) && Number(at) < until, String(at));
    equal(target, until);
    const again = await start(lasting, { report: () => {} });
    while ((await progress(lasting, until))[1] !== null) {
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    await again.stop();
    deepEqual(await progress(lasting, until), [until, null, 0]);
  });
});

Deno.test("a cancelled advance ends at a consistent time, and nothing later has happened", async () => {
  await withLasting(async (lasting) => {
    const until = await behind(lasting, 365 * 60);
    const [from] = await progress(lasting, until);
    const server = await start(lasting, { report: () => {} });
    for (let at = from; at === from; [at] = await progress(lasting, until)) {
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    const { cancelled } = await (await ask(server, "/clock/cancel", "POST")).json();
    equal(cancelled, true);
    const clock = await (await ask(server, "/clock")).json();
    ok(clock.now > Number(from) && clock.now < until, String(clock.now));
    const again = await (await ask(server, "/clock/cancel", "POST")).json();
    equal(again.cancelled, false);
    const [newest] = await lasting.query("SELECT max(at) AS at FROM movements");
    const [due] = await lasting.query(
      `SELECT count(*) AS n FROM subscriptions WHERE due_at <= ${clock.now}`,
    );
    await server.stop();
    ok(Number(newest?.at) <= clock.now);
    equal(due?.n, 0);
  });
});

Deno.test("a start that is interrupted early changes nothing", async () => {
  await withLasting(async (lasting) => {
    const until = await behind(lasting, 100);
    const before = await progress(lasting, until);
    await rejects(start(lasting, { report: () => {}, signal: AbortSignal.abort() }), Cancelled);
    deepEqual(await progress(lasting, until), before);
  });
});
