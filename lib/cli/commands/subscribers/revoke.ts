/**
 * `cli subscribers revoke`: revokes a grant of an entitlement.
 *
 * @module
 */

import { args, clockOf } from "./entitlement.ts";
import { type Client } from "../../../client.ts";
import { ApiError } from "../../../errors.ts";
import { nestedItems } from "../../../page.ts";
import {
  type Customer,
  getCustomer,
  grantEntitlement,
  revokeGrantedEntitlement,
} from "../../../resources/customers.ts";
import { type Entitlement, getEntitlement } from "../../../resources/entitlements.ts";
import { command, toggle } from "../../words/command.ts";
import type { Context } from "../../context.ts";
import { askAbout, confirmFlags } from "../../words/plain.ts";
import { showSubscriber } from "./card.ts";
import {
  endOf,
  entitlementIn,
  givesAccess,
  type Holding,
  isGrant,
  keysOf,
  longest,
  nameOf,
  permitted,
  productNames,
  readPurchases,
  readSubscriptions,
} from "./holdings.ts";
import { time } from "../../screen/display.ts";

/** Ends a grant. */
export const revoke = command({
  brief: "Revoke a grant of an entitlement",
  details: "The grant ends 5 seconds later, or at once with --now, which not every service " +
    "supports. Access through a store stays until the subscription ends or is refunded. The " +
    "command shows such access before it asks; for that, the sign-in needs permission to " +
    "read subscriptions.",
  args,
  flags: { now: toggle("End the grant at once"), ...confirmFlags },
  async run(context, { user_id, entitlement, now: atOnce, ...input }) {
    const { out } = context;
    const client = await context.client();
    const [customer, found] = await Promise.all([
      getCustomer(client, user_id),
      // A nonexistent entitlement is a typing error, unlike one without a grant.
      permitted(getEntitlement(client, entitlement)),
    ]);
    const now = clockOf(context, customer);
    const holdings = await holdingsOf(context, client, customer, found);
    const giving = holdings.filter((one) => givesAccess(one) && entitlementIn(one, entitlement));
    const given = longest(giving.filter(isGrant));
    const keys = keysOf(holdings.flatMap((one) => nestedItems(one.entitlements)));
    const leave = (why: string) => {
      showSubscriber(context, customer, { keys });
      out.done(`Nothing to revoke: ${why}`);
    };
    await tellOthers(context, client, entitlement, giving.filter((one) => !isGrant(one)));
    if (given === undefined) return leave(`${user_id} has no grant of ${entitlement}`);
    const until = endOf(given) ?? Infinity;
    const soon = `the grant of ${entitlement} ends at ${time(until)} anyway`;
    if (!atOnce && until <= now() + SOONEST) return leave(soon);
    const deed = `Revoke the grant of ${entitlement} from ${user_id}`;
    await askAbout(context, input, () => deed);
    if (atOnce) {
      const answer = await revokeGrantedEntitlement(client, user_id, {
        entitlement_id: entitlement,
      });
      showSubscriber(context, answer, { keys });
      return out.done(`Revoked the grant of ${entitlement}`);
    }
    const end = (expires_at: number) =>
      grantEntitlement(client, user_id, { entitlement_id: entitlement, expires_at });
    const ended = await endSoon(end, now, until);
    if (ended === undefined) return leave(soon);
    showSubscriber(context, ended.answer, { keys });
    out.done(`Revoked the grant of ${entitlement}: it ends at ${time(ended.at)}`);
  },
});

/**
 * The possible sources of a customer's entitlement. Subscriptions, including grants, must be
 * readable unless the customer is known to have nothing.
 */
async function holdingsOf(
  { out }: Context,
  client: Client,
  customer: Customer,
  entitlement: Entitlement | undefined,
): Promise<Holding[]> {
  const mayHave = couldHave(customer, entitlement);
  const reading = readSubscriptions(client, customer.id);
  const [subscriptions, purchases] = await Promise.all([
    mayHave ? reading : permitted(reading),
    permitted(readPurchases(client, customer.id)),
  ]);
  if (mayHave && !purchases) {
    out.warn(
      "Access through purchases is unknown: they cannot be read. A revoked grant does not end it",
    );
  }
  return [...subscriptions ?? [], ...purchases ?? []];
}

/** Whether a customer may have an entitlement, as far as the customer itself shows it. */
function couldHave(
  { active_entitlements }: Customer,
  entitlement: Entitlement | undefined,
): boolean {
  if (!active_entitlements?.items || active_entitlements.next_page) return true;
  // Without its id it cannot be identified among the active ones.
  return active_entitlements.items.some(({ entitlement_id }) =>
    entitlement_id === (entitlement?.id ?? entitlement_id)
  );
}

/** How long after now a revoked grant ends, in milliseconds: a service does not accept the past. */
const SOONEST = 5_000;

/**
 * The same, and longer values for retries. The first works if a service sends its time; the others
 * are for a service that does not, with a clock ahead of ours.
 */
const SOON = [SOONEST, 60_000, 600_000];

/** Makes a grant end soon. Undefined if it already ends sooner. */
async function endSoon(
  end: (at: number) => Promise<Customer>,
  now: () => number,
  until: number,
  [ahead = 0, ...further]: readonly number[] = SOON,
): Promise<{ answer: Customer; at: number } | undefined> {
  const at = now() + ahead;
  if (until <= at) return undefined;
  try {
    return { answer: await end(at), at };
  } catch (error) {
    const past = error instanceof ApiError && error.param === "expires_at";
    if (!past || further.length === 0) throw error;
    return await endSoon(end, now, until, further);
  }
}

/** Warns of other sources of the entitlement. */
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
    const until = end === null ? "forever" : `until ${time(end)}`;
    const about = [one.store, one.id].filter(Boolean).join(", ");
    const what = `${nameOf(one, names)}${about && ` (${about})`}`;
    out.warn(`Access to ${entitlement} remains ${until} through ${what}`);
  }
}
