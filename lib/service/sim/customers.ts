/**
 * Sign-in and aliases of customers, as in SDKs: signing in with an id merges an anonymous customer
 * with it, or switches to it.
 *
 * @module
 */

import { z } from "zod";
import { insertCustomer } from "../records/changes.ts";
import { isAnonymous } from "../domain/events.ts";
import { findCustomer, type ProjectCall } from "../records/find.ts";
import { mergeCustomers } from "../ledger/ownership.ts";
import { giveHoldings, isAllAnonymous } from "../ledger/restore.ts";
import { showCustomerWithAccess } from "../records/customers.ts";
import { nextSeq } from "../store/mod.ts";
import type { Row } from "../store/tables.ts";
import { customerId } from "./fields.ts";
import { signedInCustomer } from "./answers.ts";
import { type Doing, simRoute } from "./route.ts";

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
  const { outcome, customer: signedIn } = await signIn(call, customer, call.body().alias);
  return { outcome, customer: await showCustomerWithAccess(call, signedIn) };
});

/** The routes of customers' ids. */
export const customerRoutes = [logIn];

/** The result of signing in with another id. */
interface SignedIn {
  /** Whether the two were one customer already, were merged, or stay two. */
  outcome: "same" | "merged" | "switched";
  /** The signed-in customer. */
  customer: Row<"customers">;
  /** Whether the id is new. */
  isNew: boolean;
}

/**
 * Signs a customer in with another id. An anonymous customer is merged with it, unless that one was
 * once anonymous; then the project's restore behavior decides about the purchases. Other customers
 * switch to the other one.
 */
export async function signIn(
  call: Doing,
  customer: Row<"customers">,
  alias: string,
): Promise<SignedIn> {
  const known = await findKnown(call, alias);
  if (known?.id === customer.id) return { outcome: "same", customer, isNew: false };
  const isNew = !known;
  if (!await isAllAnonymous(call, customer.id)) {
    return { outcome: "switched", customer: known ?? await insertCustomer(call, alias), isNew };
  }
  if (!known) {
    await addAlias(call, customer.id, alias);
    return { outcome: "merged", customer, isNew };
  }
  // A customer who was once anonymous is not merged with another anonymous one.
  if ((await aliasesOf(call, known.id)).some(isAnonymous)) {
    const owner = await giveHoldings(call, { from: customer.id, to: known.id });
    const isShared = owner !== undefined && call.project.restore_behavior === "share";
    return { outcome: isShared ? "merged" : "switched", customer: known, isNew };
  }
  await mergeCustomers(call, { from: customer.id, to: known.id });
  return { outcome: "merged", customer: known, isNew };
}

/** The country of customers without one. */
export const USUAL_COUNTRY = "US";

/** Finds a customer by any of its ids, or creates one, as on a first visit in an app. */
export async function findOrCreateCustomer(
  call: Doing,
  id: string,
): Promise<Row<"customers">> {
  return await findKnown(call, id) ?? await insertCustomer(call, id, {
    last_seen_app_version: null,
    last_seen_country: USUAL_COUNTRY,
    last_seen_platform: null,
  });
}

/** Finds a customer by any of its ids, if it exists. */
export async function findKnown(
  call: ProjectCall,
  alias: string,
): Promise<Row<"customers"> | undefined> {
  const { tx } = call;
  const known = await tx.selectFrom("customer_aliases").select("customer_id")
    .where("alias", "=", alias).executeTakeFirst();
  return known && await findCustomer(call, known.customer_id);
}

async function aliasesOf({ tx }: Doing, customerId: string): Promise<string[]> {
  const rows = await tx.selectFrom("customer_aliases").select("alias")
    .where("customer_id", "=", customerId).execute();
  return rows.map((row) => row.alias);
}

/** Adds an unused id to a customer. */
export async function addAlias(
  { tx, now }: Doing,
  customer_id: string,
  alias: string,
): Promise<void> {
  const seq = await nextSeq(tx);
  await tx.insertInto("customer_aliases")
    .values({ alias, customer_id, seq, created_at: now }).execute();
}
