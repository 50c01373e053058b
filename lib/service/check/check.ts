/**
 * Checks the invariants of a database, as of one moment and without changing it.
 *
 * @module
 */

import { ConfigError } from "../../errors.ts";
import { type DatabasePlace, freeze, type Frozen } from "../store/frozen.ts";
import { migrations } from "../store/migrations/mod.ts";
import { runWork } from "../store/work.ts";
import { cohorts } from "./cohorts.ts";
import { type Invariant, type Moment, MOST_SHOWN, type Violation } from "./invariant.ts";
import { ledger } from "./ledger.ts";
import { records } from "./records.ts";
import { rules } from "./rules.ts";

/** What became of an invariant. */
export interface Verdict {
  /** Its name. */
  name: string;
  /** What should hold, as a sentence. */
  says: string;
  /** Rows that break it, ten at most. */
  rows: readonly Violation[];
  /** Whether there are more such rows. */
  more: boolean;
}

/** A database that was checked. */
export interface Checked {
  /** Where it is. */
  database: string;
  /** All invariants. */
  verdicts: Verdict[];
}

/** The invariants, in the order in which they are checked. */
export const invariants: readonly Invariant[] = [...rules, ...ledger, ...cohorts, ...records];

/** How to check. */
interface CheckOptions {
  /** The wall time, in milliseconds since 1970. */
  now: number;
  /** Ends the check. */
  signal: AbortSignal;
  /** Told before each invariant. */
  report(name: string): void;
}

/**
 * Checks all invariants of a database. A service may be running on it.
 *
 * @throws {ConfigError} when it cannot be read, or its schema is not that of this version.
 */
export async function checkDatabase(place: DatabasePlace, options: CheckOptions): Promise<Checked> {
  const database = await freeze(place);
  try {
    refuseOlder(database);
    options.report("storage");
    const storage = {
      name: "storage",
      says: "The database is sound, and no text contains U+0000",
      ...shown(await database.inspect()),
    };
    const verdicts = await runWork(
      database.runner,
      (tx) => checkAll({ tx, now: options.now, settled: false }, options),
      "read",
    );
    return { database: database.shown, verdicts: [storage, ...verdicts] };
  } finally {
    await database.close();
  }
}

/** Checks invariants at a moment. */
export async function checkAll(
  moment: Moment,
  { signal, report }: Partial<Pick<CheckOptions, "signal" | "report">> = {},
  all: readonly Invariant[] = invariants,
): Promise<Verdict[]> {
  const verdicts: Verdict[] = [];
  for (const { name, says, find } of all) {
    signal?.throwIfAborted();
    report?.(name);
    verdicts.push({ name, says, ...shown(await find(moment)) });
  }
  return verdicts;
}

function shown(rows: readonly Violation[]): Pick<Verdict, "rows" | "more"> {
  return { rows: rows.slice(0, MOST_SHOWN), more: rows.length > MOST_SHOWN };
}

function refuseOlder({ steps, shown }: Frozen): void {
  if (steps === migrations.length) return;
  throw new ConfigError(
    `Cannot check the database ${
      JSON.stringify(shown)
    }: its schema version is ${steps}, and this ` +
      `program checks ${migrations.length}`,
    { hint: "Start this version of the service on it once, which brings the schema up to date." },
  );
}
