/**
 * The rows for a step of a subscription or purchase: payment, invoice, events.
 *
 * @module
 */

import {
  currencyEvent,
  delivery,
  type EventFacts,
  purchaseEvent,
  subscriptionEvent,
} from "../domain/events.ts";
import type { Money } from "../domain/money.ts";
import type { Purchase, PurchaseStep } from "../domain/purchase.ts";
import type { EventDraft, Payment, Step, Subscription } from "../domain/step.ts";
import { datedHex, derivedHex, derivedUuid, isAble } from "../domain/stores.ts";
import type { CurrencyChange, CurrencyTransaction } from "../records/balances.ts";
import { newUuid } from "../records/random.ts";
import type { EventFactsReader } from "./event_facts.ts";
import type { Row } from "../store/tables.ts";

/** An event without a `seq`. */
export type NewEvent = Omit<Row<"events">, "project_id" | "seq"> & {
  /** Its changes of balances, if any. */
  brings?: NewBalance[];
};

/** A change of a balance in an event. */
export type NewBalance =
  & CurrencyChange
  & Pick<CurrencyTransaction, "transaction_id" | "product_id">;

type NewTransaction = Omit<Row<"transactions">, "project_id" | "seq">;
type NewInvoice = Omit<Row<"invoices">, "project_id" | "seq">;
type Product = Row<"products">;

/** A payment as it is stored. */
export function transactionOf(
  owner: Subscription,
  payment: Payment,
  at: number,
  product: Product,
): NewTransaction {
  const { local, usd, currency } = payment.money;
  return {
    id: payment.id,
    subscription_id: owner.id,
    product_store_identifier: product.store_identifier,
    period_type: payment.period_type,
    purchased_at: at,
    expires_at: payment.expires_at,
    effective_expires_at: payment.expires_at,
    status: payment.status,
    refunded_at: null,
    currency,
    gross_micros: local.gross,
    commission_micros: local.commission,
    tax_micros: local.tax,
    gross_usd_micros: usd.gross,
    commission_usd_micros: usd.commission,
    tax_usd_micros: usd.tax,
  };
}

/** The change of the latest payment's end by a step. */
export function latestPaymentEnd(
  { before, after }: Step,
): Pick<NewTransaction, "effective_expires_at"> & { expires_at?: number | null } | undefined {
  if (!before || before.transaction_id !== after.transaction_id) return;
  if (after.grace_ends_at !== before.grace_ends_at && after.grace_ends_at !== null) {
    return { effective_expires_at: after.grace_ends_at };
  }
  const [was, is] = [before.period_ends_at, after.period_ends_at];
  const extended = before.status === after.status && before.renewed_until === null &&
    was !== null && is !== null && is > was;
  return extended ? { expires_at: is, effective_expires_at: is } : undefined;
}

/** The invoice for a payment, if the store has invoices and the amount is not zero. */
export function invoiceOf(
  owner: Subscription,
  payment: Payment,
  at: number,
  product: Product,
): NewInvoice | undefined {
  const { status, money } = payment;
  if (owner.store !== "svc_billing" || status === "failed" || money.local.gross === 0) return;
  return {
    ...invoiceLine(product, money, 1),
    id: invoiceId(`${owner.project_id}/${payment.id}`, at),
    customer_id: owner.customer_id,
    subscription_id: owner.id,
    purchase_id: null,
    product_duration: owner.duration,
    issued_at: at,
    paid_at: status === "completed" ? at : null,
  };
}

/** The invoice for a one-time purchase, if the store has invoices. */
export function invoiceOfPurchase(bought: Purchase, product: Product): NewInvoice | undefined {
  if (bought.store !== "svc_billing" || bought.gross_micros === 0) return;
  const { quantity } = bought;
  const unit = (micros: number) => Math.round(micros / quantity);
  const local = {
    gross: unit(bought.gross_micros),
    commission: unit(bought.commission_micros),
    tax: unit(bought.tax_micros),
  };
  return {
    ...invoiceLine(product, { currency: bought.currency, local }, quantity),
    id: invoiceId(`${bought.project_id}/${bought.store_purchase_identifier}`, bought.purchased_at),
    customer_id: bought.customer_id,
    subscription_id: null,
    purchase_id: bought.id,
    product_duration: null,
    issued_at: bought.purchased_at,
    paid_at: bought.purchased_at,
  };
}

/** The events of a step, in order. */
export async function eventsOfStep(step: Step, facts: EventFactsReader): Promise<NewEvent[]> {
  const { before, after, at } = step;
  const events: NewEvent[] = [];
  // A replay of the same time must make the same events with the same ids.
  const nextId = () => {
    const number = after.event_count + events.length + 1;
    return derivedUuid(`${after.project_id}/${after.id}/${number}`, at);
  };
  for (const draft of step.events) {
    // The event of a product change names the old product.
    const subject = draft.type === "PRODUCT_CHANGE" && before ? before : after;
    const known = { ...await factsOf(subject, draft, facts), id: nextId(), at };
    const event = subscriptionEvent(draft, subject, known);
    events.push(wrap(after, draft.type, known, event));
  }
  const sign = signOf(step);
  if (sign === 0 || after.product_id === null) return events;
  const sold = { ...after, product_id: after.product_id, quantity: 1 };
  const granted = await currencyEventFor(sold, sign, { id: nextId(), at }, facts);
  return granted ? [...events, granted] : events;
}

/** The events of a one-time purchase or its refund, in order. */
export async function eventsOfPurchase(
  step: PurchaseStep,
  facts: EventFactsReader,
): Promise<NewEvent[]> {
  const { after, at } = step;
  const events: NewEvent[] = [];
  for (const draft of step.events) {
    const known = { ...await factsOf(after, draft, facts), id: newUuid(), at };
    events.push(wrap(after, draft.type, known, purchaseEvent(draft, after, known)));
  }
  const sold = {
    ...after,
    period_type: "normal",
    transaction_id: after.store_purchase_identifier,
  } as const;
  const sign = step.movement === "refund" ? -1 : 1;
  const granted = await currencyEventFor(sold, sign, { id: newUuid(), at }, facts);
  return granted ? [...events, granted] : events;
}

/** Whether a step adds the amounts of a payment, removes them, or neither. */
function signOf({ payment, settlement }: Step): -1 | 0 | 1 {
  if (settlement) return settlement.status === "refunded" ? -1 : 1;
  return payment?.status === "completed" ? 1 : 0;
}

/** The sale, with the fields for virtual currencies. */
type Sold =
  & Pick<Subscription, "store" | "environment" | "app_id" | "country" | "customer_id">
  & Pick<Subscription, "ownership" | "period_type" | "project_id" | "transaction_id">
  & { product_id: string; quantity: number };

/** The event for the virtual currencies that a payment adds or its refund removes. */
async function currencyEventFor(
  sold: Sold,
  sign: 1 | -1,
  known: { id: string; at: number },
  facts: EventFactsReader,
): Promise<NewEvent | undefined> {
  if (!isAble(sold.store, "bring_currency") || sold.ownership !== "purchased") return;
  const grants = await facts.currencyGrants(sold.product_id);
  // A currency may name a product more than once; its grants are one adjustment.
  const byCurrency = Map.groupBy(grants, ({ currency }) => currency.code);
  const adjustments = [...byCurrency.values()].flatMap((group) => {
    const [first] = group;
    const amount = group.reduce(
      (sum, grant) => sum + (sold.period_type === "trial" ? grant.trial_amount : grant.amount),
      0,
    );
    return first && amount !== 0
      ? [{ amount: sign * sold.quantity * amount, currency: first.currency }]
      : [];
  });
  if (adjustments.length === 0) return;
  const product = await facts.product(sold.product_id);
  const transaction_id = `vatx${derivedHex(known.id, 15)}`;
  const event = currencyEvent(sold, {
    ...known,
    customer: await facts.customer(sold.customer_id),
    adjustments,
    product_id: product.store_identifier,
    product_display_name: product.display_name,
    transaction_id: sold.transaction_id,
    virtual_currency_transaction_id: transaction_id,
  });
  const brings = adjustments.map(({ amount, currency }) => ({
    transaction_id,
    customer_id: sold.customer_id,
    currency_id: currency.code,
    product_id: sold.product_id,
    amount,
  }));
  return { ...wrap(sold, "VIRTUAL_CURRENCY_TRANSACTION", known, event), brings };
}

/** The other fields of an event. */
async function factsOf(
  subject: Pick<Subscription, "customer_id" | "product_id" | "offering_id"> & {
    entitlement_id?: string | null;
  },
  draft: EventDraft,
  facts: EventFactsReader,
): Promise<Omit<EventFacts, "id" | "at">> {
  const { customer_id, product_id, offering_id, entitlement_id } = subject;
  const next = draft.extra?.new_product_id;
  const granted = entitlement_id ? await facts.entitlement(entitlement_id) : "";
  return {
    customer: await facts.customer(customer_id),
    product_id: product_id === null
      ? `svc_promo_${granted}`
      : (await facts.product(product_id)).store_identifier,
    new_product_id: next === undefined ? undefined : (await facts.product(next)).store_identifier,
    entitlement_ids: product_id === null ? [granted] : await facts.entitlementsOf(product_id),
    presented_offering_id: offering_id === null ? null : await facts.offering(offering_id),
  };
}

/** An event as it is stored. */
function wrap(
  subject: Pick<Subscription, "customer_id" | "app_id" | "environment">,
  type: string,
  { id, at }: { id: string; at: number },
  event: Record<string, unknown>,
): NewEvent {
  const { customer_id, app_id, environment } = subject;
  return { id, type, customer_id, app_id, environment, created_at: at, payload: delivery(event) };
}

/** The line of an invoice. */
function invoiceLine(
  product: Product,
  { currency, local }: Pick<Money, "currency" | "local">,
  quantity: number,
): Pick<
  NewInvoice,
  | "product_identifier"
  | "product_display_name"
  | "quantity"
  | "currency"
  | "gross_micros"
  | "commission_micros"
  | "tax_micros"
> {
  return {
    product_identifier: product.store_identifier,
    product_display_name: product.display_name,
    quantity,
    currency,
    gross_micros: local.gross,
    commission_micros: local.commission,
    tax_micros: local.tax,
  };
}

/** The id of a payment's invoice. It is derived, and long enough to be unique. */
function invoiceId(payment: string, issuedAt: number): string {
  return `svcbin${datedHex(`invoice/${payment}`, issuedAt, 16)}`;
}
