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
import { ALIVE } from "./holders.ts";
import { FIRST_TIMES, lead, type Line, listen, measure, type Peers } from "./line.ts";
import { createNotes } from "./notes.ts";
import { openPulse } from "./pulse.ts";
import { createServerTime } from "./server_time.ts";

/** How often everybody looks for news, told of any or not, in milliseconds. */
const POLL_MS = 1000;

/** The same through a pooler, where nobody is told. */
const POLL_THROUGH_POOLER_MS = 500;

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
  const again = async () => void await Promise.all(NEWS.map(hear));
  // A failure is that of the database, which its next user reports.
  const look = () => void again().catch(() => {});
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
    again,
    own: undefined,
    end: () => {},
    closed: false,
  };
  const crier = createCrier(line);
  const isPooled = peers.address.pooler !== undefined;
  const stopPulse = isPooled ? await openPulse(line) : undefined;
  if (isPooled) await measure(line, FIRST_TIMES).catch(() => {});
  else await listen(line);
  const timers = [
    setInterval(look, isPooled ? POLL_THROUGH_POOLER_MS : POLL_MS),
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
      if (line.own) line.end();
      await stopPulse?.();
    },
  };
}

/** Which of some holders are alive: their locks are held. */
async function alive(tx: Tx, holders: readonly string[]): Promise<ReadonlySet<string>> {
  if (holders.length === 0) return new Set();
  const { rows } = await sql<{ holder: string }>`${sql.raw(ALIVE)}`.execute(tx);
  const found = new Set(rows.map(({ holder }) => holder));
  return new Set(holders.filter((one) => found.has(one)));
}
