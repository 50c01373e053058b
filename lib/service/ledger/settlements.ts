/**
 * Changes to earlier payments: refunds and their reversals, invoices that are paid, later ends.
 *
 * @module
 */

import type { Settlement, Transaction } from "../domain/step.ts";
import type { latestPaymentEnd } from "./journal_rows.ts";
import { type ProjectTx, updateRows } from "../store/mod.ts";
import type { Row } from "../store/tables.ts";

/** A change to an earlier payment. */
export interface Settled extends Settlement {
  /** The time of the change, in milliseconds since 1970. */
  at: number;
}

/** New ends of payments, by the id of the payment. */
export type PaymentEnds = Map<string, NonNullable<ReturnType<typeof latestPaymentEnd>>>;

/** The end of a payment. */
type PaymentEnd = Pick<Row<"transactions">, "id" | "effective_expires_at">;

/** A payment after changes that are not written yet, in the order in which they are written. */
export function afterChanges(
  payment: Transaction,
  settled: readonly Settled[],
  ends: PaymentEnds,
): Transaction {
  const own = settled.filter(({ transaction }) => transaction.id === payment.id);
  return Object.assign({ ...payment }, ...own.map(columnsOf), ends.get(payment.id));
}

/** Changes the ends of earlier payments: for some the paid end as well as the effective one. */
export async function writeEnds(tx: ProjectTx, ends: PaymentEnds): Promise<void> {
  const effective: PaymentEnd[] = [];
  const both: (PaymentEnd & Pick<Row<"transactions">, "expires_at">)[] = [];
  for (const [id, { expires_at, effective_expires_at }] of ends) {
    if (expires_at === undefined) effective.push({ id, effective_expires_at });
    else both.push({ id, effective_expires_at, expires_at });
  }
  await updateRows(tx, "transactions", effective, ["effective_expires_at"]);
  await updateRows(tx, "transactions", both, ["expires_at", "effective_expires_at"]);
}

/** Changes an earlier payment, and its open invoice. */
export async function writeSettlement(tx: ProjectTx, settled: Settled): Promise<void> {
  const { transaction, at } = settled;
  await tx.updateTable("transactions").set(columnsOf(settled)).where("id", "=", transaction.id)
    .execute();
  if (transaction.status !== "pending") return;
  await tx.updateTable("invoices").set({ paid_at: at })
    .where("subscription_id", "=", transaction.subscription_id)
    .where("paid_at", "is", null).execute();
}

/** The columns of a payment that a change sets. */
function columnsOf({ transaction, status, at, expires_at }: Settled): Partial<
  Pick<
    Transaction,
    "status" | "refunded_at" | "purchased_at" | "expires_at" | "effective_expires_at"
  >
> {
  return {
    status,
    refunded_at: status === "refunded" ? at : null,
    ...transaction.status === "pending" ? { purchased_at: at } : {},
    ...expires_at === undefined ? {} : { expires_at, effective_expires_at: expires_at },
  };
}
