/**
 * Family sharing. Each member has a subscription of their own, which costs nothing and follows the
 * shared one. When another product replaces the shared subscription, each member gets a share of the
 * replacement.
 *
 * @module
 */

import {
  type EventDraft,
  IllegalStep,
  type Payment,
  type Step,
  type Subscription,
} from "./step.ts";
import { successorId } from "./product_change.ts";
import { transactionId } from "./stores.ts";
import { changed, expiration, isOpen, nextPayment } from "./subscription.ts";

/** Shares a subscription with another family member. */
export function share(
  state: Subscription,
  at: number,
  member: { id: string; customer_id: string },
): Step[] {
  if (!isOpen(state)) throw new IllegalStep("A subscription without access cannot be shared");
  // Gap: events of a new share would announce access that has already ended.
  if (state.status === "in_grace_period") {
    throw new IllegalStep("A subscription in grace cannot be shared; let it recover first");
  }
  if (state.ownership !== "purchased") throw new IllegalStep("A share cannot be shared again");
  const { after, payment } = nextPayment(newShare(state, at, member), 0, "completed");
  const told: EventDraft = { type: "INITIAL_PURCHASE" };
  const counted = { ...state, share_count: state.share_count + 1 };
  const nothing = { at, movement: "start", events: [] } as const;
  return [
    { ...nothing, before: state, after: counted, events: [] },
    { ...nothing, before: undefined, after, payment, events: [told] },
  ];
}

/**
 * A member's share of the subscription that replaces a shared one. Its events are those of the
 * replacement.
 */
export function shareSuccessor(start: Step, member: Subscription): Step {
  const { after: source, at, movement } = start;
  const { customer_id, original_customer_id, original_transaction_id } = member;
  const fresh = newShare(source, at, { id: successorId(member), customer_id });
  const draft = { ...fresh, original_customer_id, original_transaction_id };
  const { after, payment } = nextPayment(draft, 0, "completed");
  return { before: undefined, after, at, movement, payment, events: withoutMoney(start.events) };
}

/** The earlier shares whose owners get a share of the replacement, one for each customer. */
export function heirsOf(
  { customer_id: owner }: Subscription,
  members: readonly Subscription[],
): Subscription[] {
  const heirs = new Map(members.map((member) => [member.customer_id, member]));
  // After a transfer the owner may hold a share of their own subscription; it adds nothing.
  heirs.delete(owner);
  return [...heirs.values()];
}

/** A family member's subscription before its first payment, which is zero. */
function newShare(
  source: Subscription,
  at: number,
  member: { id: string; customer_id: string },
): Subscription {
  const transaction_id = transactionId({ ...source, id: member.id }, { number: 1, at });
  return changed(source, {
    ...member,
    seq: 0,
    original_customer_id: member.customer_id,
    ownership: "family_shared",
    starts_at: at,
    paid_since: null,
    price_micros: 0,
    transaction_id,
    original_transaction_id: transaction_id,
    transaction_count: 0,
    charge_fails: 0,
    shared_from_id: source.id,
    share_count: 0,
    gross_usd_micros: 0,
    commission_usd_micros: 0,
    tax_usd_micros: 0,
    event_count: 0,
  });
}

/** The step of a member's share that follows a step of the shared subscription. */
export function mirror(step: Step, member: Subscription): Step {
  const { before, after, at, movement } = step;
  const followed = changed(member, followedFields(after));
  const events = withoutMoney(step.events);
  const replaced = movement === "upgrade" || movement === "downgrade";
  const ended = before !== undefined && isOpen(before) && !isOpen(after) && !replaced;
  const told = ended && !events.some((event) => event.type === "EXPIRATION")
    ? [expiration("UNKNOWN")]
    : events;
  const { payment } = step;
  if (!payment) return { before: member, after: followed, at, movement, events: told };
  const own = nextPayment(followed, 0, "completed");
  const copy: Payment = { ...payment, id: own.payment.id, money: own.payment.money };
  const paid = payment.status === "completed"
    ? { ...own.after, transaction_id: copy.id }
    : own.after;
  return { before: member, after: paid, at, movement, payment: copy, events: told };
}

/** The same events without money, for members who pay nothing. */
function withoutMoney(events: readonly EventDraft[]): EventDraft[] {
  return events.map(({ type, extra }) => extra ? { type, extra } : { type });
}

/** The fields that a share copies from its source. */
const FOLLOWED = [
  "product_id",
  "status",
  "auto_renewal_status",
  "period_type",
  "period_starts_at",
  "period_ends_at",
  "renewed_until",
  "grace_ends_at",
  "retry_ends_at",
  "resumes_at",
  "anchor_at",
  "anchor_periods",
  "duration",
  "grace_duration",
  "pending_product_id",
  "pending_price_micros",
  "renewal_number",
  "cancel_reason",
] as const satisfies readonly (keyof Subscription)[];

/** The values of those fields. */
function followedFields(source: Subscription): Partial<Subscription> {
  return Object.fromEntries(FOLLOWED.map((field) => [field, source[field]]));
}
