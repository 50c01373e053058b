/**
 * From a recorded event to what somebody must have done, where time alone does not bring it.
 *
 * @module
 */

import type { HistorySubscription } from "../../simulator/history.ts";
import type { Json } from "../values/tree.ts";
import type { RecordedEvent } from "./facts.ts";
import { buying } from "./buying.ts";
import { findOf, on, ownerNow } from "./subjects.ts";
import {
  type Deed,
  eventsAhead,
  purchaseIn,
  type Reel,
  stagedSubscriptions,
  subscriptionIn,
} from "./reel.ts";

const DAY_MS = 86_400_000;

/** A grace period for a test store, where it takes minutes whatever its days are. */
const USUAL_GRACE = "P3D";

/** What led to an event; undefined where nothing is known that does. */
export async function causeOf(
  reel: Reel,
  event: RecordedEvent,
): Promise<readonly Deed[] | undefined> {
  if (event.type === "TRANSFER") return [transferOf(event)];
  if (isGrant(event)) return grantOf(reel, event);
  const { subject } = event;
  if (subject === undefined) return undefined;
  if (!reel.twins.has(subject)) return buying(reel, event, subject);
  const name = reel.names.get(subject);
  const find = name === undefined ? findOf(reel, subject) : [];
  const cause = await CAUSES[event.type]?.(reel, event, subject);
  return find && cause ? [...find, ...cause] : undefined;
}

/** The events of subscriptions and purchases that exist already. */
const CAUSES: Readonly<
  Record<
    string,
    (
      reel: Reel,
      event: RecordedEvent,
      subject: string,
    ) => Promise<readonly Deed[] | undefined> | readonly Deed[] | undefined
  >
> = {
  INITIAL_PURCHASE: (reel, _event, subject) => payOf(reel, subject),
  RENEWAL: renewalOf,
  CANCELLATION: cancellationOf,
  UNCANCELLATION: (_reel, _event, subject) => [on(subject, "uncancel")],
  SUBSCRIPTION_PAUSED: pauseOf,
  EXPIRATION: (_reel, { fields }, subject) => [
    on(subject, "expire", { reason: fields.expiration_reason ?? "UNKNOWN" }),
  ],
  BILLING_ISSUE: (reel, event, subject) => [failureOf(reel, event, subject, "now")],
  PRODUCT_CHANGE: changeOf,
  SUBSCRIPTION_EXTENDED: (_reel, { fields }, subject) => [
    on(subject, "extend", { until: fields.expiration_at_ms ?? null }),
  ],
  REFUND_REVERSED: reversalOf,
  PRICE_INCREASE_CONSENT_REQUIRED: raiseOf,
  PRICE_INCREASE_CONSENT_APPROVED: (_reel, _event, subject) => [on(subject, "agree_to_price")],
};

function transferOf({ fields }: RecordedEvent): Deed {
  const first = (value: Json | undefined) => Array.isArray(value) ? String(value[0] ?? "") : "";
  const from = first(fields.transferred_from);
  return { deed: "transfer", values: { from, to: first(fields.transferred_to) } };
}

function isGrant({ fields: { store } }: RecordedEvent): boolean {
  return store === "PROMOTIONAL";
}

/** A grant, its new end, or its revocation. */
function grantOf(reel: Reel, event: RecordedEvent): readonly Deed[] | undefined {
  const { type, fields } = event;
  const customer = String(fields.app_user_id ?? "");
  const [entitlement = ""] = Array.isArray(fields.entitlement_ids) ? fields.entitlement_ids : [];
  const ends = type === "CANCELLATION" &&
    reel.facts.slice(reel.next + 1).some((fact) =>
      fact.kind === "event" && fact.event.type === "EXPIRATION" && fact.at === event.at &&
      fact.event.subject === event.subject
    );
  if (ends) return [{ deed: "revoke", values: { customer, entitlement } }];
  const until = fields.expiration_at_ms ?? null;
  return [{ deed: "grant", values: { customer, entitlement, until } }];
}

/** The payment of an invoice. */
function payOf(reel: Reel, subject: string): readonly Deed[] {
  return [{ deed: "pay", values: { customer: ownerNow(reel, subject) } }];
}

/** A payment that comes before its time: early, after a failed charge, or after a pause. */
async function renewalOf(
  reel: Reel,
  _event: RecordedEvent,
  subject: string,
): Promise<readonly Deed[]> {
  const there = await twinOf(reel, subject);
  const deed = there?.status === "paused"
    ? "resume"
    : there?.status === "in_grace_period" || there?.status === "in_billing_retry"
    ? "recover"
    : "renew";
  return [on(subject, deed)];
}

/** The subscription there that stands for one of the history. */
async function twinOf(
  reel: Reel,
  subject: string,
): Promise<{ readonly status: string } | undefined> {
  const id = reel.twins.get(subject);
  return (await stagedSubscriptions(reel)).find((one) => one.id === id);
}

/** A cancellation by the customer, or the refund of a payment. */
function cancellationOf(
  reel: Reel,
  { fields, at }: RecordedEvent,
  subject: string,
): readonly Deed[] {
  const price = fields.price_in_purchased_currency;
  if (typeof price !== "number" || price >= 0) return [on(subject, "cancel")];
  const bought = subscriptionIn(reel, subject);
  if (!bought) return [on(subject, "refund", {}, "of")];
  // The event itself is the first of those ahead.
  const ahead = eventsAhead(reel, subject).slice(1);
  const ended = ahead.some((one) => one.type === "EXPIRATION" && one.at === at) ||
    ahead.length === 0 && bought.status === "expired";
  return [on(subject, "refund", ended ? {} : { keep_access: true }, "of")];
}

/** A reversal of the latest refund, or of that of an earlier payment, which has no event. */
async function reversalOf(
  reel: Reel,
  event: RecordedEvent,
  subject: string,
): Promise<readonly Deed[]> {
  const payments = reel.history.transactions.filter((one) =>
    one.subscription_id === subject && one.status !== "failed"
  );
  const latest = payments.findIndex(({ id }) => id === event.fields.transaction_id);
  const told = reel.facts.slice(0, reel.next).filter((fact) =>
    fact.kind === "event" && fact.event.subject === subject &&
    (fact.event.type === "REFUND_REVERSED" ||
      fact.event.type === "CANCELLATION" && fact.event.fields.cancel_reason === "CUSTOMER_SUPPORT")
  );
  const last = told.at(-1);
  const isLatest = purchaseIn(reel, subject) !== undefined ||
    last?.kind === "event" && last.event.type === "CANCELLATION" &&
      last.event.fields.transaction_id === event.fields.transaction_id;
  if (isLatest) return [on(subject, "reverse_refund", {}, "of")];
  const price = event.fields.price_in_purchased_currency;
  const payment = payments.findIndex((one, i) => i !== latest && one.price === price) + 1;
  if (payment === 0) return [on(subject, "reverse_refund", {}, "of")];
  return [
    on(subject, "refund", { payment }, "of"),
    on(subject, "reverse_refund", { payment }, "of"),
  ];
}

/** A pause. A charge that fails at its end was set to fail before it. */
function pauseOf(reel: Reel, event: RecordedEvent, subject: string): readonly Deed[] {
  const until = event.fields.auto_resume_at_ms;
  const pause = on(subject, "pause", typeof until === "number" ? { until } : {});
  const ahead = eventsAhead(reel, subject).slice(1);
  const paused = ahead.findIndex(({ fields }) =>
    fields.expiration_reason === "SUBSCRIPTION_PAUSED"
  );
  const after = paused < 0 ? undefined : ahead[paused + 1];
  if (after?.type !== "BILLING_ISSUE") return [pause];
  return [on(subject, "fail", { when: "renewal" }), pause];
}

/** A charge that fails, with the grace period that followed. */
export function failureOf(
  reel: Reel,
  { at, fields }: RecordedEvent,
  subject: string,
  when: "now" | "renewal",
): Deed {
  const until = fields.grace_period_expiration_at_ms;
  const bought = subscriptionIn(reel, subject);
  const product = productOf(reel, bought);
  const days = typeof until === "number" ? (until - at) / DAY_MS : undefined;
  const grace = days === undefined
    ? null
    : Number.isInteger(days)
    ? `P${days}D`
    : bought?.grace_duration ?? USUAL_GRACE;
  const usual = product?.grace_duration === grace;
  return on(subject, "fail", {
    ...when === "renewal" && { when },
    ...!usual && { grace },
  });
}

function productOf({ history }: Reel, bought: HistorySubscription | undefined) {
  return history.products.find(({ id }) => id === bought?.product_id);
}

/** A change of product, now or at the end of the period. */
function changeOf(reel: Reel, event: RecordedEvent, subject: string): readonly Deed[] | undefined {
  const { fields, at } = event;
  const wanted = String(fields.new_product_id ?? "");
  const app = productOf(reel, subscriptionIn(reel, subject))?.app_id;
  const product = reel.history.products.find((one) =>
    one.store_identifier === wanted && one.app_id === app
  );
  const name = product && reel.sold.names.get(product.id);
  if (!product || name === undefined) return undefined;
  const later = reel.facts.slice(reel.next + 1).flatMap((fact) =>
    fact.kind === "event" && fact.event.fields.product_id === wanted ? [fact.event] : []
  );
  const next = later.find((one) =>
    one.subject !== undefined && (one.subject === subject || !reel.twins.has(one.subject))
  );
  const successor = subscriptionIn(reel, next?.subject);
  const isNow = fields.period_type === "TRIAL"
    ? changedInTrial(reel, event, subject, product.id)
    : next?.at === at && successor?.starts_at === at && successor.id !== subject;
  const price = paidPrice(next) ??
    (isNow ? successor?.price : subscriptionIn(reel, subject)?.pending_price ?? undefined);
  const otherLength = isNow && successor && successor.id !== subject &&
    successor.duration !== product.duration && successor.duration !== null;
  return [on(subject, "change_product", {
    product: name,
    ...!isNow && { when: "period_end" },
    ...price !== undefined && price !== product.price && { price },
    ...otherLength && { duration: successor.duration },
  })];
}

function paidPrice(event: RecordedEvent | undefined): number | undefined {
  const price = event?.fields.price_in_purchased_currency;
  return typeof price === "number" && price > 0 ? price : undefined;
}

/** Whether a trial changed its product at once, which keeps the subscription. */
function changedInTrial(
  reel: Reel,
  event: RecordedEvent,
  subject: string,
  product: string,
): boolean {
  const [next] = eventsAhead(reel, subject).slice(1);
  if (next && next.type !== "RENEWAL") {
    return next.fields.product_id === event.fields.new_product_id;
  }
  return subscriptionIn(reel, subject)?.product_id === product;
}

/** A higher price. Where the customer never paid it, only that it was higher is known. */
function raiseOf(reel: Reel, _event: RecordedEvent, subject: string): readonly Deed[] {
  const bought = subscriptionIn(reel, subject);
  const ahead = eventsAhead(reel, subject).slice(1);
  const agreed = ahead.findIndex(({ type }) => type === "PRICE_INCREASE_CONSENT_APPROVED");
  const paid = agreed < 0
    ? undefined
    : ahead.slice(agreed).flatMap((event) => paidPrice(event) ?? [])[0] ?? bought?.price;
  const price = paid ?? bought?.pending_price ?? undefined;
  if (price === undefined) {
    reel.notes.push("The service has no record of the higher price: any higher one does");
  }
  return [on(subject, "raise_price", { price: price ?? (bought?.price ?? 0) + 1 })];
}
