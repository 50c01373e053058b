/**
 * Sharing a subscription in a family: each member has one of its own, which costs nothing and follows
 * the one that it is shared from. Where that gives way to another product, each member gets a share
 * of its successor.
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

/** Shares a subscription with another member of the family. */
export function share(
  state: Subscription,
  at: number,
  member: { id: string; customer_id: string },
): Step[] {
  if (!isOpen(state)) throw new IllegalStep("A subscription without access cannot be shared");
  // Gap: events of a new share would tell of access until a day that is over.
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
 * A share of the subscription that has taken the place of another one, for a member of the family who
 * had a share of that. It is told as the successor itself is.
 */
export function shareSuccessor(start: Step, member: Subscription): Step {
  const { after: source, at, movement } = start;
  const { customer_id, original_customer_id, original_transaction_id } = member;
  const fresh = newShare(source, at, { id: successorId(member), customer_id });
  const draft = { ...fresh, original_customer_id, original_transaction_id };
  const { after, payment } = nextPayment(draft, 0, "completed");
  return { before: undefined, after, at, movement, payment, events: withoutMoney(start.events) };
}

/** The customers who get a share of a successor, each by one of the shares that they had. */
export function heirsOf(
  { customer_id: owner }: Subscription,
  members: readonly Subscription[],
): Subscription[] {
  const heirs = new Map(members.map((member) => [member.customer_id, member]));
  // A share that has come to the owner by a transfer gives nothing that the owner does not have.
  heirs.delete(owner);
  return [...heirs.values()];
}

/** A subscription of a member of the family, before its first payment of nothing. */
function newShare(
  source: Subscription,
  at: number,
  member: { id: string; customer_id: string },
): Subscription {
  const transaction_id = transactionId({ ...source, id: member.id }, 1);
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

/** What a step of a subscription brings about for a member who shares it. */
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

/** The same events for those who pay nothing. */
function withoutMoney(events: readonly EventDraft[]): EventDraft[] {
  return events.map(({ type, extra }) => extra ? { type, extra } : { type });
}

/** The fields in which a share follows its source. */
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

/** What those fields hold. */
function followedFields(source: Subscription): Partial<Subscription> {
  return Object.fromEntries(FOLLOWED.map((field) => [field, source[field]]));
}
