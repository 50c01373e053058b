/**
 * Keeps the server's statistics fresh while a database grows. A plan that was made for empty tables
 * stays with a prepared statement, and is a slow one for full tables; new statistics end it.
 *
 * @module
 */

import type { Pool } from "./driver.ts";

/** The first number of changed rows after which the tables are looked at, and how it grows. */
const FIRST_ROWS = 1000;
const GROWTH = 8;

/** Counts changes, and has the tables looked at. */
interface Statistics {
  /** Says that so many rows were changed. */
  changed(rows: number): void;
  /** Waits until the tables are not being looked at. */
  idle(): Promise<void>;
}

/** Makes what keeps the statistics of a database fresh. */
export function createStatistics(pool: Pool): Statistics {
  let total = 0;
  let next = FIRST_ROWS;
  let running: Promise<void> | undefined;
  return {
    changed(rows) {
      total += rows;
      if (total < next || running) return;
      next = total * GROWTH;
      // It is help, not more: the server does the same by itself, only later.
      running = analyze(pool).catch(() => {}).finally(() => running = undefined);
    },
    async idle() {
      await running;
    },
  };
}

/** A table that the server believes to have so many rows keeps the statistics that it has. */
const MANY_ROWS = 10_000;

/**
 * Looks at the tables of the service that the server believes to be small, and at a tenth of the rows
 * that it would look at by itself. That is enough to tell a full table from an empty one, and takes a
 * sixth of the time; the server looks more closely later.
 */
async function analyze(pool: Pool): Promise<void> {
  const wire = await pool.take("patient");
  let broken = true;
  try {
    const { rows: [own] } = await wire.send(
      "select string_agg(quote_ident(relname), ', ') as tables from pg_class " +
        "where relkind = 'r' and relnamespace = current_schema()::regnamespace " +
        `and reltuples < ${MANY_ROWS}`,
    );
    if (typeof own?.tables === "string") {
      await wire.send("BEGIN");
      await wire.send("set local default_statistics_target = 10");
      await wire.send(`analyze ${own.tables}`);
      await wire.send("COMMIT");
    }
    broken = false;
  } finally {
    wire.release(broken);
  }
}
