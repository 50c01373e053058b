/**
 * Rows in an unusual order where a query asks for none.
 *
 * @module
 */

import { sql } from "kysely";
import type { Store } from "../../lib/service/store/mod.ts";
import { ENGINE } from "./engine.ts";

/**
 * Has SQLite return rows backwards where a query names no order, in a database in memory. PostgreSQL
 * returns them in any order anyway.
 */
export async function reverseUnordered(store: Store): Promise<void> {
  if (ENGINE !== "sqlite") return;
  const reverse = sql`PRAGMA reverse_unordered_selects = ON`;
  await store.write((tx) => reverse.execute(tx));
  await store.read((tx) => reverse.execute(tx));
}
