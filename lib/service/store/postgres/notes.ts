/**
 * Notes of the processes for each other, such as what each has counted. Each process gets every note of
 * the others once, in order. They are kept for a minute, so a new process gets those of that minute.
 *
 * @module
 */

import type { Pool } from "./driver.ts";
import { toStoreError } from "./errors.ts";

/** The lock of who writes notes: so their numbers are in the order of their commits. */
const LOCK = 7_262_053;

/** How long notes are kept, in milliseconds. */
const KEEP_MS = 65_000;

/** After so many exchanges, a process deletes old notes. */
const SWEEP_EVERY = 50;

/** Nothing has to survive a crash of the server: what was counted is soon out of date. */
const BEGIN = "BEGIN ISOLATION LEVEL READ COMMITTED";
const HURRY = "SET LOCAL synchronous_commit = off";

const NOW = "cast(extract(epoch from clock_timestamp()) * 1000 as bigint)";

const ADD = `insert into notes (number, holder, at, text)
  select coalesce(max(number), 0) + 1, $1, ${NOW}, $2 from notes`;

const READ = "select number, text, holder from notes where number > $1 order by number";

/** The last note stays, since the next number comes after it. */
const SWEEP = `delete from notes
  where at < ${NOW} - ${KEEP_MS} and number < (select max(number) from notes)`;

/** Makes what exchanges notes: adds one, and returns those of others since the last call. */
export function createNotes(
  pool: Pool,
  holder: string,
): (note: string | undefined) => Promise<string[]> {
  let last = 0;
  let exchanges = 0;
  return async (note) => {
    const wire = await pool.take();
    let broken = true;
    try {
      const sent = [
        wire.send(BEGIN),
        wire.send(HURRY),
        wire.send(`select pg_advisory_xact_lock(${LOCK})`),
        ...note === undefined ? [] : [wire.send(ADD, [holder, note])],
      ];
      const read = wire.send(READ, [last]);
      const sweeps = exchanges++ % SWEEP_EVERY === 0 ? [wire.send(SWEEP)] : [];
      const ended = wire.send("COMMIT");
      // All together: a failure that nobody waited for would end the process.
      const [{ rows }, { command }] = await Promise.all([read, ended, ...sent, ...sweeps]);
      if (command !== "COMMIT") throw new Error("the notes were not stored");
      broken = false;
      last = Number(rows.at(-1)?.number ?? last);
      return rows.filter((row) => row.holder !== holder).map(({ text }) => String(text));
    } catch (error) {
      throw toStoreError(error);
    } finally {
      wire.release(broken);
    }
  };
}
