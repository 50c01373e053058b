/**
 * `cli subscribers grant`: grants an entitlement.
 *
 * @module
 */

import { args, clockOf } from "./entitlement.ts";
import { nestedItems } from "../../../page.ts";
import { type Customer, getCustomer, grantEntitlement } from "../../../resources/customers.ts";
import { type Entitlement, getEntitlement } from "../../../resources/entitlements.ts";
import { command, requiredText } from "../../words/command.ts";
import type { Context } from "../../context.ts";
import { parseDuration } from "../../input/input.ts";
import { askAbout, confirmFlags } from "../../words/plain.ts";
import { showSubscriber } from "./card.ts";
import { keysOf, permitted } from "./holdings.ts";
import { time } from "../../screen/display.ts";

/** Grants an entitlement for a limited time. */
export const grant = command({
  brief: "Grant a subscriber an entitlement",
  details:
    "For a limited time: 30d (days), 3m (months of 30 days), 1y (years of 365 days), forever " +
    "or lifetime (100 years). A later grant of the same entitlement replaces an earlier one, " +
    "even if it ends sooner.",
  examples: [
    "cli subscribers grant ada pro --duration 30d",
    "cli subscribers grant ada pro -d forever -y",
  ],
  args,
  flags: {
    duration: requiredText("The duration: 30d, 3m, 1y, forever or lifetime", {
      short: "d",
      placeholder: "time",
    }),
    ...confirmFlags,
  },
  async run(context, { user_id, entitlement, duration, ...input }) {
    // Refused before any question or request.
    parseDuration(duration, context.around.now());
    const client = await context.client();
    const [customer, found] = await Promise.all([
      getCustomer(client, user_id),
      permitted(getEntitlement(client, entitlement)),
    ]);
    // Computed once: the stored time is the confirmed one.
    const expires_at = parseDuration(duration, clockOf(context, customer)());
    const name = found?.lookup_key ?? entitlement;
    warnOfShorter(context, customer, found, expires_at);
    const deed = `Grant ${name} to ${user_id} until ${time(expires_at)}`;
    await askAbout(context, input, () => deed);
    const body = { entitlement_id: entitlement, expires_at };
    const answer = await grantEntitlement(client, user_id, body);
    showSubscriber(context, answer, { keys: keysOf(found ? [found] : []) });
    context.out.done(`Granted ${name} to ${user_id} until ${time(expires_at)}`);
  },
});

/** Warns if the subscriber already has the entitlement for longer. */
function warnOfShorter(
  { out }: Context,
  { id, active_entitlements }: Customer,
  entitlement: Entitlement | undefined,
  until: number,
): void {
  const active = nestedItems(active_entitlements).find(({ entitlement_id }) =>
    entitlement_id === entitlement?.id
  );
  if (!entitlement || !active || (active.expires_at ?? Infinity) <= until) return;
  const end = active.expires_at ? `until ${time(active.expires_at)}` : "forever";
  out.warn(
    `${id} already has ${entitlement.lookup_key ?? entitlement.id} ${end}; ` +
      "this grant ends sooner and replaces an earlier grant",
  );
}
