/**
 * What a customer has of virtual currencies. The specification has no such operations, and one of
 * their addresses must answer 404; so only the public dialect serves them.
 *
 * @module
 */

import { randomBytes } from "node:crypto";
import { z } from "zod";
import type { Page } from "../../page.ts";
import { type AuditEntry, type Call, route } from "../contract/route.ts";
import { component, pageOf, pageQuery } from "../contract/schemas.ts";
import { changeBalance, type CurrencyTransaction, LARGEST_BALANCE } from "../records/balances.ts";
import { findCustomer, findVirtualCurrency, type Place } from "../records/find.ts";
import { type Listing, listPage, nestedPage } from "../records/lists.ts";
import type { Row } from "../store/tables.ts";
import { text, wholeNumber } from "../contract/fields.ts";

/** What a customer has of one currency. */
interface Balance {
  /** Always `virtual_currency_balance`. */
  object: "virtual_currency_balance";
  /** The currency's code. */
  currency_code: string;
  /** How much. */
  balance: number;
  /** What the currency is for, or null. */
  description: string | null;
  /** The currency's name. */
  name: string;
}

const balanceSchema: z.ZodType<Balance> = component(
  "VirtualCurrencyBalance",
  z.object({
    object: z.literal("virtual_currency_balance"),
    currency_code: z.string(),
    balance: z.int().min(0).max(LARGEST_BALANCE),
    description: z.string().nullable(),
    name: z.string(),
  }),
);

/** The body of both changes: what is added to each currency, or taken. */
export const adjustments = z.strictObject({
  adjustments: z.record(z.string(), wholeNumber(-LARGEST_BALANCE, LARGEST_BALANCE))
    .refine((all) => Object.keys(all).length > 0, "must name a currency"),
  reference: text(255).nullable().exactOptional(),
});

/** What a body of that kind holds. */
export type Adjustments = z.infer<typeof adjustments>;

const READ = "customer_information:customers:read";
const WRITE = "customer_information:customers:read_write";

const listCustomerBalances = route({
  name: "listCustomerBalances",
  summary: "Lists what a customer has of virtual currencies; of which it has none, when asked to.",
  method: "GET",
  path: "/customers/{id}/virtual_currencies",
  scope: READ,
  query: pageQuery.extend({ include_empty_balances: z.enum(["true", "false"]).default("false") }),
  response: pageOf(balanceSchema),
}, async (call) => {
  const { id } = await findCustomer(call, call.params.id);
  const all = call.query.include_empty_balances === "true";
  return await listPage(call, balanceListing(call, id, all));
});

const createBalanceTransaction = route({
  name: "createBalanceTransaction",
  summary: "Adds to a customer's virtual currencies or takes from them, and keeps a record of it.",
  method: "POST",
  path: "/customers/{id}/virtual_currencies/transactions",
  scope: WRITE,
  body: adjustments,
  response: pageOf(balanceSchema),
  audit,
}, (call) => adjust(call, call.params.id, true));

const updateBalance = route({
  name: "updateBalance",
  summary: "Adds to a customer's virtual currencies or takes from them, without a record of it.",
  method: "POST",
  path: "/customers/{id}/virtual_currencies/update_balance",
  scope: WRITE,
  body: adjustments,
  response: pageOf(balanceSchema),
  audit,
}, (call) => adjust(call, call.params.id, false));

/** The routes of balances, which only the public dialect has. */
export const balanceRoutes = [listCustomerBalances, createBalanceTransaction, updateBalance];

/** The audit entry of a change. */
function audit(call: Pick<Call<"id">, "params">): AuditEntry {
  const target_identifier = call.params.id;
  return { action_type: "customer_balance_changed", target_type: "customer", target_identifier };
}

/** Changes balances, all of them or none. Answers with what the customer has then. */
export async function adjust(
  call: Pick<Call, "tx" | "project" | "now"> & { body(): Adjustments },
  alias: string,
  recorded: boolean,
): Promise<Page<Balance>> {
  const { id: customer_id } = await findCustomer(call, alias);
  const { adjustments, reference = null } = call.body();
  const transaction: CurrencyTransaction = {
    transaction_id: `vatx${randomBytes(8).toString("hex")}`,
    source: "admin_api",
    product_id: null,
    reference,
    created_at: call.now,
  };
  for (const [code, amount] of Object.entries(adjustments)) {
    const { id } = await findVirtualCurrency(call, code, "adjustments");
    const change = { customer_id, currency_id: id, amount };
    await changeBalance(call, change, recorded ? transaction : undefined);
  }
  const path = `/v2/projects/${call.project.id}/customers/${encodeURIComponent(customer_id)}` +
    "/virtual_currencies";
  return await nestedPage(balanceListing(call, customer_id, false), path);
}

/** A currency of the project, and what a customer has of it. */
type BalanceRow = Row<"virtual_currencies"> & { balance: number | null };

/** Balances in the order of the project's currencies. */
function balanceListing(
  { tx }: Place,
  customerId: string,
  all: boolean,
): Listing<BalanceRow, number, Balance> {
  const held = tx.selectFrom("currency_balances").select(["currency_id", "balance"])
    .where("customer_id", "=", customerId).as("held");
  const rows = tx.selectFrom("virtual_currencies")
    .leftJoin(held, "held.currency_id", "virtual_currencies.id")
    .selectAll("virtual_currencies").select("held.balance")
    .$if(!all, (query) => query.where("held.balance", ">", 0));
  return {
    positionOf: async (code) =>
      (await tx.selectFrom("virtual_currencies").select("seq")
        .where("id", "=", code).executeTakeFirst())?.seq,
    rowsAfter: (seq, count) =>
      rows.where("virtual_currencies.seq", ">", seq ?? -1).orderBy("virtual_currencies.seq")
        .limit(count).execute(),
    idOf: (row) => row.id,
    show: ({ id, balance, description, name }) => ({
      object: "virtual_currency_balance",
      currency_code: id,
      balance: balance ?? 0,
      description,
      name,
    }),
  };
}
