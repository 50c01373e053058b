/**
 * How a process behind a pooler shows that it is alive, and answers questions of the others. The pooler
 * shares connections between transactions, so neither a lock nor a subscription on one of them can last.
 *
 * @module
 */

import { ask } from "./ask.ts";
import { createPool } from "./driver.ts";
import { answerHolders, lastQuestion, removeHolder, renewHolder, sweepHolders } from "./holders.ts";
import { type Line, nameOf } from "./line.ts";

/** How often a process shows that it is alive, in milliseconds. */
const BEAT_MS = 1000;

/** How often it looks whether another process has asked, in milliseconds. */
const ASKED_MS = 150;

/** How long to wait for an answer, in milliseconds: after that nobody takes the process for alive. */
const ANSWER_MS = 4000;

/** Shows the others that this process is alive and hears them, until the returned function is called. */
export async function openPulse(line: Line): Promise<() => Promise<void>> {
  const { address, holder, role, again } = line;
  // Of its own, so that it waits for no other work.
  const pool = createPool(address, 1, ANSWER_MS);
  const own: Line["own"] = { send: (sql, parameters) => ask(pool, sql, parameters) };
  let beating: Promise<void> | undefined;
  const beat = () => {
    // When it fails, the next one is soon.
    beating ??= renewHolder(own, holder, nameOf(role)).catch(() => {})
      .finally(() => beating = undefined);
  };
  let answered = 0;
  const answer = async (): Promise<void> => {
    const asked = await lastQuestion(own, holder);
    if (asked <= answered) return;
    await again();
    await answerHolders(own, holder, { name: nameOf(role), asked });
    answered = asked;
  };
  let answering: Promise<void> | undefined;
  const answerSoon = () => {
    answering ??= answer().catch(() => {}).finally(() => answering = undefined);
  };
  try {
    await renewHolder(own, holder, nameOf(role));
    await sweepHolders(own);
  } catch (error) {
    await pool.close();
    throw error;
  }
  line.own = own;
  // It keeps the process running, as a connection that hears does.
  const timers = [setInterval(beat, BEAT_MS), setInterval(answerSoon, ASKED_MS)];
  return async () => {
    timers.forEach(clearInterval);
    await Promise.all([beating, answering]);
    // Without that, the row runs out.
    await removeHolder(own, holder).catch(() => {});
    await pool.close();
  };
}
