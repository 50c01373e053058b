/**
 * What leads to each type of event, and what of it can be had otherwise.
 *
 * @module
 */

import { z } from "zod";
import type { StoreAbility } from "../domain/stores.ts";
import { invalid } from "../errors.ts";
import type { Row } from "../store/tables.ts";
import { purchaseRoutes } from "./purchases.ts";
import type { SimRoute } from "./route.ts";
import { subscriptionRoutes } from "./subscriptions.ts";

/** What leads to an event. */
export interface Recipe {
  /** What has to be bought, unless the customer has it; `none`: the event needs nothing. */
  product: "subscription" | "once" | "invoiced" | "currency" | "none";
  /** Whether it is the purchase itself that counts. */
  fresh?: boolean;
  /** What the store must be able to. */
  needs?: StoreAbility;
  /** How the renewal must stand, of what the customer has. */
  renewals?: readonly string[];
  /** What is done to it then. */
  steps: readonly RecipeStep[];
}

/** Something that is done to a subscription. */
export interface RecipeStep {
  /** The last part of its path, or `transfer`. */
  name: string;
  /** What is sent. Default: nothing. */
  body?: object;
  /** Whether it is done already. */
  skip?(subscription: Row<"subscriptions">): boolean;
}

const RENEWING = ["will_renew"];

/** All recipes by the type of event that they lead to. */
export const RECIPES: Readonly<Record<string, Recipe>> = {
  INITIAL_PURCHASE: { product: "subscription", fresh: true, steps: [] },
  RENEWAL: { product: "subscription", renewals: RENEWING, steps: [{ name: "renew" }] },
  PRODUCT_CHANGE: {
    product: "subscription",
    needs: "change_product",
    renewals: RENEWING,
    steps: [{ name: "change_product" }],
  },
  CANCELLATION: { product: "subscription", renewals: RENEWING, steps: [{ name: "cancel" }] },
  BILLING_ISSUE: { product: "subscription", renewals: RENEWING, steps: [{ name: "fail" }] },
  NON_RENEWING_PURCHASE: { product: "once", fresh: true, steps: [] },
  UNCANCELLATION: {
    product: "subscription",
    needs: "uncancel",
    renewals: ["will_renew", "will_not_renew"],
    steps: [
      { name: "cancel", skip: (held) => held.auto_renewal_status === "will_not_renew" },
      { name: "uncancel" },
    ],
  },
  TRANSFER: { product: "subscription", steps: [{ name: "transfer" }] },
  SUBSCRIPTION_PAUSED: {
    product: "subscription",
    needs: "pause",
    renewals: RENEWING,
    steps: [{ name: "pause" }],
  },
  EXPIRATION: { product: "subscription", steps: [{ name: "expire" }] },
  SUBSCRIPTION_EXTENDED: {
    product: "subscription",
    needs: "extend",
    renewals: RENEWING,
    steps: [{ name: "extend", body: { by: "P1W" } }],
  },
  INVOICE_ISSUANCE: { product: "invoiced", fresh: true, steps: [] },
  REFUND_REVERSED: {
    product: "subscription",
    needs: "reverse_refund",
    renewals: RENEWING,
    steps: [{ name: "refund", body: { keep_access: true } }, { name: "reverse_refund" }],
  },
  VIRTUAL_CURRENCY_TRANSACTION: { product: "currency", fresh: true, steps: [] },
  TEST: { product: "none", steps: [] },
};

/** The fields of what a step sends, by its name. */
const FIELDS: ReadonlyMap<string, readonly string[]> = new Map([
  ["purchase", fieldsOf(purchaseRoutes.find(({ path }) => path === "/purchases"))],
  ["transfer", ["target_customer_id"]],
  ...subscriptionRoutes.map((route) =>
    [route.path.split("/").at(-1) ?? "", fieldsOf(route)] as const
  ),
]);

/** Refuses an override of what a recipe does not send. */
export function checkOverrides(type: string, recipe: Recipe, overrides: object): void {
  const steps = [
    ...recipe.product === "none" ? [] : ["purchase"],
    ...recipe.steps.map(({ name }) => name),
  ];
  const known = steps.flatMap((step) => (FIELDS.get(step) ?? []).map((field) => `${step}.${field}`))
    .filter((path) => path !== "purchase.customer_id");
  const wrong = Object.keys(overrides).find((path) => !known.includes(path));
  if (wrong === undefined) return;
  const choice = known.length > 0 ? `there are ${known.join(", ")}` : "there is none";
  throw invalid("overrides", `There is no override ${JSON.stringify(wrong)} of ${type}; ${choice}`);
}

/** What of the overrides is for a step. */
export function overridesOf(overrides: object, step: string): Record<string, unknown> {
  const prefix = `${step}.`;
  return Object.fromEntries(
    Object.entries(overrides).filter(([path]) => path.startsWith(prefix))
      .map(([path, value]) => [path.slice(prefix.length), value]),
  );
}

function fieldsOf(route: SimRoute | undefined): string[] {
  return route?.body instanceof z.ZodObject ? Object.keys(route.body.shape) : [];
}
