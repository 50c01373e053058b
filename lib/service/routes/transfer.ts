/**
 * Transferring purchases from one customer to another.
 *
 * @module
 */

import { z } from "zod";
import type { CustomerTransfer, TransferResult } from "../../resources/customers.ts";
import { invalid } from "../contract/errors.ts";
import { findApp, findCustomer } from "../records/find.ts";
import { moveHoldings } from "../ledger/ownership.ts";
import { route } from "../contract/route.ts";
import { customerSchema, showCustomerWithAccess } from "../records/customers.ts";
import { objectId } from "../contract/fields.ts";
import { described } from "../contract/schemas.ts";

const customerTransfer: z.ZodType<CustomerTransfer> = z.strictObject({
  target_customer_id: described("Another customer than the one in the path.", z.string().min(1)),
  app_ids: z.array(objectId).min(1).nullable().exactOptional(),
});

const transferResult: z.ZodType<TransferResult> = z.object({
  source_customer: customerSchema,
  target_customer: customerSchema,
});

const transferCustomer = route({
  name: "transferCustomer",
  summary: "Transfers subscriptions and purchases, with their access, to another customer.",
  // Gap: a customer may already have spent virtual currency, so balances stay.
  description: "Balances of virtual currencies and invoices stay with the source. Later payments " +
    "of a subscription add to the target's balances.",
  method: "POST",
  path: "/customers/{id}/actions/transfer",
  scope: [
    "customer_information:customers:read_write",
    "customer_information:subscriptions:read_write",
    "customer_information:purchases:read_write",
  ],
  body: customerTransfer,
  response: transferResult,
  audit: (_call, { source_customer }) => ({
    action_type: "customer_transferred",
    target_type: "customer",
    target_identifier: source_customer.id,
  }),
}, async (call) => {
  const source = await findCustomer(call, call.params.id);
  const { target_customer_id, app_ids } = call.body();
  const target = await findCustomer(call, target_customer_id, "target_customer_id");
  if (source.id === target.id) {
    throw invalid("target_customer_id", "'target_customer_id' must be a different customer");
  }
  for (const id of app_ids ?? []) await findApp(call, id, "app_ids");
  await moveHoldings(call, { from: source.id, to: target.id, appIds: app_ids ?? undefined });
  return {
    source_customer: await showCustomerWithAccess(call, source),
    target_customer: await showCustomerWithAccess(call, target),
  };
});

/** The route of transfers. */
export const transferRoutes = [transferCustomer];
