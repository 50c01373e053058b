import { deepEqual, equal, match, ok, rejects } from "node:assert/strict";
import { createHmac } from "node:crypto";
import { Webhook } from "standardwebhooks";
import { AuthError, NetworkError, UsageError } from "../lib/errors.ts";
import { newSigningSecret, signatureHeaders } from "../lib/service/events/signatures.ts";
import { verifyWebhook } from "../lib/webhook.ts";
import {
  type CancellationEvent,
  type ExpirationEvent,
  type InitialPurchaseEvent,
  isEvent,
  type KnownEvent,
  type RenewalEvent,
  type TemporaryEntitlementGrantEvent,
  type TransferEvent,
  type VirtualCurrencyTransactionEvent,
  type WebhookEvent,
} from "../lib/webhook_event.ts";
import { ACTIVITIES, frozen } from "./support/activities.ts";
import { openPostOffice } from "./support/delivery_fixture.ts";
import { openDesk } from "./support/harness.ts";
import { openReceiver } from "./support/receiver.ts";

const NOW = Date.UTC(2026, 0, 31, 12);
const SECRET = newSigningSecret();
const EVENT = { type: "RENEWAL", id: "e1", event_timestamp_ms: NOW, app_user_id: "Zoë 🌷" };
const BODY = JSON.stringify({ api_version: "1.0", event: EVENT });

/** A request as the service sends it, with some of its headers. */
function delivered(
  options: { secrets?: string[]; now?: number; body?: string; keep?: RegExp } = {},
): Request {
  const { secrets = [SECRET], now = NOW, body = BODY, keep = /./ } = options;
  const headers = signatureHeaders(secrets, { id: "e1", body: BODY, now })
    .filter(([name]) => keep.test(name));
  return new Request("http://receiver.test/", { method: "POST", headers, body });
}

const own = /^X-/;
const standard = /^webhook-/;
const at = { now: NOW };

/** Whether an error means answering 401, with its reason. */
function isUntrusted(why: RegExp): (error: unknown) => boolean {
  return (error) => error instanceof AuthError && why.test(error.message);
}

Deno.test("either form of signature is enough, and so are both", async () => {
  for (const keep of [own, standard, /./]) {
    deepEqual(await verifyWebhook(delivered({ keep }), SECRET, at), EVENT);
  }
});

Deno.test("two signature headers of one name count like one", async () => {
  const right = delivered({ keep: standard }).headers.get("webhook-signature") ?? "";
  const others = [`v1,${btoa("x".repeat(32))}`, "v1a,abc", "v1,AAAA"];
  for (const all of [[right, ...others], [...others, right], ["v1,AAAA", right, "v1a,abc"]]) {
    const request = delivered({ keep: standard });
    request.headers.delete("webhook-signature");
    for (const one of all) request.headers.append("webhook-signature", one);
    deepEqual(await verifyWebhook(request, SECRET, at), EVENT);
  }
});

Deno.test("an independent library accepts the service's signatures", async () => {
  using receiver = openReceiver();
  await using office = await openPostOffice({ clock: Date.now });
  const webhook = await office.subscribe(receiver);
  const id = await office.buy("Zoë 🌷");
  await office.sim.post(`/webhooks/${webhook.id}/ping`);
  await office.sim.post(`/events/${id}/resend`);
  await office.idle();
  const { signing_secret } = await office.sim.post<{ signing_secret: string }>(
    `/webhooks/${webhook.id}/rotate_secret`,
  );
  await office.buy();
  await office.idle();
  equal(receiver.arrived.length, 4);
  const judge = new Webhook(webhook.signing_secret ?? "");
  for (const { body, headers } of receiver.arrived) {
    deepEqual(judge.verify(body, headers), JSON.parse(body));
  }
  const [before, , , after] = receiver.arrived;
  const next = new Webhook(signing_secret);
  next.verify(after?.body ?? "", after?.headers ?? {});
  await rejects(async () => next.verify(before?.body ?? "", before?.headers ?? {}));
});

Deno.test("this library accepts an independent library's signatures", async () => {
  const signature = new Webhook(SECRET).sign("e1", new Date(NOW), BODY);
  const headers = {
    "Webhook-Id": "e1",
    "Webhook-Timestamp": String(NOW / 1000),
    "Webhook-Signature": `v1a,abc v1,AAAA ${signature}`,
  };
  const request = new Request("http://receiver.test/", { method: "POST", headers, body: BODY });
  equal((await verifyWebhook(request, SECRET, at)).id, "e1");
});

Deno.test("during a rotation, any secret of either side is enough", async () => {
  const [first, second, third] = [SECRET, newSigningSecret(), newSigningSecret()];
  const both = { secrets: [second, first] };
  for (const keep of [own, standard]) {
    for (const secrets of [first, second, [third, first], [second, third, ""]]) {
      equal((await verifyWebhook(delivered({ ...both, keep }), secrets, at)).id, "e1");
    }
    await rejects(
      verifyWebhook(delivered({ ...both, keep }), [third], at),
      isUntrusted(/matches none of the secrets/),
    );
  }
});

Deno.test("an event changed in transit is rejected", async () => {
  for (const keep of [own, standard]) {
    for (const body of [BODY + " ", BODY.replace("e1", "e2"), "", BODY.slice(1)]) {
      await rejects(
        verifyWebhook(delivered({ keep, body }), SECRET, at),
        isUntrusted(/matches none/),
      );
    }
    for (const name of ["webhook-id", "webhook-timestamp", "X-Webhook-Signature"]) {
      const request = delivered({ keep });
      if (!request.headers.has(name)) continue;
      const value = request.headers.get(name) ?? "";
      // The last second before, or another id, or another time in front of the same hash.
      request.headers.set(name, value.replace(/\d(?=,|$)/, (digit) => String(9 - Number(digit))));
      await rejects(verifyWebhook(request, SECRET, at), isUntrusted(/matches none/), name);
    }
    await rejects(
      verifyWebhook(delivered({ keep }), SECRET.slice(0, -1), at),
      isUntrusted(/matches none/),
    );
  }
});

Deno.test("a malformed signature is rejected", async () => {
  const hex = createHmac("sha256", SECRET).update(`${NOW / 1000}.${BODY}`).digest("hex");
  const bad: Record<string, string>[] = [
    {},
    { "X-Webhook-Signature": "" },
    { "X-Webhook-Signature": `v1=${hex}` },
    { "X-Webhook-Signature": `t=${NOW / 1000}` },
    { "X-Webhook-Signature": `t=${NOW / 1000},v0=${hex}` },
    { "X-Webhook-Signature": `t=${NOW / 1000},v1=${hex.slice(2)}` },
    { "X-Webhook-Signature": `t=${NOW / 1000},v1=${hex}00` },
    { "X-Webhook-Signature": `t=${NOW / 1000},v1=zz` },
    { "X-Webhook-Signature": `t=now,v1=${hex}` },
    { "X-Webhook-Signature": `t=-1,v1=${hex}` },
    { "X-Webhook-Signature": `t=${NOW},v1=${hex}` },
    { "webhook-signature": "v1,AAAA" },
    { "webhook-signature": "v1,%", "webhook-timestamp": String(NOW / 1000), "webhook-id": "e1" },
    { "Authorization": SECRET },
  ];
  for (const headers of bad) {
    const request = new Request("http://receiver.test/", { method: "POST", headers, body: BODY });
    await rejects(
      verifyWebhook(request, SECRET, at),
      isUntrusted(/has no signature|too long ago|matches none/),
      JSON.stringify(headers),
    );
  }
  const spaced = { "X-Webhook-Signature": ` t=${NOW / 1000} , v1=${hex.toUpperCase()} ` };
  const request = new Request("http://receiver.test/", {
    method: "POST",
    headers: spaced,
    body: BODY,
  });
  equal((await verifyWebhook(request, SECRET, at)).id, "e1");
});

Deno.test("a request is valid for 5 minutes, or for the receiver's own tolerance", async () => {
  for (const keep of [own, standard]) {
    for (const off of [-300_000, 0, 300_000]) {
      const request = delivered({ keep, now: NOW + off });
      equal((await verifyWebhook(request, SECRET, at)).id, "e1");
    }
    for (const off of [-301_000, 301_000, -1e10]) {
      const request = delivered({ keep, now: NOW + off });
      await rejects(verifyWebhook(request, SECRET, at), isUntrusted(/signed too long ago/));
    }
    const hour = { now: NOW + 3_600_000, toleranceMs: 3_600_000 };
    equal((await verifyWebhook(delivered({ keep }), SECRET, hour)).id, "e1");
  }
  // The machine's clock is the default.
  equal((await verifyWebhook(delivered({ now: Date.now() }), SECRET)).id, "e1");
});

Deno.test("the signed body must be an event, and a secret is required", async () => {
  for (const body of ["", "{", "[]", "null", '{"event":null}', '{"event":{"type":1,"id":"a"}}']) {
    const headers = signatureHeaders([SECRET], { id: "e1", body, now: NOW });
    const request = new Request("http://receiver.test/", { method: "POST", headers, body });
    await rejects(verifyWebhook(request, SECRET, at), NetworkError, body);
  }
  for (const secrets of ["", [], [""]]) {
    await rejects(verifyWebhook(delivered(), secrets, at), UsageError);
  }
});

Deno.test("a secret that is not a string is refused", async () => {
  const absent = [null, undefined, 0, {}, [null], [undefined, SECRET], [[SECRET]], " \n"];
  // As it comes of `whsec_${…}` with nothing in it.
  const empty = ["whsec_", "whsec_  ", "whsec_====", "whsec_!!", ["whsec_\u200b"]];
  for (const secrets of [...absent, ...empty]) {
    const signed = delivered({ secrets: [String(secrets)], keep: own });
    // JavaScript and missing settings can pass any value.
    const passed: unknown = Reflect.apply(verifyWebhook, undefined, [signed, secrets, at]);
    await rejects(
      async () => await passed,
      (error) => error instanceof UsageError && /there is no secret$/.test(error.message),
      JSON.stringify(secrets),
    );
  }
});

Deno.test("a line break after a secret is ignored, in either form of signature", async () => {
  for (const keep of [own, standard]) {
    for (const secrets of [`${SECRET}\n`, ` ${SECRET}\r\n`, [`\t${SECRET} `, ""]]) {
      deepEqual(await verifyWebhook(delivered({ keep }), secrets, at), EVENT);
    }
  }
});

Deno.test("a body that was already read is an error, and a clone of the request works", async () => {
  const early = (error: unknown) =>
    error instanceof UsageError && /has already been read$/.test(error.message) &&
    /request\.clone\(\)/.test(error.hint ?? "");
  const request = delivered();
  const clone = request.clone();
  await request.text();
  await rejects(verifyWebhook(request, SECRET, at), early);
  deepEqual(await verifyWebhook(clone, SECRET, at), EVENT);
  await rejects(verifyWebhook(clone, SECRET, at), early);
  const held = delivered();
  held.body?.getReader();
  await rejects(verifyWebhook(held, SECRET, at), early);
});

Deno.test("an endless body is not read to its end", async () => {
  let sent = 0;
  const body = new ReadableStream({
    pull(controller) {
      sent += 65_536;
      controller.enqueue(new Uint8Array(65_536));
    },
  });
  const { headers } = delivered();
  const request = new Request("http://receiver.test/", { method: "POST", headers, body });
  await rejects(verifyWebhook(request, SECRET, at), isUntrusted(/body is too large/));
  ok(sent < 5_000_000, `${sent} bytes`);
});

/** Says of every field of an event that it is there: the compiler checks that none is left out. */
type Fields<E> = { [F in keyof E]-?: string extends F ? never : true };

const CUSTOMER = {
  app_user_id: true,
  original_app_user_id: true,
  aliases: true,
  subscriber_attributes: true,
  experiments: true,
} as const;
const BASE = { type: true, id: true, event_timestamp_ms: true, app_id: true } as const;
const LIFECYCLE: Fields<InitialPurchaseEvent> = {
  ...BASE,
  ...CUSTOMER,
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
};
const RENEWAL: Fields<RenewalEvent> = { ...LIFECYCLE, is_trial_conversion: true };
const CANCELLATION: Fields<CancellationEvent> = { ...LIFECYCLE, cancel_reason: true };
const EXPIRATION: Fields<ExpirationEvent> = { ...LIFECYCLE, expiration_reason: true };
const TRANSFER: Fields<TransferEvent> = {
  ...BASE,
  environment: true,
  store: true,
  transferred_from: true,
  transferred_to: true,
};
const CURRENCY: Fields<VirtualCurrencyTransactionEvent> = {
  ...BASE,
  ...CUSTOMER,
  adjustments: true,
  product_id: true,
  product_display_name: true,
  purchase_environment: true,
  source: true,
  store: true,
  transaction_id: true,
  virtual_currency_transaction_id: true,
  country_code: true,
};

/** The fields that are known without the store; the others are optional. */
const BELIEVED: Partial<Fields<TemporaryEntitlementGrantEvent>> = {
  ...BASE,
  app_user_id: true,
  store: true,
  product_id: true,
  entitlement_ids: true,
  purchased_at_ms: true,
  expiration_at_ms: true,
  transaction_id: true,
};

/** The fields that the library knows of some types. */
const TYPED: Partial<Record<KnownEvent["type"], Record<string, true>>> = {
  INITIAL_PURCHASE: LIFECYCLE,
  NON_RENEWING_PURCHASE: LIFECYCLE,
  RENEWAL,
  CANCELLATION,
  EXPIRATION,
  UNCANCELLATION: LIFECYCLE,
  SUBSCRIPTION_PAUSED: { ...LIFECYCLE, auto_resume_at_ms: true },
  BILLING_ISSUE: { ...LIFECYCLE, grace_period_expiration_at_ms: true },
  PRODUCT_CHANGE: { ...LIFECYCLE, new_product_id: true },
  SUBSCRIPTION_EXTENDED: LIFECYCLE,
  REFUND_REVERSED: LIFECYCLE,
  INVOICE_ISSUANCE: LIFECYCLE,
  PRICE_INCREASE_CONSENT_REQUIRED: LIFECYCLE,
  PRICE_INCREASE_CONSENT_APPROVED: LIFECYCLE,
  TEMPORARY_ENTITLEMENT_GRANT: BELIEVED,
  TRANSFER,
  VIRTUAL_CURRENCY_TRANSACTION: CURRENCY,
};

Deno.test("the types have exactly the fields that the service sends", async () => {
  const seen = new Set<string>();
  for (const { does } of Object.values(ACTIVITIES)) {
    await using desk = await openDesk({ buyers: false });
    const sim = await frozen(desk);
    await does(sim, desk);
    for (const { type, payload } of await sim.rows("events")) {
      const { event }: { event: WebhookEvent } = JSON.parse(payload);
      const known = Object.entries(TYPED).find(([name]) => name === type)?.[1] ?? {};
      // Grants of the developer's own belong to no app.
      const fields = Object.keys(known).filter((name) => name !== "app_id" || "app_id" in event);
      deepEqual(Object.keys(event).sort(), fields.sort(), type);
      seen.add(type);
    }
  }
  deepEqual([...seen].sort(), Object.keys(TYPED).sort());
});

Deno.test("an event is narrowed by its type, and an unknown one passes unchanged", async () => {
  const event = await verifyWebhook(delivered(), SECRET, at);
  ok(isEvent(event, "RENEWAL"));
  equal(event.app_user_id, "Zoë 🌷");
  ok(isEvent(event, "INITIAL_PURCHASE", "RENEWAL"));
  const name: "INITIAL_PURCHASE" | "RENEWAL" = event.type;
  match(name, /RENEWAL/);
  ok(!isEvent(event, "EXPIRATION"));
  const body = JSON.stringify({ event: { type: "MOON_LANDING", id: "m1", crew: 3 } });
  const headers = signatureHeaders([SECRET], { id: "m1", body, now: NOW });
  const strange = new Request("http://receiver.test/", { method: "POST", headers, body });
  deepEqual(await verifyWebhook(strange, SECRET, at), { type: "MOON_LANDING", id: "m1", crew: 3 });
});
