/**
 * Moves all data of one database into a new one, on any two engines.
 *
 * @module
 */

import { realpathSync } from "node:fs";
import { Cancelled, ConfigError } from "../../../errors.ts";
import { type DatabasePlace, freeze, type Frozen } from "../frozen.ts";
import { migrations } from "../migrations/mod.ts";
import { createAdder, type Sum } from "./digest.ts";
import { schemaAfter, type Shape } from "./tables.ts";
import { openTarget, type Target } from "./target.ts";

/** A table that was moved. */
export interface MovedTable extends Sum {
  /** Its name. */
  name: string;
}

/** What was moved. */
export interface Moved {
  /** Where it came from. */
  from: string;
  /** Where it is now. */
  to: string;
  /** Whether a service went on working on the source. */
  isInUse: boolean;
  /** All tables by name: the same in both databases. */
  tables: MovedTable[];
}

/** The progress of a move. */
export interface MoveProgress {
  /** Whether rows are copied, or compared afterwards. */
  phase: "copy" | "compare";
  /** The rows so far. */
  rows: number;
  /** All rows. */
  of: number;
}

/** How to move. */
interface MoveOptions {
  /** Ends the move; then the target is as empty as before. */
  signal: AbortSignal;
  /** Called with the progress after each part. */
  report(progress: MoveProgress): void;
}

/**
 * Moves all data. The source is read as of one moment and never changed. The target gets all of it, or
 * stays as empty as it was.
 *
 * @throws {ConfigError} when the source cannot be read, or the target is not empty.
 * @throws {Cancelled} when the signal fires.
 */
export async function moveData(
  from: DatabasePlace,
  to: DatabasePlace,
  options: MoveOptions,
): Promise<Moved> {
  await refuseSame(from, to);
  const source = await freeze(from);
  try {
    const target = await openTarget(to, source.steps);
    try {
      const tables = await moveTables(source, target, options);
      await target.keep();
      return { from: source.shown, to: target.shown, isInUse: source.isInUse, tables };
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
}

async function moveTables(
  source: Frozen,
  target: Target,
  { signal, report }: MoveOptions,
): Promise<MovedTable[]> {
  const { tables } = schemaAfter(migrations.slice(0, source.steps));
  let of = 0;
  for (const table of tables) of += await source.count(table);
  const count = (phase: MoveProgress["phase"]) => {
    let rows = 0;
    report({ phase, rows, of });
    return (more: number) => {
      if (signal.aborted) throw new Cancelled("The move was stopped. The target is unchanged");
      rows += more;
      report({ phase, rows, of });
    };
  };
  const copied = count("copy");
  const sums: MovedTable[] = [];
  for (const table of tables) sums.push(await copy(source, target, { table, copied }));
  await target.settle();
  const compared = count("compare");
  for (const [i, table] of tables.entries()) {
    const found = await sumOf(target, table, compared);
    refuseDifferent(target, sums[i], found);
  }
  return sums;
}

/** Copies a table. Returns what was read. */
async function copy(
  source: Frozen,
  target: Target,
  { table, copied }: { table: Shape; copied(rows: number): void },
): Promise<MovedTable> {
  const adder = createAdder(table);
  for await (const rows of source.pages(table)) {
    adder.add(rows);
    await target.add(table, rows);
    copied(rows.length);
  }
  return { name: table.name, ...adder.end() };
}

/** What the rows of a table add up to. */
export async function sumOf(
  database: Pick<Frozen, "pages">,
  table: Shape,
  seen: (rows: number) => void = () => {},
): Promise<Sum> {
  const adder = createAdder(table);
  for await (const rows of database.pages(table)) {
    adder.add(rows);
    seen(rows.length);
  }
  return adder.end();
}

function refuseDifferent(target: Target, wanted: MovedTable | undefined, found: Sum): void {
  if (found.rows === wanted?.rows && found.sha256 === wanted.sha256) return;
  throw new ConfigError(
    `Cannot move the table ${JSON.stringify(wanted?.name)} to ${JSON.stringify(target.shown)}: ` +
      `the source has ${wanted?.rows} rows with the digest ${wanted?.sha256}, the copy has ` +
      `${found.rows} with ${found.sha256}`,
    { hint: "Nothing was changed there. Check the source with: cli service check" },
  );
}

/** Refuses to move a database onto itself. */
async function refuseSame(from: DatabasePlace, to: DatabasePlace): Promise<void> {
  const [one, other] = [await nameOf(from), await nameOf(to)];
  if (one !== other) return;
  throw new ConfigError(`Cannot move the data: ${JSON.stringify(one)} is both source and target`, {
    hint: "Pass another place with --to",
  });
}

/** A place by a name that does not depend on how it was written. */
async function nameOf(place: DatabasePlace): Promise<string> {
  if ("address" in place) {
    const { readAddress } = await import("../postgres/address.ts");
    const { host, port, database } = readAddress(place.address);
    return `postgres://${host.toLowerCase()}:${port}/${database}`;
  }
  try {
    return realpathSync(place.file);
  } catch {
    // What does not exist yet is no other place's.
    return place.file;
  }
}
