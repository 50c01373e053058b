/**
 * Customers' balances of virtual currencies, and their transactions.
 *
 * @module
 */

import { unprocessable } from "../contract/errors.ts";
import type { Call } from "../contract/route.ts";
import { nextSeq } from "../store/mod.ts";
import type { Row } from "../store/tables.ts";
import type { ProjectCall } from "./find.ts";

/** The highest balance. */
export const LARGEST_BALANCE = 2_000_000_000;

/** A change of one customer's balance in one currency. */
export interface CurrencyChange {
  /** The customer. */
  customer_id: string;
  /** The currency's code. */
  currency_id: string;
  /** The amount; negative to subtract. */
  amount: number;
}

/** The other fields of a transaction's rows. */
export type CurrencyTransaction = Pick<
  Row<"currency_entries">,
  "transaction_id" | "source" | "product_id" | "reference" | "created_at"
>;

/** A customer's balance in a currency. */
async function readBalance(
  { tx }: ProjectCall,
  { customer_id, currency_id }: Pick<CurrencyChange, "customer_id" | "currency_id">,
): Promise<number> {
  const row = await tx.selectFrom("currency_balances").select("balance")
    .where("customer_id", "=", customer_id)
    .where("currency_id", "=", currency_id).executeTakeFirst();
  return row?.balance ?? 0;
}

/**
 * Changes a balance, and records the transaction if there is one.
 *
 * @throws {Refusal} 422 when the balance would be negative or too high.
 */
export async function changeBalance(
  call: Pick<Call, "tx" | "project">,
  change: CurrencyChange,
  transaction?: CurrencyTransaction,
): Promise<void> {
  const { currency_id, amount } = change;
  const balance = await readBalance(call, change);
  const after = balance + amount;
  if (after < 0) {
    const message = `The customer has ${balance} ${currency_id}, less than ${-amount}`;
    throw unprocessable(message, { param: "adjustments" });
  }
  if (after > LARGEST_BALANCE) {
    const message = `A balance must be at most ${LARGEST_BALANCE}; the customer has ${balance} ` +
      currency_id;
    throw unprocessable(message, { param: "adjustments" });
  }
  await write(call, change, after);
  if (transaction && amount !== 0) await record(call, change, transaction);
}

/**
 * Changes a balance within its limits: a refund subtracts at most the balance, and a purchase adds
 * up to the highest balance. The actual change is recorded.
 *
 * Gap: the effect of a refund after the currency was spent is not published.
 */
export async function changeAsFarAsPossible(
  call: Pick<Call, "tx" | "project">,
  change: CurrencyChange,
  transaction: CurrencyTransaction,
): Promise<void> {
  const balance = await readBalance(call, change);
  const after = Math.min(Math.max(balance + change.amount, 0), LARGEST_BALANCE);
  if (after === balance) return;
  await write(call, change, after);
  await record(call, { ...change, amount: after - balance }, transaction);
}

/** Moves one customer's balances and transactions to another one. */
export async function joinBalances(
  call: Pick<Call, "tx" | "project">,
  { from, to }: { from: string; to: string },
): Promise<void> {
  const { tx } = call;
  const rows = await tx.selectFrom("currency_balances").selectAll()
    .where("customer_id", "=", from).execute();
  for (const { currency_id, balance } of rows) {
    const change = { customer_id: to, currency_id, amount: balance };
    const after = Math.min(await readBalance(call, change) + balance, LARGEST_BALANCE);
    await write(call, change, after);
  }
  await tx.updateTable("currency_entries").set({ customer_id: to })
    .where("customer_id", "=", from).execute();
}

async function write(
  { tx }: ProjectCall,
  { customer_id, currency_id }: CurrencyChange,
  balance: number,
): Promise<void> {
  await tx.insertInto("currency_balances")
    .values({ customer_id, currency_id, balance })
    .onConflict((conflict) =>
      conflict.columns(["project_id", "customer_id", "currency_id"]).doUpdateSet({ balance })
    ).execute();
}

async function record(
  { tx }: ProjectCall,
  change: CurrencyChange,
  transaction: CurrencyTransaction,
): Promise<void> {
  const seq = await nextSeq(tx);
  const row = { seq, ...transaction, ...change };
  await tx.insertInto("currency_entries").values(row).execute();
}
