/**
 * Eligibility for free trials: stores give each customer one.
 *
 * @module
 */

import type { Sale } from "../domain/purchase.ts";
import { oneGroupPerApp } from "../domain/stores.ts";
import { Refusal } from "../contract/errors.ts";
import type { ProjectCall } from "../records/find.ts";

/**
 * Refuses a free trial of a product that the customer has had before. If an app's subscriptions are
 * one group, also refuses one beside a paid subscription of that app.
 */
export async function checkTrial(place: ProjectCall, sale: Sale, productId: string): Promise<void> {
  const had = await formerTrial(place, sale, productId);
  if (!had) return;
  throw new Refusal(422, "parameter_error", `'trial' is not allowed here: ${had.why}`, {
    param: "trial",
    referenced_object_ids: [had.id],
  });
}

/** The facts that decide about a trial: the customer, the product and its app. */
type Buyer = Pick<Sale, "customer_id" | "app_id" | "environment" | "store">;

/** The subscription that rules out a free trial of a product, and the reason. */
export async function formerTrial(
  { tx }: ProjectCall,
  sale: Buyer,
  productId: string,
): Promise<{ id: string; why: string } | undefined> {
  const rows = await tx.selectFrom("subscriptions")
    .select(["id", "product_id", "status", "paid_since"])
    .where("customer_id", "=", sale.customer_id)
    .where("app_id", "=", sale.app_id).where("environment", "=", sale.environment)
    .where("ownership", "=", "purchased").where("period_type", "!=", "promotional")
    .orderBy("seq").execute();
  const before = rows.find(({ product_id }) => product_id === productId);
  const beside = oneGroupPerApp(sale.store)
    ? rows.find(({ status, paid_since }) => status !== "expired" && paid_since !== null)
    : undefined;
  const found = before ?? beside;
  if (!found) return undefined;
  const why = before
    ? `the customer already had the product, with ${found.id}`
    : `the customer pays for ${found.id}, in the same subscription group`;
  return { id: found.id, why };
}
