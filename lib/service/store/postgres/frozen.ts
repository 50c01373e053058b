/**
 * A database on a server as of one moment. Services may go on writing to it.
 *
 * @module
 */

import { ConfigError } from "../../../errors.ts";
import { type Frozen, noDatabase, PAGE } from "../frozen.ts";
import { migrations } from "../migrations/mod.ts";
import type { MovedRow } from "../move/digest.ts";
import { listOf, schemaAfter, type Shape } from "../move/tables.ts";
import { connectAlone } from "./alone.ts";
import type { Wire } from "./driver.ts";
import { hasHolders } from "./holders.ts";
import { stepsDone } from "./migrate.ts";
import { createSession } from "./session.ts";

/** A database on a server as of one moment. */
interface FrozenOnServer extends Frozen {
  /** Runs a statement that is written out, and returns its rows. */
  rows(sql: string): Promise<readonly MovedRow[]>;
}

/**
 * Opens a database on a server to read all of it as of this moment.
 *
 * @throws {ConfigError} when it cannot be used, or its schema is newer than this version.
 */
export function freezePostgres(text: string): Promise<FrozenOnServer> {
  return connectAlone(text, async ({ wire, address: { shown }, close }) => {
    const { steps, isInUse } = await begin(wire, shown);
    return {
      shown,
      steps,
      isInUse,
      runner: createSession(wire, new Map()),
      count: async ({ name }) =>
        Number((await wire.send(`select count(*) as n from "${name}"`)).rows[0]?.n),
      rows: async (sql) => (await wire.send(sql)).rows,
      pages: (table) => pagesOf(wire, table),
      // The server checks what it reads by itself.
      inspect: () => Promise.resolve([]),
      close,
    };
  });
}

/** Begins the transaction whose snapshot is the moment, and checks that it is a database of ours. */
async function begin(
  wire: Wire,
  shown: string,
): Promise<{ steps: number; isInUse: boolean }> {
  await wire.send("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
  await waitLong(wire);
  const steps = await stepsDone(wire, migrations, shown);
  if (steps === 0) throw noDatabase(shown);
  await checkColumns(wire, schemaAfter(migrations.slice(0, steps)).tables, shown);
  return { steps, isInUse: await hasHolders(wire) };
}

/** Lets the present transaction last as long as it takes, whatever the server's settings say. */
export async function waitLong(wire: Wire): Promise<void> {
  await wire.send("set local statement_timeout = 0");
  await wire.send("set local idle_in_transaction_session_timeout = 0");
}

/** Refuses tables that are not those of this version, although its steps have its names. */
async function checkColumns(wire: Wire, tables: readonly Shape[], shown: string): Promise<void> {
  const { rows } = await wire.send(
    "select table_name, column_name from information_schema.columns " +
      "where table_schema = current_schema()",
  );
  const found = new Set(rows.map((row) => `${row.table_name}.${row.column_name}`));
  const known = new Set(
    tables.flatMap(({ name, columns }) => columns.map((column) => `${name}.${column.name}`)),
  );
  const odd = [...found.symmetricDifference(known)][0];
  if (odd === undefined) return;
  throw new ConfigError(
    `Cannot open the database ${JSON.stringify(shown)}: the definition of ` +
      `${JSON.stringify(odd.split(".")[0])} differs from this version`,
    { hint: "Use the program version that wrote it, or another database." },
  );
}

/** All rows of a table in the order of its key, some at a time, in the transaction that is open. */
export async function* pagesOf(
  wire: Wire,
  { name, columns, key }: Shape,
): AsyncGenerator<readonly MovedRow[]> {
  await wire.send(
    `declare rows_to_move no scroll cursor for ` +
      `select ${listOf(columns.map((column) => column.name))} from "${name}" order by ${
        listOf(key)
      }`,
  );
  try {
    while (true) {
      const { rows } = await wire.send(`fetch ${PAGE} from rows_to_move`);
      if (rows.length > 0) yield rows;
      if (rows.length < PAGE) return;
    }
  } finally {
    // When a statement failed, the transaction has ended it already.
    await wire.send("close rows_to_move").catch(() => {});
  }
}
