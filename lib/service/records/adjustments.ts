/**
 * A customer's balances of virtual currencies in the API, and the requests that change them.
 *
 * @module
 */

import { z } from "zod";
import type { Page } from "../../page.ts";
import { text, wholeNumber } from "../contract/fields.ts";
import type { Call } from "../contract/route.ts";
import { component } from "../contract/schemas.ts";
import { changeBalance, type CurrencyTransaction, LARGEST_BALANCE } from "./balances.ts";
import { findCustomer, findVirtualCurrency, type ProjectCall } from "./find.ts";
import { randomDigits } from "./ids.ts";
import { type Listing, nestedPage } from "./lists.ts";
import type { Row } from "../store/tables.ts";

/** A customer's balance in one currency. */
interface Balance {
  /** Always `virtual_currency_balance`. */
  object: "virtual_currency_balance";
  /** The currency's code. */
  currency_code: string;
  /** The balance. */
  balance: number;
  /** The currency's description, or null. */
  description: string | null;
  /** The currency's name. */
  name: string;
}

/** A balance in an answer. */
export const balanceSchema: z.ZodType<Balance> = component(
  "VirtualCurrencyBalance",
  z.object({
    object: z.literal("virtual_currency_balance"),
    currency_code: z.string(),
    balance: z.int().min(0).max(LARGEST_BALANCE),
    description: z.string().nullable(),
    name: z.string(),
  }),
);

/** The body of both changes: the amount for each currency, negative to subtract. */
export const adjustments = z.strictObject({
  adjustments: z.record(z.string(), wholeNumber(-LARGEST_BALANCE, LARGEST_BALANCE))
    .refine((all) => Object.keys(all).length > 0, "must contain at least one currency"),
  reference: text(255).nullable().exactOptional(),
});

/** The content of such a body. */
type Adjustments = z.infer<typeof adjustments>;

/** Changes balances, all of them or none. Returns the new balances. */
export async function adjust(
  call: Pick<Call, "tx" | "project" | "now"> & { body(): Adjustments },
  alias: string,
  recorded: boolean,
): Promise<Page<Balance>> {
  const { id: customer_id } = await findCustomer(call, alias);
  const { adjustments, reference = null } = call.body();
  const transaction: CurrencyTransaction = {
    transaction_id: `vatx${randomDigits(16)}`,
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

/** A currency of the project, with a customer's balance. */
type BalanceRow = Row<"virtual_currencies"> & { balance: number | null };

/** Balances in the order of the project's currencies. */
export function balanceListing(
  { tx }: ProjectCall,
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
