/**
 * An empty database that keeps no rule, to see which broken rows a check finds.
 *
 * @module
 */

import { checkAll, invariants, type Verdict } from "../../lib/service/check/check.ts";
import { migrations } from "../../lib/service/store/migrations/mod.ts";
import { connect, type Connection } from "../../lib/service/store/sqlite/connection.ts";
import { migrate } from "../../lib/service/store/sqlite/migrate.ts";
import { runWork } from "../../lib/service/store/work.ts";
import type { Values } from "./violations.ts";

/** Opens an empty database in memory that keeps no rule. */
export function openLawless(): Connection {
  const connection = connect(":memory:");
  migrate(connection, migrations, { file: ":memory:", now: 0 });
  connection.rows("PRAGMA foreign_keys = OFF");
  connection.rows("PRAGMA ignore_check_constraints = ON");
  return connection;
}

/** A table with a row: what is not given has a value made up for the type of its column. */
export type NewRow = readonly [table: string, ...values: Values[]];

/** Adds a row. */
function insert(connection: Connection, [table, ...values]: NewRow): void {
  const columns = connection.rows("SELECT * FROM pragma_table_info(?)", table);
  const needed = columns.filter((column) => column.notnull === 1 && column.dflt_value === null);
  const usual = needed.map(({ name, type }) => [String(name), type === "TEXT" ? "x" : 1]);
  const row: Values = Object.assign(Object.fromEntries(usual), ...values);
  const names = Object.keys(row);
  connection.rows(
    `INSERT INTO ${table} (${names.join(", ")}) VALUES (${names.map(() => "?").join(", ")})`,
    ...Object.values(row),
  );
}

/** The verdict on an invariant after some rows were added, which are taken out again. */
export async function verdictOn(
  connection: Connection,
  name: string,
  rows: readonly NewRow[],
  { now = 0, settled = true } = {},
): Promise<Verdict> {
  const own = invariants.filter((one) => one.name === name);
  connection.run("BEGIN");
  try {
    for (const row of rows) insert(connection, row);
    const check = runWork(connection, (tx) => checkAll({ tx, now, settled }, {}, own), "read");
    const [verdict] = await check;
    if (!verdict) throw new RangeError(`There is no invariant "${name}"`);
    return verdict;
  } finally {
    connection.run("ROLLBACK");
  }
}
