/**
 * Processes whose hosts' clocks differ. Debian's faketime shifts them.
 *
 * @module
 */

import { acrossProjects, openDatabase } from "../../../lib/service/store/mod.ts";
import type { Findings } from "./checks.ts";
import { FAKETIME, type Fleet, type Member, pause, startFleet } from "./fleet.ts";
import { openReceiver } from "./receiver.ts";
import { openShop } from "./shop.ts";

/** What to do. */
interface ClockOptions {
  /** The database. */
  database: string;
  /** The address by which the processes use it. */
  entrance: string;
  /** The number of rounds. */
  rounds: number;
  /** A number from 0 to 1. */
  random(): number;
}

/** How far the clock of each host is ahead, in milliseconds. */
const AHEAD_MS = [0, 5000, -5000, 2500];

/** How far the project's time may be off in an answer, in milliseconds. */
const MOST_MS = 50;

/** Reads the time of a project through each process, and compares it with that of the server. */
export async function readClocks(options: ClockOptions): Promise<Findings> {
  try {
    await Deno.stat(FAKETIME);
  } catch {
    return { figures: { "skipped: install it with apt-get install -y faketime": 1 }, wrong: [] };
  }
  const { database, entrance, random, rounds } = options;
  const receiver = openReceiver(random);
  const roles = AHEAD_MS.map(() => "api" as const);
  const fleet = await startFleet({ database: entrance, random, roles, aheadMs: AHEAD_MS });
  const wrong: string[] = [];
  try {
    const { project } = await openShop(fleet, receiver.url, Date.UTC(2026, 0, 1));
    const path = `/_sim/projects/${project}/clock`;
    await fleet.ask({ method: "POST", path: `${path}/run`, body: {} });
    const offset = await offsetOf(database, project);
    let [worst, longest] = [0, 0];
    for (let round = 0; round < rounds; round++) {
      const reads = fleet.members.map((member) => readClock(fleet, member, path));
      for (const { before, after, now } of await Promise.all(reads)) {
        // The service read its clock at some moment of the request.
        const [early, late] = [before + offset - now, now - after - offset];
        worst = Math.max(worst, early, late);
        longest = Math.max(longest, after - before);
      }
      await pause(50);
    }
    if (worst > MOST_MS) wrong.push(`the time of the project was off by ${worst} ms`);
    wrong.push(...fleet.wrong);
    const figures = {
      "reads of the time": rounds * AHEAD_MS.length,
      "furthest off, in ms": worst,
      "longest request, in ms": longest,
    };
    return { figures, wrong };
  } finally {
    await fleet.close();
    await receiver.close();
  }
}

/** Reads the time of a project through a process. */
async function readClock(
  fleet: Fleet,
  member: Member,
  path: string,
): Promise<{ before: number; after: number; now: number }> {
  const before = Date.now();
  const reply = await fleet.once({ method: "GET", path, member });
  const after = Date.now();
  if (reply?.status !== 200) throw new Error(`${path} was answered with ${reply?.status}`);
  return { before, after, now: Number(reply.body.now) };
}

/** How far the project is ahead of the server's time: the server runs on this host. */
async function offsetOf(database: string, project: string): Promise<number> {
  const store = await openDatabase({ file: database, clock: Date.now });
  try {
    const row = await store.read((tx) =>
      acrossProjects(tx).selectFrom("projects").select("clock_offset").where("id", "=", project)
        .executeTakeFirstOrThrow()
    );
    return row.clock_offset;
  } finally {
    await store.close();
  }
}
