/**
 * What somebody must have done before time passed, without an event: a charge was set to fail, or a
 * pause was called off.
 *
 * @module
 */

import type { Subscription } from "../../resources/subscriptions.ts";
import { failureOf } from "./causes.ts";
import type { RecordedEvent } from "./facts.ts";
import {
  type Deed,
  eventsAhead,
  moveTo,
  type Reel,
  stagedSubscriptions,
  subscriptionIn,
  take,
} from "./reel.ts";
import { findOf, on } from "./subjects.ts";

/** How long before a charge it is set to fail, where it cannot be earlier. */
const SHORTLY_MS = 1000;

/** Does what must come before the clock moves to a moment. */
export async function foresee(reel: Reel, until: number): Promise<void> {
  const subjects = new Map([...reel.twins].map(([id, there]) => [there, id]));
  for (const there of await stagedSubscriptions(reel)) {
    const due = chargeOf(there);
    const subject = subjects.get(there.id);
    if (subject === undefined || there.ownership !== "purchased") continue;
    if (due === null || due <= reel.now || due > until) continue;
    const told = eventsAhead(reel, subject).find(({ at }) => at === due);
    const deed = needed(reel, there, subject, told);
    if (deed) await prepare(reel, subject, deed, due);
  }
}

/** When the next charge is due; a period that is paid already needs none. */
function chargeOf(there: Subscription): number | null {
  const { auto_renewal_status: renewal, ends_at, current_period_ends_at } = there;
  return renewal === "has_already_renewed" ? ends_at : current_period_ends_at;
}

/** What explains the first event that is due, or that none is. */
function needed(
  reel: Reel,
  there: Subscription,
  subject: string,
  told: RecordedEvent | undefined,
): Deed | undefined {
  const { status, auto_renewal_status: renewal } = there;
  if (!["active", "trialing", "paused"].includes(status)) return undefined;
  if (told?.type === "BILLING_ISSUE" && status !== "paused") {
    return failureOf(reel, told, subject, "renewal");
  }
  if (told?.type === "RENEWAL" && renewal === "will_pause") return on(subject, "resume");
  if (told?.type === "RENEWAL" && renewal === "will_change_product") {
    const changes = told.fields.product_id === there.pending_changes?.product.store_identifier;
    return changes ? undefined : keepProduct(reel, there, subject);
  }
  const ended = subscriptionIn(reel, subject)?.status === "expired";
  return !told && status === "paused" && ended ? on(subject, "expire") : undefined;
}

/** Keeps the product in place of a change at the end of the period. */
function keepProduct(reel: Reel, there: Subscription, subject: string): Deed | undefined {
  const product = reel.products.get(there.product_id ?? "");
  return product === undefined ? undefined : on(subject, "change_product", { product });
}

/** What calls off a pause or a change of product that has not begun; it has no event. */
export async function callOff(reel: Reel, subject: string): Promise<Deed | undefined> {
  const id = reel.twins.get(subject);
  const there = (await stagedSubscriptions(reel)).find((one) => one.id === id);
  if (there?.auto_renewal_status === "will_pause") return on(subject, "resume");
  if (there?.auto_renewal_status !== "will_change_product") return undefined;
  return keepProduct(reel, there, subject);
}

/** Does it now, or shortly before it is due where the state does not allow it yet. */
async function prepare(reel: Reel, subject: string, deed: Deed, due: number): Promise<void> {
  const find = reel.names.has(subject) ? [] : findOf(reel, subject) ?? [];
  for (const one of find) await take(reel, one);
  if (await take(reel, deed) === undefined) return;
  await moveTo(reel, Math.max(reel.now, due - SHORTLY_MS));
  const why = await take(reel, deed);
  if (why !== undefined) {
    reel.notes.push(`Not recorded: ${deed.deed} before the next step (${why})`);
  }
}
