/**
 * How much is due in a project by some moment: an estimate from a handful of rows, for limits and for
 * those who wait.
 *
 * @module
 */

import { sql } from "kysely";
import { addDuration } from "../domain/calendar.ts";
import { MOST_RENEWALS_IN_TEST_STORE, periodIn } from "../domain/stores.ts";
import { USUAL_DURATION } from "../domain/subscription.ts";
import type { ProjectTx } from "../store/mod.ts";

/** So many steps pass in one advance of a clock at most. A step makes an event or two. */
export const MOST_DUE = 1_000_000;

/** Above so many steps an advance must be confirmed: they take more than a few seconds. */
export const MOST_DUE_UNASKED = 20_000;

/** Subscriptions of one kind that are due. */
interface Kind {
  /** Their store. */
  store: string;
  /** Their term, if they have one. */
  duration: string | null;
  /** Whether they renew. */
  auto_renewal_status: string;
  /** How many there are. */
  count: number;
  /** When they are due, on average, in milliseconds since 1970. */
  due_at: number;
}

/** About how many steps subscriptions make in a project until a moment. */
export async function countDue(tx: ProjectTx, until: number): Promise<number> {
  const kinds: Kind[] = await tx.selectFrom("subscriptions")
    .select(["store", "duration", "auto_renewal_status"])
    .select([sql<number>`count(*)`.as("count"), sql<number>`avg(due_at)`.as("due_at")])
    .where("due_at", "<=", until)
    .groupBy(["store", "duration", "auto_renewal_status"]).execute();
  const steps = kinds.map((kind) => kind.count * (1 + renewals(kind, until)));
  return Math.round(steps.reduce((sum, each) => sum + each, 0));
}

/** How often a subscription renews after it is due, until a moment. */
function renewals({ store, duration, auto_renewal_status, due_at }: Kind, until: number): number {
  const ends = auto_renewal_status === "will_not_renew" ||
    auto_renewal_status === "requires_price_increase_consent";
  if (ends) return 0;
  const period = addDuration(0, periodIn(store, duration ?? USUAL_DURATION));
  const most = store === "test_store" ? MOST_RENEWALS_IN_TEST_STORE : Infinity;
  return Math.min(most, Math.floor((until - due_at) / period));
}
