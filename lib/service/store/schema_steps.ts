/**
 * The steps of the schema that a database has seen.
 *
 * @module
 */

import { sql } from "kysely";
import { migrations } from "./migrations/mod.ts";
import type { Tx } from "./queries.ts";

/** How many steps this version has, and how many the database has seen. */
export async function schemaSteps(tx: Tx): Promise<{ known: number; done: number }> {
  const { rows } = await sql<{ done: number }>`
    select count(*) as done from schema_migrations`.execute(tx);
  return { known: migrations.length, done: rows[0]?.done ?? 0 };
}
