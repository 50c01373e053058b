/**
 * `cli subscribers grant` and `cli subscribers revoke`: entitlements given by hand, and taken back.
 *
 * @module
 */

import { answeredAt, type Client } from "../../client.ts";
import { ApiError } from "../../errors.ts";
import { type Customer, getCustomer, grantEntitlement } from "../../resources/customers.ts";
import { type Entitlement, getEntitlement } from "../../resources/entitlements.ts";
import { argument, command, requiredText } from "../command.ts";
import type { Context } from "../context.ts";
import { time } from "../display.ts";
import { parseDuration } from "../input.ts";
import { askFirst, confirmFlags } from "../plain.ts";
import { showSubscriber } from "./subscribers_card.ts";
import {
  endOf,
  entitlementIn,
  givesAccess,
  type Holding,
  isGrant,
  keysOf,
  nameOf,
  permitted,
  productNames,
  readHoldings,
} from "./subscribers_holdings.ts";

const args = {
  user_id: argument("The subscriber's app user id"),
  entitlement: argument("The entitlement's lookup key or id"),
};

/** Gives an entitlement for a while. */
export const grant = command({
  brief: "Grant a subscriber an entitlement",
  details: "For a while: 30d (days), 3m (months of 30 days), 1y (years of 365 days), forever or " +
    "lifetime (100 years). A later grant of the same entitlement replaces an earlier one, also " +
    "where it ends sooner.",
  examples: [
    "cli subscribers grant ada pro --duration 30d",
    "cli subscribers grant ada pro -d forever -y",
  ],
  args,
  flags: {
    duration: requiredText("How long: 30d, 3m, 1y, forever or lifetime", {
      short: "d",
      placeholder: "time",
    }),
    ...confirmFlags,
  },
  async run(context, { user_id, entitlement, duration, ...input }) {
    // Refused before anything is asked or sent.
    parseDuration(duration, context.around.now());
    const client = await context.client();
    const [customer, found] = await Promise.all([
      getCustomer(client, user_id),
      permitted(getEntitlement(client, entitlement)),
    ]);
    // Worked out once: what is stored is the moment that was asked about.
    const expires_at = parseDuration(duration, clockOf(context, customer)());
    const name = found?.lookup_key ?? entitlement;
    warnOfShorter(context, customer, found, expires_at);
    await askFirst(context, input, `Grant ${name} to ${user_id} until ${utc(expires_at)}?`);
    const body = { entitlement_id: entitlement, expires_at };
    const answer = await grantEntitlement(client, user_id, body);
    showSubscriber(context, answer, { keys: keysOf(found ? [found] : []) });
    context.out.done(`Granted ${name} to ${user_id} until ${utc(expires_at)}`);
  },
});

/** Ends a grant. */
export const revoke = command({
  brief: "Revoke a grant of an entitlement",
  details: "The grant is made to end 5 seconds later. Access through a store stays, and is told " +
    "before anything is asked: it ends with the subscription or a refund.",
  args,
  flags: confirmFlags,
  async run(context, { user_id, entitlement, ...input }) {
    const client = await context.client();
    const [customer] = await Promise.all([
      getCustomer(client, user_id),
      // An entitlement that does not exist is a typing error, not one that nobody was granted.
      permitted(getEntitlement(client, entitlement)),
    ]);
    const now = clockOf(context, customer);
    const holdings = await permitted(readHoldings(client, user_id));
    const giving = holdings?.filter((one) => givesAccess(one) && entitlementIn(one, entitlement));
    const others = giving?.filter((one) => !isGrant(one)) ?? [];
    const keys = keysOf(holdings?.flatMap((one) => one.entitlements.items) ?? []);
    if (giving === undefined) {
      context.out.warn("Access through a store, if there is any, stays; it cannot be read");
    }
    await tellOthers(context, client, entitlement, others);
    if (giving?.length === others.length) {
      showSubscriber(context, customer, { keys });
      return context.out.done(`Nothing to revoke: ${user_id} has no grant of ${entitlement}`);
    }
    await askFirst(context, input, `Revoke the grant of ${entitlement} from ${user_id}?`);
    const { answer, end } = await endSoon(client, user_id, entitlement, now);
    showSubscriber(context, answer, { keys });
    context.out.done(`Revoked the grant of ${entitlement}: it ends at ${utc(end)}`);
  },
});

/**
 * How far ahead a grant ends that is to end now, in milliseconds. A service takes only what is in its
 * future. Where it tells its own time, the first will do; the others are for one that does not, and
 * whose clock is ahead of ours.
 */
const SOON = [5_000, 60_000, 600_000];

/** Replaces a grant by one that ends soon. */
async function endSoon(
  client: Client,
  userId: string,
  entitlement_id: string,
  now: () => number,
  [ahead = 0, ...further]: readonly number[] = SOON,
): Promise<{ answer: Customer; end: number }> {
  const end = now() + ahead;
  try {
    const answer = await grantEntitlement(client, userId, { entitlement_id, expires_at: end });
    return { answer, end };
  } catch (error) {
    const past = error instanceof ApiError && error.param === "expires_at";
    if (!past || further.length === 0) throw error;
    return await endSoon(client, userId, entitlement_id, now, further);
  }
}

/** A clock that shows the service's time: its project may live in simulated time. */
function clockOf({ around }: Context, answer: object): () => number {
  const told = answeredAt(answer);
  // Less than that is the time that the answer took, and what it leaves out of the second.
  const ahead = told === undefined ? 0 : told - around.now();
  return () => around.now() + (Math.abs(ahead) < 3000 ? 0 : ahead);
}

/** Says so when the subscriber has the entitlement for longer already. */
function warnOfShorter(
  { out }: Context,
  { id, active_entitlements }: Customer,
  entitlement: Entitlement | undefined,
  until: number,
): void {
  const active = active_entitlements?.items.find(({ entitlement_id }) =>
    entitlement_id === entitlement?.id
  );
  if (!entitlement || !active || (active.expires_at ?? Infinity) <= until) return;
  const end = active.expires_at === null ? "for ever" : `until ${utc(active.expires_at)}`;
  out.warn(
    `${id} has ${entitlement.lookup_key} ${end} already; this grant ends sooner, and replaces an ` +
      "earlier grant",
  );
}

/** Says through what else the subscriber keeps an entitlement. */
async function tellOthers(
  { out }: Context,
  client: Client,
  entitlement: string,
  others: readonly Holding[],
): Promise<void> {
  if (others.length === 0) return;
  const names = await permitted(productNames(client, others)) ?? new Map();
  for (const one of others) {
    const end = endOf(one);
    const until = end === null ? "for ever" : `until ${utc(end)}`;
    const what = `${nameOf(one, names)} (${one.store}, ${one.id})`;
    out.warn(`Access to ${entitlement} remains ${until} through ${what}`);
  }
}

/** A time for people. */
function utc(ms: number): string {
  return `${time(ms)} UTC`;
}
