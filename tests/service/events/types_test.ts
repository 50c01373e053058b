import { deepEqual } from "node:assert/strict";
import { apiOf, badField } from "../../support/api.ts";
import { openDesk } from "../../support/harness.ts";
import { openReceiver } from "../../support/receiver.ts";

/** Copied from the API document. */
const CHOICES = [
  "initial_purchase",
  "renewal",
  "product_change",
  "cancellation",
  "billing_issue",
  "non_renewing_purchase",
  "uncancellation",
  "transfer",
  "subscription_paused",
  "expiration",
  "subscription_extended",
  "invoice_issuance",
  "temporary_entitlement_grant",
  "refund_reversed",
  "virtual_currency_transaction",
];

Deno.test("a webhook can subscribe to each event type of the API document, and to no other", async () => {
  using receiver = openReceiver();
  await using desk = await openDesk({ webhookTargets: "loopback" });
  const api = apiOf(desk);
  const webhook = { name: "A", url: receiver.url };
  const all = await api.post("/integrations/webhooks", { ...webhook, event_types: CHOICES });
  deepEqual(all.event_types, CHOICES);
  for (const type of ["", "test", "RENEWAL", "subscriber_alias"]) {
    const body = { ...webhook, event_types: [type] };
    await api.refused(badField("event_types.0"), "POST", "/integrations/webhooks", body);
  }
});
