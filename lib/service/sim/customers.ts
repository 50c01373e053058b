/**
 * The ids of customers, as SDKs bring them together: signing in with a new id, or with an existing
 * one, joins an anonymous customer to it or switches to it.
 *
 * @module
 */

import { z } from "zod";
import { insertCustomer } from "../records/changes.ts";
import { isAnonymous } from "../domain/events.ts";
import { findCustomer, type Place } from "../records/find.ts";
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

/** What came of signing in with another id. */
interface SignedIn {
  /** Whether the two were one already, have become one, or are two. */
  outcome: "same" | "merged" | "switched";
  /** The customer that is signed in now. */
  customer: Row<"customers">;
  /** Whether nobody had the id before. */
  isNew: boolean;
}

/**
 * Signs a customer in with another id. An anonymous customer is merged with it, unless that one was
 * anonymous before; then the project's restore behavior says who gets the purchases. Everyone else
 * switches to the other customer.
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
  // Somebody who has been anonymous once is not joined with another anonymous customer.
  if ((await aliasesOf(call, known.id)).some(isAnonymous)) {
    const owner = await giveHoldings(call, { from: customer.id, to: known.id });
    const isShared = owner !== undefined && call.project.restore_behavior === "share";
    return { outcome: isShared ? "merged" : "switched", customer: known, isNew };
  }
  await mergeCustomers(call, { from: customer.id, to: known.id });
  return { outcome: "merged", customer: known, isNew };
}

/** The country of customers of whom nobody said where they are. */
export const USUAL_COUNTRY = "US";

/** Finds a customer by any of its ids, or creates one with it, as an app does that sees it first. */
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

/** Finds a customer by any of its ids, if there is one. */
export async function findKnown(
  call: Place,
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

/** Gives a customer a further id, which nobody has. */
export async function addAlias(
  { tx, now }: Doing,
  customer_id: string,
  alias: string,
): Promise<void> {
  const seq = await nextSeq(tx);
  await tx.insertInto("customer_aliases")
    .values({ alias, customer_id, seq, created_at: now }).execute();
}
