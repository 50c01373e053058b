/**
 * A database in a file as of one moment. The service may go on writing to it.
 *
 * @module
 */

import { statSync } from "node:fs";
import { ConfigError } from "../../../errors.ts";
import { checkBackup, readNote } from "../backup.ts";
import { type FilePlace, type Frozen, noDatabase, PAGE } from "../frozen.ts";
import { refuseLinks } from "../links.ts";
import { readAddress } from "../lock.ts";
import { migrations } from "../migrations/mod.ts";
import type { MovedRow } from "../move/digest.ts";
import { listOf, schemaAfter, type Shape } from "../move/tables.ts";
import { connect, type Connection } from "./connection.ts";
import { stepsDone } from "./migrate.ts";
import { checkFile, checkSchema } from "./soundness.ts";
import { unusableDatabase } from "./unusable.ts";

/**
 * Opens a database in a file to read all of it as of this moment. A file of a backup is one as well.
 *
 * @throws {ConfigError} when there is none, or its schema is newer than this version.
 */
export async function freezeSqlite({ file, folder }: FilePlace): Promise<Frozen> {
  refuseLinks(file);
  if (statSync(file, { throwIfNoEntry: false })?.isFile() !== true) throw noDatabase(file);
  if (await readNote(file) !== undefined) await checkBackup(file);
  else checkFile(file);
  const isInUse = folder !== undefined && (await readAddress(folder)).held;
  const { connection, steps } = open(file);
  const named = (error: unknown) => unusableDatabase(file, error);
  const guarded = async <T>(look: () => T): Promise<T> => {
    try {
      return await look();
    } catch (error) {
      throw named(error);
    }
  };
  return {
    shown: folder ?? file,
    steps,
    isInUse,
    runner: connection,
    count: ({ name }) =>
      guarded(() => Number(connection.rows(`SELECT count(*) AS n FROM "${name}"`)[0]?.n)),
    pages: (table) => pagesOf(connection, table, named),
    inspect: () => guarded(() => inspect(connection, steps)),
    close: () => Promise.resolve(connection.close()),
  };
}

function open(file: string): { connection: Connection; steps: number } {
  try {
    // To open it for reading only would leave a log behind, where nobody else has it open.
    const connection = connect(file);
    try {
      connection.rows("PRAGMA query_only = ON");
      connection.run("BEGIN");
      const steps = stepsDone(connection, migrations, file);
      if (steps === 0) throw noDatabase(file);
      checkSchema(connection, schemaAfter(migrations.slice(0, steps)).statements, file);
      return { connection, steps };
    } catch (error) {
      connection.close();
      throw error;
    }
  } catch (error) {
    throw unusableDatabase(file, error);
  }
}

/**
 * All rows of a table in the order of its key, some at a time. Damage may show only here, so `named`
 * makes an error that names the database.
 */
export async function* pagesOf(
  connection: Connection,
  table: Shape,
  named: (error: unknown) => unknown,
): AsyncGenerator<readonly MovedRow[]> {
  try {
    yield* allPages(connection, table);
  } catch (error) {
    throw named(error);
  }
}

async function* allPages(
  connection: Connection,
  table: Shape,
): AsyncGenerator<readonly MovedRow[]> {
  refuseCutTexts(connection, table);
  const { name, columns, key } = table;
  const select = `SELECT ${listOf(columns.map((column) => column.name))} FROM "${name}"`;
  const order = `ORDER BY ${listOf(key)} LIMIT ${PAGE}`;
  const behind = `WHERE (${listOf(key)}) > (${key.map(() => "?").join(", ")})`;
  let rows = connection.rows(`${select} ${order}`);
  while (rows.length > 0) {
    yield rows;
    const last = rows.at(-1) ?? {};
    const from = key.map((column) => valueOf(last[column]));
    // Others may do something between two pages.
    await new Promise((resolve) => setImmediate(resolve));
    rows = rows.length < PAGE ? [] : connection.rows(`${select} ${behind} ${order}`, ...from);
  }
}

/** Damage of the file, and texts that the driver cuts. */
function inspect(connection: Connection, steps: number): MovedRow[] {
  const found = connection.rows("PRAGMA integrity_check(10)");
  const damage = found.filter((row) => row.integrity_check !== "ok")
    .map((row) => ({ problem: String(row.integrity_check) }));
  if (damage.length > 0) return damage;
  return schemaAfter(migrations.slice(0, steps)).tables.flatMap((table) => {
    const row = cutText(connection, table);
    return row ? [{ problem: "a text contains U+0000", table: table.name, ...row }] : [];
  });
}

/** The key of a row with U+0000 in a text: the driver reads no further, and PostgreSQL has none. */
function cutText(connection: Connection, { name, columns, key }: Shape): MovedRow | undefined {
  const texts = columns.filter(({ type }) => type === "TEXT").map((column) => column.name);
  const cut = texts.map((column) => `instr("${column}", char(0)) > 0`);
  const [row] = connection.rows(
    `SELECT ${listOf(key)} FROM "${name}" WHERE ${cut.join(" OR ") || "0"} LIMIT 1`,
  );
  return row;
}

function refuseCutTexts(connection: Connection, table: Shape): void {
  const row = cutText(connection, table);
  if (!row) return;
  throw new ConfigError(
    `Cannot read the table ${JSON.stringify(table.name)}: a text in the row ` +
      `${JSON.stringify(Object.values(row))} contains U+0000`,
    { hint: "Replace that text with: sqlite3 service.db, while no service runs." },
  );
}

/** A value that was read, as a parameter. */
export function valueOf(value: unknown): string | number | null {
  return typeof value === "string" || typeof value === "number" ? value : null;
}
