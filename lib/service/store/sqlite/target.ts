/**
 * A new database in a file, which gets its name when it is whole and on the disk.
 *
 * @module
 */

import { lstatSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { syncFolder } from "../../../config/durable_file.ts";
import { ConfigError } from "../../../errors.ts";
import { fileReason, FREE_SPACE } from "../../../file_reason.ts";
import { temporaryName } from "../../../temporary_name.ts";
import { isFull } from "../failure.ts";
import type { FilePlace } from "../frozen.ts";
import { removeUnfinished } from "../leftovers.ts";
import { lockFolder } from "../lock.ts";
import { migrations } from "../migrations/mod.ts";
import type { MovedRow } from "../move/digest.ts";
import { listOf, schemaAfter, type Shape } from "../move/tables.ts";
import type { Target } from "../move/target.ts";
import { connect, type Connection } from "./connection.ts";
import { pagesOf, valueOf } from "./frozen.ts";
import { migrate } from "./migrate.ts";

/** Until the file is whole, nothing of it needs to be on the disk. */
const SETTINGS = ["journal_mode = MEMORY", "synchronous = OFF", "foreign_keys = OFF"];

/**
 * Begins a database in a file. A data folder is held meanwhile, so no service starts on it.
 *
 * @throws {ConfigError} when there is one already, a service has the folder, or it cannot be made.
 */
export async function openSqliteTarget(place: FilePlace, steps: number): Promise<Target> {
  const { folder } = place;
  const file = resolve(place.file);
  const shown = folder ?? place.file;
  const lock = folder === undefined ? undefined : await lockFolder(folder, "move");
  // If this process is killed, the next one that takes the folder removes it.
  const temporary = temporaryName(file);
  try {
    refuseExisting(file, shown);
    (await Deno.open(temporary, { write: true, createNew: true, mode: 0o600 })).close();
    const connection = begin(temporary, steps);
    return targetIn({ connection, temporary, file, shown, release: () => lock?.release() });
  } catch (error) {
    await removeUnfinished(temporary);
    await lock?.release();
    throw failed(shown, error);
  }
}

/** A database that is being filled, under another name. */
interface Begun {
  /** The connection to it. */
  connection: Connection;
  /** Its name for now. */
  temporary: string;
  /** Its name in the end. */
  file: string;
  /** Where it is, for people. */
  shown: string;
  /** Lets its folder go. */
  release(): Promise<void> | undefined;
}

function targetIn({ connection, temporary, file, shown, release }: Begun): Target {
  let open = true;
  const end = () => {
    if (open) connection.close();
    open = false;
  };
  const guarded = async <T>(action: () => Promise<T> | T): Promise<T> => {
    try {
      return await action();
    } catch (error) {
      throw failed(shown, error);
    }
  };
  return {
    shown,
    add: (table, rows) => guarded(() => insert(connection, table, rows)),
    settle: () => guarded(() => checkReferences(connection, shown)),
    pages: (table) => pagesOf(connection, table, (error) => failed(shown, error)),
    keep: () =>
      guarded(async () => {
        connection.run("COMMIT");
        end();
        using whole = await Deno.open(temporary, { read: true, write: true });
        await whole.sync();
        refuseExisting(file, shown);
        await Deno.rename(temporary, file);
        await syncFolder(dirname(file));
      }),
    async close() {
      end();
      await removeUnfinished(temporary);
      await release();
    },
  };
}

/** Makes the tables, and begins the transaction that fills them. */
function begin(file: string, steps: number): Connection {
  const connection = connect(file);
  try {
    for (const setting of SETTINGS) connection.rows(`PRAGMA ${setting}`);
    const known = migrations.slice(0, steps);
    migrate(connection, known, { file, now: 0 });
    connection.run("BEGIN");
    // Steps add rows of their own, which may have been changed since.
    for (const { name } of schemaAfter(known).tables) connection.run(`DELETE FROM "${name}"`);
    return connection;
  } catch (error) {
    connection.close();
    throw error;
  }
}

function insert(connection: Connection, table: Shape, rows: readonly MovedRow[]): void {
  const names = table.columns.map(({ name }) => name);
  const marks = names.map(() => "?").join(", ");
  const text = `INSERT INTO "${table.name}" (${listOf(names)}) VALUES (${marks})`;
  for (const row of rows) connection.rows(text, ...names.map((name) => valueOf(row[name])));
}

function checkReferences(connection: Connection, shown: string): void {
  const [odd] = connection.rows("PRAGMA foreign_key_check");
  if (!odd) return;
  throw new ConfigError(
    `Cannot move the data to ${JSON.stringify(shown)}: a row of ${JSON.stringify(odd.table)} ` +
      `refers to a row of ${JSON.stringify(odd.parent)} that does not exist`,
    { hint: "See what is wrong with the source: cli service check" },
  );
}

function refuseExisting(file: string, shown: string): void {
  for (const path of [file, `${file}-wal`]) {
    if (!lstatSync(path, { throwIfNoEntry: false })) continue;
    throw new ConfigError(
      `Cannot move data to ${JSON.stringify(shown)}: ${JSON.stringify(path)} exists`,
      { hint: "Use a new folder. To delete what is there: cli service reset --data DIR" },
    );
  }
}

function failed(shown: string, error: unknown): unknown {
  if (error instanceof ConfigError || !(error instanceof Error)) return error;
  const why = fileReason(error).replace(/^Cannot use the database: /, "");
  return new ConfigError(`Cannot move data to ${JSON.stringify(shown)}: ${why}`, {
    hint: isFull(error) ? FREE_SPACE : "Check that the folder exists and is writable.",
    cause: error,
  });
}
