/**
 * The recipe of each type of event.
 *
 * @module
 */

import { fromMicros, payable, toMicros } from "../../domain/money.ts";
import type { StoreAbility } from "../../domain/stores.ts";
import { isOpen } from "../../domain/subscription.ts";
import type { PaymentStatus } from "../../store/holding_tables.ts";
import type { Row } from "../../store/tables.ts";
import type { DeedName } from "../subscriptions.ts";

/** A subscription of a customer, with the status of its latest payment. */
export interface Held extends Row<"subscriptions"> {
  /** The status of the latest successful payment, or null without one. */
  payment: PaymentStatus | null;
}

/** The recipe of an event. */
export interface Recipe {
  /** The product to buy, unless the customer has it; `none` if the event needs none. */
  product: "subscription" | "once" | "invoiced" | "believed" | "currency" | "none";
  /** The ability that the store must have. */
  needs?: StoreAbility;
  /**
   * Whether the steps can run on a subscription in its state. Obstacles are undone first, if
   * possible. Without this field the purchase itself makes the event, and always happens.
   */
  accepts?(held: Held): boolean;
  /** Whether the event belongs to the end of a period. A new customer has bought one period ago. */
  endsPeriod?: true;
  /** Whether all purchases of the customer move to another one, in place of steps. */
  transfers?: true;
  /** The steps. */
  steps: readonly RecipeStep[];
}

/** A step on a subscription. */
export interface RecipeStep {
  /** The action. */
  name: DeedName;
  /** The values besides the overrides. Default: none. */
  body?(held: Held, sent: object): object;
  /** The reason to skip it, for an earlier or a new subscription. */
  skip?(held: Held, bought: boolean): string | undefined;
}

/** The price rises by a quarter unless overridden, but at least by 1. */
const RAISE: RecipeStep = {
  name: "raise_price",
  body: ({ price_micros, currency }) => {
    const higher = payable(price_micros * 1.25, currency);
    return { price: fromMicros(higher > price_micros ? higher : price_micros + toMicros(1)) };
  },
};

/** All recipes by the type of their event. */
export const RECIPES: Readonly<Record<string, Recipe>> = {
  INITIAL_PURCHASE: { product: "subscription", steps: [] },
  RENEWAL: {
    product: "subscription",
    accepts: isCharged,
    endsPeriod: true,
    steps: [{ name: "renew" }],
  },
  PRODUCT_CHANGE: {
    product: "subscription",
    needs: "change_product",
    accepts: (held) => isRunning(held) && held.charge_fails === 0 && !isBusy(held),
    steps: [{ name: "change_product" }],
  },
  CANCELLATION: { product: "subscription", accepts: isOn, steps: [{ name: "cancel" }] },
  BILLING_ISSUE: {
    product: "subscription",
    accepts: (held) =>
      isRunning(held) && held.charge_fails === 0 &&
      renewsAs(held, "will_renew", "will_change_product"),
    endsPeriod: true,
    steps: [{ name: "fail" }],
  },
  NON_RENEWING_PURCHASE: { product: "once", steps: [] },
  UNCANCELLATION: {
    product: "subscription",
    needs: "uncancel",
    accepts: isOn,
    steps: [{ name: "cancel" }, { name: "uncancel" }],
  },
  TRANSFER: { product: "subscription", accepts: () => true, steps: [], transfers: true },
  SUBSCRIPTION_PAUSED: {
    product: "subscription",
    needs: "pause",
    accepts: (held) => held.status === "active" && renewsAs(held, "will_renew", "will_pause"),
    // The store sets the date on which it resumes.
    steps: [{ name: "pause", body: (_held, sent) => "until" in sent ? {} : { for: "P1M" } }],
  },
  EXPIRATION: {
    product: "subscription",
    accepts: isOpen,
    endsPeriod: true,
    steps: [{ name: "expire" }],
  },
  SUBSCRIPTION_EXTENDED: {
    product: "subscription",
    needs: "extend",
    accepts: (held) => isRunning(held) && !renewsAs(held, "has_already_renewed", "will_pause"),
    steps: [{ name: "extend", body: (_held, sent) => "until" in sent ? {} : { by: "P1W" } }],
  },
  INVOICE_ISSUANCE: { product: "invoiced", steps: [] },
  TEMPORARY_ENTITLEMENT_GRANT: { product: "believed", steps: [] },
  REFUND_REVERSED: {
    product: "subscription",
    needs: "reverse_refund",
    accepts: (held) =>
      held.payment === "refunded" ||
      isOpen(held) && held.period_type === "normal" && held.price_micros > 0,
    steps: [
      {
        name: "refund",
        body: () => ({ keep_access: true }),
        skip: ({ id, payment }) =>
          payment === "refunded" ? `the latest payment for ${id} is already refunded` : undefined,
      },
      { name: "reverse_refund" },
    ],
  },
  VIRTUAL_CURRENCY_TRANSACTION: {
    product: "currency",
    accepts: isCharged,
    steps: [{
      name: "renew",
      skip: (_held, bought) => bought ? "the purchase already added the currency" : undefined,
    }],
  },
  TEST: { product: "none", steps: [] },
  PRICE_INCREASE_CONSENT_REQUIRED: {
    product: "subscription",
    accepts: (held) => held.status === "active" && renewsAs(held, "will_renew"),
    steps: [RAISE],
  },
  PRICE_INCREASE_CONSENT_APPROVED: {
    product: "subscription",
    accepts: (held) =>
      held.status === "active" && renewsAs(held, "will_renew", "requires_price_increase_consent"),
    steps: [
      {
        ...RAISE,
        skip: (held) =>
          renewsAs(held, "requires_price_increase_consent")
            ? `a higher price is already announced for ${held.id}`
            : undefined,
      },
      { name: "agree_to_price" },
    ],
  },
};

/** Whether there is access, with a period that ends by itself. */
function isRunning({ status }: Held): boolean {
  return status === "active" || status === "trialing";
}

/** Whether the next step is a successful charge. */
function isCharged(held: Held): boolean {
  return isRunning(held) && held.charge_fails === 0 && renewsAs(held, "will_renew");
}

/** Whether there is access, with renewal on. */
function isOn(held: Held): boolean {
  return isOpen(held) && held.auto_renewal_status !== "will_not_renew";
}

/** Whether a change at the end of the period rules out a product change. */
function isBusy(held: Held): boolean {
  return renewsAs(held, "has_already_renewed", "will_pause", "requires_price_increase_consent");
}

function renewsAs(held: Held, ...statuses: Held["auto_renewal_status"][]): boolean {
  return statuses.includes(held.auto_renewal_status);
}
