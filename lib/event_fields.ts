/**
 * The fields of events.
 *
 * @module
 */

import type { KnownEvent, OtherEvent } from "./webhook_event.ts";

type FieldOf<Event> = Event extends unknown ? keyof Event : never;

/** Every field that an event of some type has. The compiler finds missing ones and others. */
export const EVENT_FIELDS: Readonly<Record<FieldOf<Exclude<KnownEvent, OtherEvent>>, true>> = {
  type: true,
  id: true,
  event_timestamp_ms: true,
  app_id: true,
  app_user_id: true,
  original_app_user_id: true,
  aliases: true,
  subscriber_attributes: true,
  experiments: true,
  environment: true,
  store: true,
  product_id: true,
  entitlement_ids: true,
  entitlement_id: true,
  period_type: true,
  purchased_at_ms: true,
  expiration_at_ms: true,
  presented_offering_id: true,
  price: true,
  currency: true,
  price_in_purchased_currency: true,
  tax_percentage: true,
  commission_percentage: true,
  takehome_percentage: true,
  transaction_id: true,
  original_transaction_id: true,
  is_family_share: true,
  country_code: true,
  offer_code: true,
  renewal_number: true,
  metadata: true,
  is_trial_conversion: true,
  cancel_reason: true,
  auto_resume_at_ms: true,
  expiration_reason: true,
  grace_period_expiration_at_ms: true,
  new_product_id: true,
  transferred_from: true,
  transferred_to: true,
  adjustments: true,
  product_display_name: true,
  purchase_environment: true,
  source: true,
  virtual_currency_transaction_id: true,
  experiment_id: true,
  experiment_variant: true,
  offering_id: true,
  experiment_enrolled_at_ms: true,
};
