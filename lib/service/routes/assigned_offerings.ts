/**
 * The offering of a customer in place of the current one.
 *
 * @module
 */

import { z } from "zod";
import type { OfferingAssignment } from "../../resources/customers.ts";
import { unprocessable } from "../contract/errors.ts";
import { route } from "../contract/route.ts";
import { findCustomer, findOffering } from "../records/find.ts";
import { customerSchema, showCustomerWithAccess } from "../records/customers.ts";
import { objectId } from "../contract/fields.ts";

const offeringAssignment: z.ZodType<OfferingAssignment> = z.strictObject({
  offering_id: objectId.nullable(),
});

const assignOffering = route({
  name: "assignOffering",
  summary:
    "Assigns a customer an offering in place of the current one. Null removes the assignment.",
  method: "POST",
  path: "/customers/{id}/actions/assign_offering",
  scope: "customer_information:customers:read_write",
  body: offeringAssignment,
  response: customerSchema,
  audit: "customer_offering_assigned",
}, async (call) => {
  const { tx } = call;
  const customer = await findCustomer(call, call.params.id);
  const { offering_id: key } = call.body();
  await tx.deleteFrom("assigned_offerings")
    .where("customer_id", "=", customer.id).execute();
  if (key !== null) {
    const offering = await findOffering(call, key, "offering_id");
    if (offering.state === "inactive") {
      throw unprocessable("An archived offering cannot be assigned; unarchive it first");
    }
    const row = { customer_id: customer.id, offering_id: offering.id };
    await tx.insertInto("assigned_offerings").values(row).execute();
  }
  return await showCustomerWithAccess(call, customer);
});

/** The route of assigned offerings. */
export const assignedOfferingRoutes = [assignOffering];
