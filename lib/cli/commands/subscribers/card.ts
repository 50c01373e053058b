/**
 * A subscriber on the screen: a card, and its active entitlements below.
 *
 * @module
 */

import type { ActiveEntitlement, Customer } from "../../../resources/customers.ts";
import { nestedItems } from "../../../page.ts";
import type { Context } from "../../context.ts";
import type { Column } from "../../screen/output.ts";
import { cardFields, showOne } from "../../words/plain.ts";

/** The options of a subscriber's card. */
interface SubscriberOptions {
  /** A line above the card. */
  title?: string | undefined;
  /** Lookup keys of entitlements by their ids, as far as they are known. */
  keys?: ReadonlyMap<string, string> | undefined;
}

/** Shows a subscriber as the service returned it: a card and a table, or unchanged JSON. */
export function showSubscriber(
  context: Context,
  customer: Customer | null | undefined,
  { title, keys }: SubscriberOptions = {},
): void {
  const { out } = context;
  if (!customer) return out.warn("The service's answer does not contain the subscriber");
  if (out.format === "json") return showOne(context, customer);
  showSubscriberCard(context, customer, title);
  const active = nestedItems(customer.active_entitlements);
  out.table(active, columns(keys), {
    title: `Active entitlements (${active.length})`,
    empty: "none",
  });
}

/** Shows the card alone. Tables show the lists. */
export function showSubscriberCard({ out }: Context, customer: Customer, title?: string): void {
  const { active_entitlements: _, experiment, ...own } = customer;
  const shown = experiment ? { ...own, experiment } : own;
  out.card(shown, cardFields(shown), { title });
}

function columns(keys: ReadonlyMap<string, string> = new Map()): Column<ActiveEntitlement>[] {
  return [
    {
      header: "entitlement",
      value: ({ entitlement_id }) => keys.get(entitlement_id) ?? entitlement_id,
      kind: "id",
    },
    { header: "expires", value: ({ expires_at }) => expires_at ?? "never", kind: "time" },
  ];
}
