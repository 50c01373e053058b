/**
 * The ids of customers, as SDKs bring them together: signing in with a new id, or with an existing
 * one, joins an anonymous customer to it or switches to it.
 *
 * @module
 */

import { z } from "zod";
import { insertCustomer } from "../records/changes.ts";
import { isAnonymous } from "../domain/events.ts";
import { findCustomer } from "../records/find.ts";
import { mergeCustomers } from "../ledger/owners.ts";
import { showCustomerWithAccess } from "../records/customers.ts";
import { nextSeq } from "../store/mod.ts";
import type { SignedInCustomer } from "../../simulator/customers.ts";
import type { Row } from "../store/tables.ts";
import { customerId } from "./fields.ts";
import { signedInCustomer } from "./answers.ts";
import { type SimCall, simRoute } from "./route.ts";

const logIn = simRoute({
  name: "signInCustomer",
  summary:
    "Signs a customer in under another id. Merges the two customers or switches to the other.",
  method: "POST",
  path: "/customers/{id}/aliases",
  body: z.strictObject({ alias: customerId }),
  response: signedInCustomer,
}, async (call) => {
  const customer = await findCustomer(call, call.params.id);
  const { alias } = call.body();
  const known = await findKnown(call, alias);
  if (known?.id === customer.id) return await answer(call, customer, "same");
  const isNamed = (await aliasesOf(call, customer.id)).some((name) => !isAnonymous(name));
  if (isNamed) {
    return await answer(call, known ?? await insertCustomer(call, alias), "switched");
  }
  if (!known) {
    await addAlias(call, customer.id, alias);
    return await answer(call, customer, "merged");
  }
  // Somebody who has been anonymous once is not joined with another anonymous customer.
  if ((await aliasesOf(call, known.id)).some(isAnonymous)) {
    return await answer(call, known, "switched");
  }
  await mergeCustomers(call, { from: customer.id, to: known.id });
  return await answer(call, known, "merged");
});

/** The routes of customers' ids. */
export const customerRoutes = [logIn];

/** The country of customers of whom nobody said where they are. */
export const USUAL_COUNTRY = "US";

/** Finds a customer by any of its ids, or creates one with it, as an app does that sees it first. */
export async function findOrCreateCustomer(
  call: Pick<SimCall, "tx" | "project" | "now">,
  id: string,
): Promise<Row<"customers">> {
  return await findKnown(call, id) ?? await insertCustomer(call, id, {
    last_seen_app_version: null,
    last_seen_country: USUAL_COUNTRY,
    last_seen_platform: null,
  });
}

async function findKnown(
  call: Pick<SimCall, "tx" | "project">,
  alias: string,
): Promise<Row<"customers"> | undefined> {
  const { tx } = call;
  const known = await tx.selectFrom("customer_aliases").select("customer_id")
    .where("alias", "=", alias).executeTakeFirst();
  return known && await findCustomer(call, known.customer_id);
}

async function aliasesOf({ tx }: SimCall, customerId: string): Promise<string[]> {
  const rows = await tx.selectFrom("customer_aliases").select("alias")
    .where("customer_id", "=", customerId).execute();
  return rows.map((row) => row.alias);
}

async function addAlias(
  { tx, now }: SimCall,
  customer_id: string,
  alias: string,
): Promise<void> {
  const seq = await nextSeq(tx);
  await tx.insertInto("customer_aliases")
    .values({ alias, customer_id, seq, created_at: now }).execute();
}

async function answer(
  call: SimCall,
  customer: Row<"customers">,
  outcome: "same" | "merged" | "switched",
): Promise<SignedInCustomer> {
  return { outcome, customer: await showCustomerWithAccess(call, customer) };
}
