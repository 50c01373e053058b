/**
 * The payments for a subscription.
 *
 * @module
 */

import { type RawBuilder, sql } from "kysely";
import { z } from "zod";
import type { SubscriptionTransaction, TransactionsQuery } from "../../resources/subscriptions.ts";
import { showAmount } from "../domain/money.ts";
import { refund } from "../domain/refunds.ts";
import { findSubscription, findTransaction, type ProjectCall } from "../records/find.ts";
import { recordSteps } from "../ledger/journal.ts";
import { type Listing, listPage } from "../records/lists.ts";
import { checkRefundable } from "../ledger/refund_rules.ts";
import { route } from "../contract/route.ts";
import { component, millis, pageOf, pageQuery } from "../contract/schemas.ts";
import type { Row } from "../store/tables.ts";
import { amountSchema } from "../contract/money_fields.ts";

const transactionSchema: z.ZodType<SubscriptionTransaction> = component(
  "SubscriptionTransaction",
  z.object({
    object: z.literal("subscription_transaction"),
    id: z.string(),
    purchased_at: millis,
    product_store_identifier: z.string(),
    expiration_date: millis.nullable(),
    effective_expiration_date: millis.nullable(),
    revenue_in_local_currency: amountSchema,
    revenue_in_usd: amountSchema,
    status: z.enum(["completed", "refunded", "pending", "failed"]),
    refunded_at: millis.nullable(),
  }),
);

const listSubscriptionTransactions = route({
  name: "listSubscriptionTransactions",
  summary: "Lists the payments for a subscription.",
  method: "GET",
  path: "/subscriptions/{id}/transactions",
  scope: "customer_information:subscriptions:read",
  query: pageQuery.extend({
    sort: z.enum(["id", "purchased_at"]).default("id"),
    direction: z.enum(["asc", "desc"]).default("asc"),
  }),
  response: pageOf(transactionSchema),
}, async (call) => {
  const { id } = await findSubscription(call, call.params.id);
  return await listPage(call, transactionListing(call, id, call.query));
});

const refundTransaction = route({
  name: "refundTransaction",
  summary: "Refunds one payment through the store. The subscription and its access continue.",
  method: "POST",
  path: "/subscriptions/{subscription_id}/transactions/{transaction_id}/actions/refund",
  scope: "customer_information:subscriptions:read_write",
  response: transactionSchema,
  audit: (call) => ({
    action_type: "transaction_refunded",
    target_type: "subscription_transaction",
    target_identifier: call.params.transaction_id,
  }),
}, async (call) => {
  const { subscription_id, transaction_id } = call.params;
  const owner = await findSubscription(call, subscription_id);
  const transaction = await findTransaction(call, owner.id, transaction_id);
  const step = refund(owner, call.now, transaction, false);
  checkRefundable(call, { ...owner, ...transaction });
  await recordSteps(call, [step]);
  return showTransaction(await findTransaction(call, owner.id, transaction_id));
});

/** The routes of payments for subscriptions. */
export const transactionRoutes = [listSubscriptionTransactions, refundTransaction];

/** A payment in the API. */
function showTransaction(row: Row<"transactions">): SubscriptionTransaction {
  return {
    object: "subscription_transaction",
    id: row.id,
    purchased_at: row.purchased_at,
    product_store_identifier: row.product_store_identifier,
    expiration_date: row.expires_at,
    effective_expiration_date: row.effective_expires_at,
    revenue_in_local_currency: showAmount(row.currency, {
      gross: row.gross_micros,
      commission: row.commission_micros,
      tax: row.tax_micros,
    }),
    revenue_in_usd: showAmount("USD", {
      gross: row.gross_usd_micros,
      commission: row.commission_usd_micros,
      tax: row.tax_usd_micros,
    }),
    status: row.status,
    refunded_at: row.refunded_at,
  };
}

type Transaction = Row<"transactions">;

/** Lists the payments for a subscription by id, or by time and then id. */
function transactionListing(
  { tx }: ProjectCall,
  subscriptionId: string,
  { sort, direction }: Pick<TransactionsQuery, "sort" | "direction">,
): Listing<Transaction, Transaction, SubscriptionTransaction> {
  const key = sort === "purchased_at" ? sql`(purchased_at, id)` : sql`(id)`;
  const keyOf = (row: Transaction): RawBuilder<unknown> =>
    sort === "purchased_at" ? sql`(${row.purchased_at}, ${row.id})` : sql`(${row.id})`;
  const [beyond, way] = direction === "desc" ? [sql`<`, sql`desc`] : [sql`>`, sql`asc`];
  const order = sort === "purchased_at" ? sql`purchased_at ${way}, id ${way}` : sql`id ${way}`;
  const own = sql`${
    tx.rows("transactions")
  } as transactions where subscription_id = ${subscriptionId}`;
  return {
    async positionOf(id) {
      const { rows } = await sql<Transaction>`
        select * from ${own} and id = ${id}`.execute(tx);
      return rows[0];
    },
    async rowsAfter(position, count) {
      const after = position ? sql`${key} ${beyond} ${keyOf(position)}` : sql`1 = 1`;
      const { rows } = await sql<Transaction>`
        select * from ${own} and ${after}
        order by ${order} limit ${count}`.execute(tx);
      return rows;
    },
    idOf: (row) => row.id,
    show: showTransaction,
  };
}
