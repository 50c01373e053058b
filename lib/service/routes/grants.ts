/**
 * Promotional grants: entitlements of a customer without a purchase.
 *
 * @module
 */

import { z } from "zod";
import type { EntitlementGrant, GrantedEntitlement } from "../../resources/customers.ts";
import { grant, regrant, revoke } from "../domain/grants.ts";
import { Refusal, unprocessable } from "../contract/errors.ts";
import { findCustomer, findEntitlement, type ProjectCall } from "../records/find.ts";
import { newId } from "../records/ids.ts";
import { recordSteps } from "../ledger/journal.ts";
import { type Call, route } from "../contract/route.ts";
import type { Row } from "../store/tables.ts";
import { customerSchema, showCustomerWithAccess } from "../records/customers.ts";
import { objectId, wholeNumber } from "../contract/fields.ts";

const entitlementGrant: z.ZodType<EntitlementGrant> = z.strictObject({
  entitlement_id: objectId,
  // Gap: the end of the year 9999, the last date that every program can show.
  expires_at: wholeNumber(0, Date.UTC(10_000, 0, 1) - 1),
});

const grantEntitlement = route({
  name: "grantEntitlement",
  summary: "Grants a customer an entitlement until a date. A new grant replaces the earlier one.",
  method: "POST",
  path: "/customers/{id}/actions/grant_entitlement",
  scope: "customer_information:customers:read_write",
  body: entitlementGrant,
  response: customerSchema,
  status: 201,
  audit: "customer_entitlement_granted",
}, async (call) => {
  const customer = await findCustomer(call, call.params.id);
  const { entitlement_id, expires_at } = call.body();
  const entitlement = await findEntitlement(call, entitlement_id, "entitlement_id");
  if (expires_at <= call.now) {
    const message = "'expires_at' must be a date in the future";
    throw new Refusal(422, "parameter_error", message, { param: "expires_at" });
  }
  // Gap: customers keep an archived entitlement, but it cannot be granted.
  if (entitlement.state === "inactive") {
    throw unprocessable("An archived entitlement cannot be granted; unarchive it first");
  }
  await grantUntil(call, customer.id, entitlement.id, expires_at);
  return await showCustomerWithAccess(call, customer);
});

const grantedEntitlement: z.ZodType<GrantedEntitlement> = z.strictObject({
  entitlement_id: objectId,
});

const revokeGrantedEntitlement = route({
  name: "revokeGrantedEntitlement",
  summary: "Ends the grant of an entitlement immediately. Access through a purchase stays.",
  method: "POST",
  path: "/customers/{id}/actions/revoke_granted_entitlement",
  scope: "customer_information:customers:read_write",
  body: grantedEntitlement,
  response: customerSchema,
  audit: "customer_entitlement_revoked",
}, async (call) => {
  const customer = await findCustomer(call, call.params.id);
  const { entitlement_id } = call.body();
  const { id } = await findEntitlement(call, entitlement_id, "entitlement_id");
  const live = await findGrant(call, customer.id, id);
  // Gap: the answer without a grant is not published. Nothing changes then.
  if (live) await recordSteps(call, [revoke(live, call.now)]);
  return await showCustomerWithAccess(call, customer);
});

/** The routes of promotional grants. */
export const grantRoutes = [grantEntitlement, revokeGrantedEntitlement];

/** Grants an entitlement, or changes the end of the existing grant. */
async function grantUntil(
  call: Pick<Call, "tx" | "project" | "now">,
  customer_id: string,
  entitlement_id: string,
  expires_at: number,
): Promise<void> {
  const { project, now } = call;
  const live = await findGrant(call, customer_id, entitlement_id);
  const id = newId("subscription");
  const given = { project_id: project.id, id, customer_id, entitlement_id, expires_at };
  const step = live ? regrant(live, now, expires_at) : grant(given, now);
  if (step) await recordSteps(call, [step]);
}

/** A customer's active grant of an entitlement. */
async function findGrant(
  { tx }: ProjectCall,
  customerId: string,
  entitlementId: string,
): Promise<Row<"subscriptions"> | undefined> {
  return await tx.selectFrom("subscriptions").selectAll()
    .where("customer_id", "=", customerId)
    .where("entitlement_id", "=", entitlementId).where("status", "!=", "expired")
    .executeTakeFirst();
}
