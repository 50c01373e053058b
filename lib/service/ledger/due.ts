/**
 * An estimate of the steps due in a project by a time, from a few rows. Limits and progress
 * messages use it.
 *
 * @module
 */

import { sql } from "kysely";
import { addDuration } from "../domain/calendar.ts";
import { MOST_RENEWALS_IN_TEST_STORE, periodIn } from "../domain/stores.ts";
import { USUAL_DURATION } from "../domain/subscription.ts";
import type { ProjectTx } from "../store/mod.ts";

/** The most steps in one advance of a clock. A step makes one or two events. */
export const MOST_DUE = 1_000_000;

/** An advance with more steps must be confirmed, since it takes more than a few seconds. */
export const MOST_DUE_UNASKED = 20_000;

/** Due subscriptions with the same terms. */
interface Kind {
  /** Their store. */
  store: string;
  /** The length of their period, if any. */
  duration: string | null;
  /** Whether they renew. */
  auto_renewal_status: string;
  /** Their number. */
  count: number;
  /** Their average due time, in milliseconds since 1970. */
  due_at: number;
}

/** The approximate number of steps in a project until a time. */
export async function countDue(tx: ProjectTx, until: number): Promise<number> {
  const kinds: Kind[] = await tx.selectFrom("subscriptions")
    .select(["store", "duration", "auto_renewal_status"])
    .select([sql<number>`count(*)`.as("count"), sql<number>`avg(due_at)`.as("due_at")])
    .where("due_at", "<=", until)
    .groupBy(["store", "duration", "auto_renewal_status"]).execute();
  const steps = kinds.map((kind) => kind.count * (1 + renewals(kind, until)));
  return Math.round(steps.reduce((sum, each) => sum + each, 0));
}

/** The number of renewals of a due subscription until a time. */
function renewals({ store, duration, auto_renewal_status, due_at }: Kind, until: number): number {
  const ends = auto_renewal_status === "will_not_renew" ||
    auto_renewal_status === "requires_price_increase_consent";
  if (ends) return 0;
  const period = addDuration(0, periodIn(store, duration ?? USUAL_DURATION));
  const most = store === "test_store" ? MOST_RENEWALS_IN_TEST_STORE : Infinity;
  return Math.min(most, Math.floor((until - due_at) / period));
}
