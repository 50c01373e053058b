/**
 * The fields that an expectation can name. Without a check, `{ absent: true }` would always hold for
 * a misspelled one.
 *
 * @module
 */

import type { Purchase } from "../../resources/purchases.ts";
import type { Subscription } from "../../resources/subscriptions.ts";
import { didYouMean } from "../../spelling.ts";
import { complain, type Kind, type Made, mapOf, type Scope } from "../values/kinds.ts";
import { made } from "../values/names.ts";
import { matcherIn } from "./match.ts";
import { withVariables } from "../values/references.ts";
import type { Node } from "../values/tree.ts";

/** Every field of a subscription. The compiler finds missing ones and others. */
const SUBSCRIPTION: Readonly<Record<keyof Subscription, true>> = {
  object: true,
  id: true,
  customer_id: true,
  original_customer_id: true,
  product_id: true,
  starts_at: true,
  current_period_starts_at: true,
  current_period_ends_at: true,
  ends_at: true,
  gives_access: true,
  pending_payment: true,
  auto_renewal_status: true,
  status: true,
  total_revenue_in_usd: true,
  presented_offering_id: true,
  entitlements: true,
  environment: true,
  store: true,
  store_subscription_identifier: true,
  ownership: true,
  pending_changes: true,
  country: true,
  management_url: true,
};

/** Every field of a purchase. The compiler finds missing ones and others. */
const PURCHASE: Readonly<Record<keyof Purchase, true>> = {
  object: true,
  id: true,
  customer_id: true,
  original_customer_id: true,
  product_id: true,
  purchased_at: true,
  revenue_in_usd: true,
  quantity: true,
  status: true,
  presented_offering_id: true,
  entitlements: true,
  environment: true,
  store: true,
  store_purchase_identifier: true,
  ownership: true,
  country: true,
};

const FIELDS: Readonly<Record<Made, readonly string[]>> = {
  subscription: Object.keys(SUBSCRIPTION),
  purchase: Object.keys(PURCHASE),
};

/** The names of the headline numbers. A test compares them with those of the service. */
export const METRICS: readonly string[] = [
  "active_trials",
  "active_subscriptions",
  "mrr",
  "revenue",
  "new_customers",
  "active_users",
  "lifetime_revenue",
  "conversion",
];

/** A map of names that steps gave to expected fields of what they made. */
export function madeFields(value: Kind, ...kinds: readonly Made[]): Kind {
  const map = mapOf(made(...kinds), value, "a map of names to fields");
  return {
    ...map,
    read(node, scope) {
      const before = scope.problems.length;
      const read = map.read(node, scope);
      if (scope.problems.length > before || node.kind !== "map") return read;
      for (const entry of node.entries) {
        const is = scope.names.get(withVariables(entry.key, scope.vars));
        const known = is ? FIELDS[is] : [...new Set([...FIELDS.subscription, ...FIELDS.purchase])];
        const missing = (key: string) => `no ${is ?? "purchase"} has the field ${key}`;
        checkKeys(entry.value, known, scope, missing);
      }
      return read;
    },
  };
}

/** A map of names of headline numbers to expected values. */
export function metricsKind(value: Kind, name: Kind): Kind {
  const map = mapOf(name, value, "a map of names to numbers");
  return {
    ...map,
    read(node, scope) {
      checkKeys(node, METRICS, scope, (key) => `there is no metric ${key}`, "There are: ");
      return map.read(node, scope);
    },
  };
}

/** Says which keys of a map are not known. A matcher has no such keys. */
function checkKeys(
  node: Node,
  known: readonly string[],
  scope: Scope,
  missing: (key: string) => string,
  list = "Its fields: ",
): void {
  if (node.kind !== "map" || matcherIn(node) !== undefined) return;
  for (const { key: written, at } of node.entries) {
    const key = withVariables(written, scope.vars);
    if (known.includes(key)) continue;
    const like = didYouMean(key, known);
    complain(scope, at, missing(JSON.stringify(key)) + like, list + known.join(", "));
  }
}
