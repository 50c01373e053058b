/**
 * The steps of the schema that a database has seen.
 *
 * @module
 */

import { fixed } from "./fixed.ts";
import { migrations } from "./migrations/mod.ts";
import { plainly } from "./work.ts";

/** How many steps this version has, and how many the database has seen. */
export const schemaSteps = plainly(async (tx): Promise<{ known: number; done: number }> => {
  const { rows } = await fixed<{ done: number }>`
    select count(*) as done from schema_migrations`.execute(tx);
  return { known: migrations.length, done: rows[0]?.done ?? 0 };
});
