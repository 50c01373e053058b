/**
 * Sharing a subscription in a family: each member has one of its own, which costs nothing and follows
 * the one that it is shared from.
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
import { transactionId } from "./stores.ts";
import { changed, expiration, isOpen, nextPayment } from "./subscription.ts";

/** Shares a subscription with another member of the family. */
export function share(
  state: Subscription,
  at: number,
  member: { id: string; customer_id: string },
): Step[] {
  if (!isOpen(state)) throw new IllegalStep("A subscription without access cannot be shared");
  if (state.ownership !== "purchased") throw new IllegalStep("A share cannot be shared again");
  const transaction_id = transactionId({ ...state, id: member.id }, 1);
  const draft = changed(state, {
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
    shared_from_id: state.id,
    share_count: 0,
    gross_usd_micros: 0,
    commission_usd_micros: 0,
    tax_usd_micros: 0,
    event_count: 0,
  });
  const { after, payment } = nextPayment(draft, 0, "completed");
  const told: EventDraft = { type: "INITIAL_PURCHASE" };
  const counted = { ...state, share_count: state.share_count + 1 };
  const nothing = { at, movement: "start", events: [] } as const;
  return [
    { ...nothing, before: state, after: counted, events: [] },
    { ...nothing, before: undefined, after, payment, events: [told] },
  ];
}

/** What a step of a subscription brings about for a member who shares it. */
export function mirror(step: Step, member: Subscription): Step {
  const { before, after, at, movement } = step;
  const followed = changed(member, followedFields(after));
  const events = step.events.map(({ type, extra }): EventDraft =>
    extra ? { type, extra } : { type }
  );
  const ended = before !== undefined && isOpen(before) && !isOpen(after);
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
