/**
 * The test event.
 *
 * @module
 */

import { delivery } from "../domain/events.ts";
import { spellEvents } from "./dialect.ts";
import type { ProjectCall } from "../records/find.ts";
import { newUuid } from "../records/random.ts";
import { nextSeq } from "../store/mod.ts";
import type { Row } from "../store/tables.ts";

/**
 * Writes a test event with placeholder values. It belongs to the given app, else to the project's
 * first app, and has the store of the app.
 */
export async function writeTestEvent(
  { tx, now }: ProjectCall & { now: number },
  app_id: string | null,
): Promise<Row<"events">> {
  const apps = tx.selectFrom("apps").select(["id", "type"]).orderBy("seq").limit(1);
  const app = await (app_id === null ? apps : apps.where("id", "=", app_id)).executeTakeFirst();
  const event = {
    ...testEvent(now, app),
    seq: await nextSeq(tx),
    app_id,
  };
  const [spelled = event] = await spellEvents(tx.whole, [event]);
  return await tx.insertInto("events").values(spelled).returningAll().executeTakeFirstOrThrow();
}

function testEvent(
  now: number,
  app: Pick<Row<"apps">, "id" | "type"> | undefined,
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
    store: (app?.type ?? "app_store").toUpperCase(),
    takehome_percentage: null,
    tax_percentage: null,
    commission_percentage: null,
    offer_code: null,
    type: "TEST",
    id,
    ...app === undefined ? {} : { app_id: app.id },
    experiments: [],
    renewal_number: null,
    metadata: null,
  });
  return {
    id,
    created_at: now,
    type: "TEST",
    // A customer of its own, so that it waits for no other event.
    customer_id: customer,
    environment: "sandbox",
    payload,
  };
}
