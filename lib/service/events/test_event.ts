/**
 * The event that tells nothing but that events arrive.
 *
 * @module
 */

import { delivery } from "../domain/events.ts";
import type { Place } from "../records/find.ts";
import { newUuid } from "../records/random.ts";
import { nextSeq } from "../store/mod.ts";
import type { Row } from "../store/tables.ts";

/**
 * Writes a test event, its fields filled with what stands for something real. It counts as one of
 * the given app, and names the project's first app where that is none.
 */
export async function writeTestEvent(
  { tx, now }: Place & { now: number },
  app_id: string | null,
): Promise<Row<"events">> {
  const first = await tx.selectFrom("apps").select("id").orderBy("seq").limit(1).executeTakeFirst();
  const event = {
    ...testEvent(now, app_id ?? first?.id),
    seq: await nextSeq(tx),
    app_id,
  };
  return await tx.insertInto("events").values(event).returningAll().executeTakeFirstOrThrow();
}

function testEvent(
  now: number,
  app_id: string | undefined,
): Omit<Row<"events">, "project_id" | "seq" | "app_id"> {
  const id = newUuid();
  const customer = newUuid();
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
    ...app_id === undefined ? {} : { app_id },
    experiments: [],
    renewal_number: null,
    metadata: null,
  });
  return {
    id,
    created_at: now,
    type: "TEST",
    // A customer of its own, so that it waits for nobody.
    customer_id: customer,
    environment: "sandbox",
    payload,
  };
}
