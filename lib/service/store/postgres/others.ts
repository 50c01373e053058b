/**
 * The other processes on the same database: what they tell, which of them are alive, and the time of
 * the server, which all of them go by.
 *
 * @module
 */

import { randomBytes } from "node:crypto";
import { sql } from "kysely";
import type { Tx } from "../queries.ts";
import { NEWS, type News, type Others } from "../store.ts";
import { createCrier } from "./agreement.ts";
import { HOLDERS, lead, type Line, listen, lockOf, measure, type Peers } from "./line.ts";
import { createNotes } from "./notes.ts";
import { createServerTime } from "./server_time.ts";

/** How often everybody looks for news, told of any or not, in milliseconds. */
const POLL_MS = 1000;

/** How often the server's time is asked for, in milliseconds. */
const TIME_MS = 10_000;

/** The other processes, until they are no longer of interest. */
interface OpenOthers extends Others {
  /** Ends the connection. */
  close(): Promise<void>;
}

/** What listens to news. It may take a while to act on them. */
type Listener = (news: News) => void | Promise<void>;

/** Starts to listen to the other processes. */
export async function openOthers(peers: Peers): Promise<OpenOthers> {
  const listeners = new Set<Listener>();
  const hear = async (news: News) => {
    await Promise.all([...listeners].map((listener) => listener(news)));
  };
  // A failure is that of the database, which its next user reports.
  const look = () => NEWS.forEach((news) => void hear(news).catch(() => {}));
  const time = createServerTime(peers.clock, peers.stopwatch);
  const line: Line = {
    ...peers,
    time,
    asking: false,
    holder: randomBytes(4).toString("hex"),
    take(message) {
      const news = NEWS.find((one) => one === message.word);
      if (crier.takeAnswer(message) || news === undefined) return;
      hear(news).then(() => crier.answer(message), () => {});
    },
    again: look,
    ear: undefined,
    leading: undefined,
    closed: false,
  };
  const crier = createCrier(line);
  await listen(line);
  const timers = [
    setInterval(look, POLL_MS),
    setInterval(() => void measure(line).catch(() => {}), TIME_MS),
  ];
  timers.forEach(Deno.unrefTimer);
  const { tell, agree } = crier;
  return {
    holder: line.holder,
    skew() {
      if (time.wasSet()) void measure(line).catch(() => {});
      return time.now() - line.clock();
    },
    tell,
    agree,
    hear(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    leads: () => lead(line),
    exchange: createNotes(peers.pool, line.holder),
    alive,
    async close() {
      line.closed = true;
      timers.forEach(clearInterval);
      await crier.close();
      line.ear?.release(true);
    },
  };
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
