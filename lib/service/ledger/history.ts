/**
 * New rows that nothing changes any more. A database that works beside this program can begin to write
 * them while more are worked out.
 *
 * @module
 */

import { type ProjectTx, writeRows } from "../store/mod.ts";
import type { Row } from "../store/tables.ts";
import { spellEvents } from "./dialect.ts";

/** New rows that nothing changes any more. */
export interface History {
  /** Payments. */
  transactions: Row<"transactions">[];
  /** Invoices. */
  invoices: Row<"invoices">[];
  /** Rows of the ledger. */
  movements: Row<"movements">[];
  /** Events. */
  events: Row<"events">[];
}

/** So many events are worth a message of their own. */
export const MANY_EVENTS = 128;

/** No rows. */
export function emptyHistory(): History {
  return { transactions: [], invoices: [], movements: [], events: [] };
}

/**
 * Sends rows in their order, and resolves when all of them have left this program. Returns what is to
 * be awaited for the outcome.
 */
export async function sendHistory(tx: ProjectTx, rows: History): Promise<Promise<void>[]> {
  const events = await spellEvents(tx.whole, rows.events);
  const first = writeRows(tx, "transactions", rows.transactions);
  const others = [
    writeRows(tx, "invoices", rows.invoices),
    writeRows(tx, "movements", rows.movements),
    writeRows(tx, "events", events),
  ];
  // Whoever awaits the outcome hears of a failure.
  for (const other of others) other.catch(() => {});
  await first;
  return others;
}
