/**
 * Kills processes of the service and the server of the database at random moments, under load.
 *
 * @module
 */

import type { PostgresServer } from "../../postgres/server.ts";
import { openDatabase } from "../../../lib/service/store/mod.ts";
import { acrossProjects } from "../../../lib/service/store/mod.ts";
import { findFaults, type Findings } from "./checks.ts";
import { type Fleet, pause, type Role, startFleet } from "./fleet.ts";
import { openReceiver, type Receiver } from "./receiver.ts";
import type { Stop } from "./resent.ts";
import { emptyRecord, openShop, type Shop, startWriters } from "./shop.ts";

/** What to do. */
interface KillOptions {
  /** The server. */
  server: PostgresServer;
  /** The database. */
  database: string;
  /** The address by which the processes use it. */
  entrance: string;
  /** What each process does. */
  roles: readonly Role[];
  /** How often something is killed. */
  moments: number;
  /** A number from 0 to 1. */
  random(): number;
  /** Told of the progress. */
  say(line: string): void;
}

/** The share of moments at which the server of the database is stopped. */
const SERVER_SHARE = 0.25;

/** The longest time between two moments, in milliseconds. */
const LONGEST_MS = 3000;

/** The writers at a time. */
const WRITERS = 10;

/** The time of the projects at the start: 1 January 2026. */
const START = Date.UTC(2026, 0, 1);

/** How long all deliveries may take after the last kill, in milliseconds. */
const DRAIN_MS = 180_000;

/** Kills, and checks what is left. */
export async function killAtRandom(options: KillOptions): Promise<Findings> {
  const { database, entrance, roles, random, say } = options;
  const receiver = openReceiver(random);
  const fleet = await startFleet({ database: entrance, roles, random });
  const record = emptyRecord();
  const wrong: string[] = [];
  try {
    const shops = [
      await openShop(fleet, receiver.url, START),
      await openShop(fleet, receiver.url, START),
    ];
    const writers = startWriters(
      { fleet, shops, record, random, wrong: (what) => wrong.push(what) },
      WRITERS,
    );
    const stops = await killSome(fleet, options);
    await writers.stop();
    const now = await meetInTime(fleet, shops);
    const left = await drain(database);
    if (left > 0) wrong.push(`${left} deliveries still wait`);
    const gone = fleet.members.reduce((sum, member) => sum + member.ended(), 0);
    if (gone > 0) wrong.push(`${gone} processes ended by themselves`);
    await fleet.close();
    say([...fleet.statuses].map(([status, count]) => `${count} × ${status}`).join(", "));
    const found = await findFaults({
      database,
      shops,
      record,
      accepted: receiver.accepted,
      stops,
      now,
    });
    wrong.push(...fleet.wrong, ...found.wrong);
    return {
      figures: { ...figuresOf(fleet, receiver), advances: record.advances, ...found.figures },
      wrong,
    };
  } finally {
    for (const { log, role } of fleet.members) {
      if (wrong.length > 0) say(`the log of a process (${role}): ${log().slice(-1500)}`);
    }
    await fleet.close();
    await receiver.close();
  }
}

function figuresOf({ statuses }: Fleet, receiver: Receiver): Findings["figures"] {
  const requests = [...statuses.values()].reduce((sum, count) => sum + count, 0);
  return {
    requests,
    "answered with 503": statuses.get(503) ?? 0,
    "lost connections": statuses.get(0) ?? 0,
    "refused deliveries": receiver.refused(),
  };
}

/** Kills something again and again. Returns what and when. */
async function killSome(
  { members }: Fleet,
  { server, moments, random, say }: KillOptions,
): Promise<Stop[]> {
  const stops: Stop[] = [];
  const starting = new Set<Promise<void>>();
  for (let moment = 0; moment < moments;) {
    await pause(random() * LONGEST_MS);
    const ready = members.filter(({ baseUrl }) => baseUrl !== undefined);
    const one = ready[Math.floor(random() * ready.length)];
    // Somebody has to answer, or nothing is written that could be lost.
    const answers = ready.some((other) => other !== one && other.role !== "worker");
    if (random() < SERVER_SHARE) {
      const from = Date.now();
      await server.crash();
      await server.start();
      stops.push({ what: "server", from, to: Date.now() });
    } else if (one && answers) {
      const from = Date.now();
      await one.kill();
      stops.push({ what: one.role, from, to: from });
      const start: Promise<void> = one.start().finally(() => starting.delete(start));
      starting.add(start);
    } else continue;
    moment++;
    if (moment % 10 === 0) say(`${moment} moments`);
  }
  await Promise.all(starting);
  return stops;
}

/** Brings all projects to the same time. Returns it. */
async function meetInTime(fleet: Fleet, shops: readonly Shop[]): Promise<number> {
  let now = 0;
  const clocks = shops.map(({ project }) => `/_sim/projects/${project}/clock`);
  for (const path of clocks) {
    const reply = await fleet.ask({ method: "GET", path });
    now = Math.max(now, Number(reply.body.now));
  }
  for (const path of clocks) {
    await fleet.ask({
      method: "POST",
      path: `${path}/advance`,
      body: { to: now, confirmed: true },
    });
  }
  return now;
}

/** Waits until no delivery is pending. Returns how many still are. */
async function drain(database: string): Promise<number> {
  const store = await openDatabase({ file: database, clock: Date.now });
  try {
    for (const end = Date.now() + DRAIN_MS;;) {
      const { count } = await store.read((tx) =>
        acrossProjects(tx).selectFrom("deliveries").where("state", "=", "pending")
          .select((row) => row.fn.countAll<number>().as("count")).executeTakeFirstOrThrow()
      );
      if (count === 0 || Date.now() > end) return count;
      await pause(200);
    }
  } finally {
    await store.close();
  }
}
