/**
 * Deeds on subscriptions and purchases, and the names that these have in a file.
 *
 * @module
 */

import type { Json } from "../values/tree.ts";
import { type Deed, purchaseIn, type Reel, subscriptionIn } from "./reel.ts";

/**
 * A deed on a subscription or purchase. Its id in the history stands where its name will: names are
 * filled in when the deed is done.
 */
export function on(
  subject: string,
  deed: string,
  more: Readonly<Record<string, Json>> = {},
  field = "subscription",
): Deed {
  return { deed, values: { [field]: subject, ...more } };
}

/** Names what no step made, such as a subscription that took the place of another one. */
export function findOf(reel: Reel, subject: string): Deed[] | undefined {
  const bought = subscriptionIn(reel, subject) ?? purchaseIn(reel, subject);
  const product = reel.sold.names.get(bought?.product_id ?? "");
  if (!bought || product === undefined) return undefined;
  return [{ deed: "find", values: { customer: ownerNow(reel, subject), product }, makes: subject }];
}

/** The customer who has a subscription at this moment of the history. */
export function ownerNow({ facts, next, history }: Reel, subject: string): string {
  const told = facts.slice(0, next + 1).findLast((fact) =>
    fact.kind === "event" && fact.event.subject === subject
  );
  const known = told?.kind === "event" ? told.event.fields.original_app_user_id : undefined;
  const bought = history.subscriptions.find(({ id }) => id === subject);
  return typeof known === "string" ? known : bought?.customer_id ?? "";
}
