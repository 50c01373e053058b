/**
 * The other processes on the same database: what they tell, which of them are alive, and the time of
 * the server, which all of them go by.
 *
 * @module
 */

import { randomBytes } from "node:crypto";
import { sql } from "kysely";
import type { Tx } from "../queries.ts";
import type { News, Others } from "../store.ts";
import type { Address } from "./address.ts";
import { type Ear, openEar, type Pool } from "./driver.ts";

/** The channel that all processes listen to. */
const CHANNEL = "service_news";

/** The first number of the locks that show who is alive; the second is made of the holder's name. */
export const HOLDERS = 7_262_052;

/** How long news wait for more of the same, in milliseconds: each notification takes a global lock. */
const TELL_MS = 20;

/** How often everybody looks for news, told of any or not, in milliseconds. */
const POLL_MS = 1000;

/** How often the server's time is asked for, in milliseconds. */
const TIME_MS = 10_000;

/** How long to wait before the lost connection is made again, in milliseconds. */
const RECONNECT_MS = 250;

/** The other processes, until they are no longer of interest. */
interface OpenOthers extends Others {
  /** Ends the connection. */
  close(): Promise<void>;
}

/** How this process is connected to the others. */
interface Line extends Peers {
  /** The connection that hears, while there is one. */
  ear: Ear | undefined;
  /** How far the server's clock is ahead, in milliseconds. */
  skew: number;
  /** Whether it is no longer wanted. */
  closed: boolean;
}

/** What `openOthers` needs. */
interface Peers {
  /** Where the database is. */
  address: Address;
  /** Connections to tell something. */
  pool: Pool;
  /** This machine's time, in milliseconds since 1970. */
  clock(): number;
}

/** Starts to listen to the other processes. */
export async function openOthers(peers: Peers): Promise<OpenOthers> {
  const holder = randomBytes(4).toString("hex");
  const listeners = new Set<(news: News) => void>();
  const hear = (news: News) => listeners.forEach((listener) => listener(news));
  const line: Line = { ...peers, ear: undefined, skew: 0, closed: false };
  await listen(line, holder, hear);
  const timers = [
    setInterval(() => hear("events"), POLL_MS),
    setInterval(() => void measure(line).catch(() => {}), TIME_MS),
  ];
  timers.forEach(Deno.unrefTimer);
  const crier = createCrier(peers.pool, holder);
  return {
    holder,
    skew: () => line.skew,
    tell: crier.tell,
    hear(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    alive,
    async close() {
      line.closed = true;
      timers.forEach(clearInterval);
      await crier.close();
      line.ear?.release(true);
    },
  };
}

/** Opens the connection that hears, and again whenever it is lost. */
async function listen(line: Line, holder: string, hear: (news: News) => void): Promise<void> {
  const ear = await openEar(line.address);
  try {
    await register(ear, holder, hear);
  } catch (error) {
    ear.release(true);
    throw error;
  }
  line.ear = ear;
  ear.onLost(() => {
    line.ear = undefined;
    if (!line.closed) setTimeout(() => void listenAgain(line, holder, hear), RECONNECT_MS);
  });
  // If it fails, it is asked again soon, or the connection is lost.
  await measure(line).catch(() => {});
}

/** Shows the others that this process is alive, and hears what they tell. */
async function register(ear: Ear, holder: string, hear: (news: News) => void): Promise<void> {
  // Whoever frees what dead processes hold sees by this lock that this one is alive. It is shared:
  // a lost connection has it as well, until the server notices.
  await ear.send(`select pg_advisory_lock_shared(${HOLDERS}, ${lockOf(holder)})`);
  ear.onNews((text) => {
    const [from, news] = text.split(" ");
    if (from !== holder && news === "events") hear(news);
  });
  await ear.send(`listen ${CHANNEL}`);
}

async function listenAgain(
  line: Line,
  holder: string,
  hear: (news: News) => void,
): Promise<void> {
  if (line.closed) return;
  try {
    await listen(line, holder, hear);
    // It may have been closed meanwhile.
    if (line.closed) line.ear?.release(true);
  } catch {
    setTimeout(() => void listenAgain(line, holder, hear), RECONNECT_MS);
  }
}

/** Which of some holders are alive: their locks are held. */
async function alive(tx: Tx, holders: readonly string[]): Promise<ReadonlySet<string>> {
  if (holders.length === 0) return new Set();
  const { rows } = await sql<{ lock: number }>`
    select cast(objid as bigint) as lock from pg_locks
    where locktype = 'advisory' and classid = ${HOLDERS} and granted
      and database = (select oid from pg_database where datname = current_database())`
    .execute(tx);
  const locks = new Set(rows.map(({ lock }) => lock | 0));
  return new Set(holders.filter((one) => locks.has(lockOf(one))));
}

/** The second number of a holder's lock. */
function lockOf(holder: string): number {
  return Number.parseInt(holder, 16) | 0;
}

/** Measures how far the server's clock is ahead: its answer is from the middle of the wait. */
async function measure(line: Line): Promise<void> {
  const { ear, clock } = line;
  if (!ear) return;
  const before = clock();
  const { rows } = await ear.send(
    "select cast(extract(epoch from clock_timestamp()) * 1000 as bigint) as now",
  );
  const after = clock();
  const skew = Number(rows[0]?.now ?? 0) - (before + after) / 2;
  // Less than that is the network's.
  line.skew = Math.abs(skew) <= (after - before) / 2 + 1 ? 0 : Math.round(skew);
}

/** Tells news, those of a moment together. */
function createCrier(pool: Pool, holder: string) {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let crying: Promise<void> | undefined;
  const cry = async (news: News) => {
    const wire = await pool.take();
    let broken = true;
    try {
      await wire.send("select pg_notify($1, $2)", [CHANNEL, `${holder} ${news}`]);
      broken = false;
    } finally {
      wire.release(broken);
    }
  };
  return {
    tell(news: News) {
      timer ??= setTimeout(() => {
        timer = undefined;
        // The others poll as well.
        crying = cry(news).catch(() => {});
      }, TELL_MS);
    },
    async close() {
      clearTimeout(timer);
      await crying;
    },
  };
}
