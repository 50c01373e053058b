/**
 * Looks at a database before it is used. A file that was cut off would answer some requests and fail
 * others; an empty one beside a log has lost what the log belongs to.
 *
 * @module
 */

import { ConfigError } from "../../../errors.ts";
import { infoIfThere } from "../file_info.ts";
import type { Migration } from "../migrations/mod.ts";
import type { Connection } from "./connection.ts";
import { NOTES } from "./migrate.ts";
import { damaged } from "./unusable.ts";

/** How long a start may spend on checks of what the tables hold, in milliseconds. */
export const CHECK_MS = 150;

/** The bytes that a SQLite file begins with. */
const MAGIC = "SQLite format 3\0";

/** Bytes of the header that tell how large the file is. */
const HEADER = 100;

/**
 * Checks a database file before SQLite opens it, which would delete the log of an empty one. The
 * service never leaves an empty file: a new database gets its name when it is whole.
 *
 * @throws {ConfigError} when the file is empty, missing beside a log, or shorter than it says.
 */
export function checkFile(file: string): void {
  const size = sizeOf(file);
  const log = sizeOf(`${file}-wal`) ?? 0;
  if (!size && log > 0) {
    throw damaged(
      file,
      `it is ${size === undefined ? "missing" : "empty"}, and its log ` +
        `${JSON.stringify(`${file}-wal`)} exists`,
    );
  }
  if (size === undefined) return;
  if (size === 0) throw damaged(file, "it is empty");
  const expected = log === 0 ? sizeInHeader(file) : undefined;
  if (expected !== undefined && size < expected) throw cutOff(file, size, expected);
}

/**
 * Checks an open database that nobody else changes: brings its log into the file, compares the file's
 * size, then looks at one table after another until the time is up. `now` tells milliseconds.
 *
 * @throws {ConfigError} when something is wrong.
 */
export function checkContent(connection: Connection, file: string, now: () => number): void {
  const end = now() + CHECK_MS;
  const [log] = connection.rows("PRAGMA wal_checkpoint(TRUNCATE)");
  // Another program that reads may keep the log; then the file need not be complete.
  if (log?.busy === 0) {
    const [pages] = connection.rows("PRAGMA page_count");
    const [page] = connection.rows("PRAGMA page_size");
    const expected = Number(pages?.page_count) * Number(page?.page_size);
    const size = sizeOf(file) ?? 0;
    if (size < expected) throw cutOff(file, size, expected);
  }
  const tables = connection.rows(
    "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'",
  );
  for (const { name } of tables) {
    const [first] = connection.rows(`PRAGMA quick_check(${quoted(String(name))})`);
    if (first && first.quick_check !== "ok") throw damaged(file, String(first.quick_check));
    if (now() > end) return;
  }
}

/**
 * Whether a database has exactly the tables and indexes that steps write out. SQLite keeps the text of
 * each statement, so the texts are compared, which takes a tenth of the time to run the steps. If a
 * step changes what an earlier one made, the answer is no, and only `checkSchema` can tell.
 */
export function isAsWritten(connection: Connection, steps: readonly Migration[]): boolean {
  const statements = [NOTES, ...steps.flatMap(({ sql }) => sql.split(/;\s*\n/))].map(asKept)
    .filter((statement) => statement !== "" && !statement.startsWith("INSERT "));
  if (!statements.every((statement) => statement.startsWith("CREATE "))) return false;
  const found = schemaOf(connection);
  const written = new Set(statements);
  return found.length === written.size && found.every((statement) => written.has(statement));
}

/** A statement as SQLite keeps it: without the comments before it. */
function asKept(statement: string): string {
  return statement.replace(/^(?:\s*--.*\n)*\s*/, "").replace(" IF NOT EXISTS", "").trimEnd();
}

/**
 * Refuses a database whose tables are not those of this version, although its steps have its names.
 *
 * @throws {ConfigError} when they differ.
 */
export function checkSchema(connection: Connection, known: readonly string[], file: string): void {
  const found = schemaOf(connection);
  const odd = found.find((sql) => !known.includes(sql)) ??
    known.find((sql) => !found.includes(sql));
  if (odd === undefined) return;
  const [, name = "a table"] = /(?:TABLE|INDEX)\s+(?:IF NOT EXISTS\s+)?(\S+)/i.exec(odd) ?? [];
  throw new ConfigError(
    `Cannot open the database ${JSON.stringify(file)}: the definition of ${JSON.stringify(name)} ` +
      "differs from this version",
    { hint: "Use the program version that wrote it, or another data folder." },
  );
}

/** The statements that made a database's tables and indexes. */
export function schemaOf(connection: Connection): string[] {
  return connection.rows("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY name")
    .map(({ sql }) => String(sql));
}

function cutOff(file: string, size: number, expected: number): ConfigError {
  return damaged(file, `it is truncated: it has ${size} bytes and should have ${expected}`);
}

/** The size that a file's header tells, where it can be relied on. */
function sizeInHeader(file: string): number | undefined {
  using opened = Deno.openSync(file);
  const bytes = new Uint8Array(HEADER);
  if ((opened.readSync(bytes) ?? 0) < HEADER) return undefined;
  if (new TextDecoder("latin1").decode(bytes.subarray(0, MAGIC.length)) !== MAGIC) return undefined;
  const view = new DataView(bytes.buffer);
  // A writer that does not know of the size leaves it, and shows that by another number.
  if (view.getUint32(24) !== view.getUint32(92)) return undefined;
  const page = view.getUint16(16);
  return view.getUint32(28) * (page === 1 ? 65_536 : page);
}

function sizeOf(file: string): number | undefined {
  return infoIfThere(file)?.size;
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
