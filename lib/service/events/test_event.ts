/**
 * The event that tells nothing but that events arrive.
 *
 * @module
 */

import { delivery } from "../domain/events.ts";
import type { Row } from "../store/tables.ts";

/** Makes the row of a test event, its fields filled with what stands for something real. */
export function testEvent(
  at: Pick<Row<"events">, "project_id" | "seq" | "created_at" | "app_id">,
): Row<"events"> {
  const id = crypto.randomUUID();
  const customer = crypto.randomUUID();
  const { created_at: now } = at;
  const payload = delivery({
    event_timestamp_ms: now,
    product_id: "test_product",
    period_type: "NORMAL",
    purchased_at_ms: now,
    expiration_at_ms: now + 7_200_000,
    environment: "SANDBOX",
    entitlement_id: null,
    entitlement_ids: null,
    presented_offering_id: null,
    transaction_id: null,
    original_transaction_id: null,
    is_family_share: null,
    country_code: "US",
    app_user_id: customer,
    aliases: [customer],
    original_app_user_id: customer,
    currency: null,
    price: null,
    price_in_purchased_currency: null,
    subscriber_attributes: {},
    store: "APP_STORE",
    takehome_percentage: null,
    tax_percentage: null,
    commission_percentage: null,
    offer_code: null,
    type: "TEST",
    id,
    ...at.app_id === null ? {} : { app_id: at.app_id },
    experiments: [],
    renewal_number: null,
    metadata: null,
  });
  // A customer of its own, so that it waits for nobody.
  return { ...at, id, type: "TEST", customer_id: customer, environment: "sandbox", payload };
}
