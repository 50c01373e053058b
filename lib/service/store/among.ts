/**
 * The condition that a column has one of many values.
 *
 * @module
 */

import type { RawBuilder, SqlBool } from "kysely";
import { loadedBuilder } from "./builder.ts";
import type { ProjectTx } from "./in_project.ts";

/**
 * Whether a column of texts has one of the values. Where an engine takes arrays, the query's text does
 * not depend on how many there are, so it is prepared once. The server joins with what comes out of an
 * array; `= any(…)` would compare each row of a small table with each value.
 */
export function among(
  tx: ProjectTx,
  column: string,
  values: readonly string[],
): RawBuilder<SqlBool> {
  const { sql } = loadedBuilder();
  const { arrays } = tx.whole;
  const name = sql.ref(column);
  return arrays && values.length > 1
    ? sql<SqlBool>`${name} in (select unnest(${arrays.value("text", values)}::text[]))`
    : sql<SqlBool>`${name} in (${sql.join(values)})`;
}
