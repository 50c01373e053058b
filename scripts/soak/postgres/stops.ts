/**
 * Stops the server of the database hard under load, and starts it again.
 *
 * @module
 */

import type { PostgresServer } from "../../postgres/server.ts";
import type { Findings } from "./checks.ts";
import { type Ask, type Fleet, type Member, pause, type Role, startFleet } from "./fleet.ts";
import { openReceiver } from "./receiver.ts";
import { emptyRecord, openShop, type Shop, startWriters } from "./shop.ts";

/** What to do. */
interface StopOptions {
  /** The server. */
  server: PostgresServer;
  /** The database. */
  database: string;
  /** The address by which the processes use it. */
  entrance: string;
  /** What each process does. */
  roles: readonly Role[];
  /** How often the server is stopped. */
  stops: number;
  /** A number from 0 to 1. */
  random(): number;
}

/** How long the server is away, and how soon each process must answer after its return. */
const AWAY_MS = 2000;
const SOON_MS = 1000;
const PATIENCE_MS = 15_000;

/** How long the load runs before each stop, in milliseconds. */
const LOAD_MS = 3000;

/** The writers at a time. */
const WRITERS = 10;

/** Stops the server again and again, and notes how soon each process answers again. */
export async function stopUnderLoad(options: StopOptions): Promise<Findings> {
  const { server, random, stops } = options;
  const receiver = openReceiver(random);
  const fleet = await startFleet({ ...options, database: options.entrance });
  const wrong: string[] = [];
  const waits: number[] = [];
  try {
    const shop = await openShop(fleet, receiver.url, Date.UTC(2026, 0, 1));
    // One without load, so that no request waits for the writers of another one.
    const quiet = await openShop(fleet, receiver.url, Date.UTC(2026, 0, 1));
    const record = emptyRecord();
    const desk = { fleet, shops: [shop], record, random };
    const writers = startWriters({ ...desk, wrong: (what) => wrong.push(what) }, WRITERS);
    for (let stop = 0; stop < stops; stop++) {
      await pause(LOAD_MS);
      await server.crash();
      await pause(AWAY_MS);
      await server.start();
      const back = performance.now();
      const asking = fleet.members.filter(({ role }) => role !== "worker");
      const answered = asking.map((member) => untilAnswered(fleet, member, quiet));
      for (const at of await Promise.all(answered)) waits.push(Math.round(at - back));
    }
    await writers.stop();
    const cut = fleet.statuses.get(0) ?? 0;
    if (cut > 0) wrong.push(`${cut} requests had no answer`);
    if (!fleet.statuses.has(503)) wrong.push("no request met the stopped server");
    const gone = fleet.members.reduce((sum, member) => sum + member.ended(), 0);
    if (gone > 0) wrong.push(`${gone} processes ended`);
    for (const ms of waits) {
      if (ms > SOON_MS) wrong.push(`an answer took ${ms} ms after the return`);
    }
    wrong.push(...fleet.wrong);
    const requests = [...fleet.statuses.values()].reduce((sum, count) => sum + count, 0);
    return {
      figures: {
        stops,
        requests,
        "answered with 503": fleet.statuses.get(503) ?? 0,
        "answered with other 5xx": fleet.wrong.length,
        "without an answer": cut,
        "processes that ended": gone,
        "longest wait for an answer after the return, in ms": Math.max(...waits),
      },
      wrong,
    };
  } finally {
    await fleet.close();
    await receiver.close();
  }
}

/** Reads and writes through a process until both work, or for too long. Returns when that was. */
async function untilAnswered(fleet: Fleet, member: Member, { project }: Shop): Promise<number> {
  const path = `/v2/projects/${project}/customers`;
  const end = performance.now() + PATIENCE_MS;
  const until = async (status: number, ask: () => Ask) => {
    while ((await fleet.once({ ...ask(), member }))?.status !== status) {
      if (performance.now() > end) return;
      await pause(10);
    }
  };
  await Promise.all([
    until(200, () => ({ method: "GET", path })),
    until(201, () => ({ method: "POST", path, body: { id: crypto.randomUUID() } })),
  ]);
  return performance.now();
}
