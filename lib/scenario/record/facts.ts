/**
 * The records of a customer as facts, in the order in which they happened.
 *
 * @module
 */

import type {
  CustomerHistory,
  HistoryAdjustment,
  HistoryCustomer,
  HistoryEvent,
} from "../../simulator/history.ts";
import type { Json } from "../values/tree.ts";

/** Something that happened. */
export type Fact =
  & {
    /** When, in milliseconds since 1970. */
    readonly at: number;
    /** The place among facts of the same moment. */
    readonly seq: number;
  }
  & (
    | { readonly kind: "event"; readonly event: RecordedEvent }
    | { readonly kind: "customer"; readonly id: string }
    | { readonly kind: "alias"; readonly customer: string; readonly alias: string }
    | {
      readonly kind: "attributes";
      readonly customer: string;
      readonly set: Readonly<Record<string, string>>;
    }
    | { readonly kind: "adjustment"; readonly adjustment: HistoryAdjustment }
    | { readonly kind: "refund"; readonly subscription: string; readonly payment: number }
  );

/** An event, with the subscription or purchase that it is about. */
export interface RecordedEvent {
  /** The type. */
  readonly type: string;
  /** When it happened, in milliseconds since 1970. */
  readonly at: number;
  /** Its place in the project's order. */
  readonly seq: number;
  /** Its fields. */
  readonly fields: Readonly<Record<string, Json>>;
  /** The id of the subscription or purchase; undefined where no record has it. */
  readonly subject: string | undefined;
}

/** The ids of two customers who became one at a time that no record has. */
export interface Merge {
  /** The id of the customer that no longer exists. */
  readonly from: string;
  /** The customer that it became. */
  readonly to: string;
}

/** All facts, oldest first. */
export function factsOf(history: CustomerHistory): { facts: Fact[]; merges: Merge[] } {
  const events = eventsOf(history);
  const facts: Fact[] = events.map((event) => ({
    kind: "event",
    at: event.at,
    seq: event.seq,
    event,
  }));
  const merges: Merge[] = [];
  for (const customer of history.customers) {
    facts.push(...factsOfCustomer(customer, merges));
  }
  for (const adjustment of history.adjustments) {
    const { created_at: at, seq } = adjustment;
    facts.push({ kind: "adjustment", at, seq, adjustment });
  }
  facts.push(...silentRefunds(history, events));
  facts.sort((a, b) => a.at - b.at || a.seq - b.seq);
  return { facts, merges };
}

/** The events, each with its subject. */
function eventsOf({ events, ...history }: CustomerHistory): RecordedEvent[] {
  const subjects = subjectsOf(history);
  return events.map((event) => {
    const fields = fieldsOf(event);
    const { transaction_id } = fields;
    const known = typeof transaction_id === "string" ? subjects.get(transaction_id) : undefined;
    const subject = known ?? (event.type === "INVOICE_ISSUANCE" ? unpaid(event) : undefined);
    return { type: event.type, at: event.created_at, seq: event.seq, fields, subject };
  });

  /** An unpaid invoice names no transaction: its subscription was stored just before it. */
  function unpaid({ seq }: HistoryEvent): string | undefined {
    return history.subscriptions.findLast((one) => one.seq < seq && one.store === "svc_billing")
      ?.id;
  }
}

/** The subscription or purchase of each transaction. */
function subjectsOf(
  { subscriptions, transactions, purchases }: Omit<CustomerHistory, "events">,
): Map<string, string> {
  return new Map([
    ...subscriptions.map(({ id, transaction_id }) => [transaction_id, id] as const),
    ...transactions.map(({ id, subscription_id }) => [id, subscription_id] as const),
    ...purchases.map(({ id, transaction_id }) => [transaction_id, id] as const),
  ]);
}

function fieldsOf({ delivery }: HistoryEvent): Readonly<Record<string, Json>> {
  // The delivery is the service's own, which has its event in it.
  const { event } = delivery as { event?: Record<string, Json> };
  return event ?? {};
}

/** A customer's beginning, further ids and attributes. */
function factsOfCustomer(
  { seq, id, first_seen_at, aliases, attributes }: HistoryCustomer,
  merges: Merge[],
): Fact[] {
  const facts: Fact[] = [{ kind: "customer", at: first_seen_at, seq, id }];
  for (const { alias, created_at: at, seq } of aliases) {
    if (alias === id) continue;
    const wasCustomer = isAnonymous(alias) && !isAnonymous(id);
    if (wasCustomer) {
      merges.push({ from: alias, to: id });
      facts.push({ kind: "customer", at, seq, id: alias });
    } else facts.push({ kind: "alias", at, seq, customer: id, alias });
  }
  for (const [at = 0, group] of Map.groupBy(attributes, ({ updated_at }) => updated_at)) {
    const set = Object.fromEntries(group.map(({ name, value }) => [name, value]));
    // Records have no order within a moment: the customer must exist first.
    const place = at > first_seen_at ? 0 : Number.MAX_SAFE_INTEGER;
    facts.push({ kind: "attributes", at, seq: place, customer: id, set });
  }
  return facts;
}

/** Whether an app made the id for somebody who had not signed in. */
function isAnonymous(id: string): boolean {
  return /^\$[A-Za-z]*AnonymousID:/.test(id);
}

/** Refunds of earlier payments, which have no event. */
function silentRefunds(
  { transactions }: CustomerHistory,
  events: readonly RecordedEvent[],
): Fact[] {
  const bySubscription = Map.groupBy(
    transactions.filter(({ status }) => status !== "failed"),
    ({ subscription_id }) => subscription_id,
  );
  return [...bySubscription].flatMap(([subscription, payments]) =>
    payments.flatMap(({ id, refunded_at }, i): Fact[] => {
      if (refunded_at === null) return [];
      const told = events.some(({ type, at, fields }) =>
        type === "CANCELLATION" && at === refunded_at && fields.transaction_id === id
      );
      if (told) return [];
      const seq = Number.MAX_SAFE_INTEGER;
      return [{ kind: "refund", at: refunded_at, seq, subscription, payment: i + 1 }];
    })
  );
}
