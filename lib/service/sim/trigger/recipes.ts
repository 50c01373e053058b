/**
 * What leads to each type of event.
 *
 * @module
 */

import { fromMicros, payable, toMicros } from "../../domain/money.ts";
import type { StoreAbility } from "../../domain/stores.ts";
import { isOpen } from "../../domain/subscription.ts";
import type { PaymentStatus } from "../../store/holding_tables.ts";
import type { Row } from "../../store/tables.ts";
import type { DeedName } from "../subscriptions.ts";

/** A subscription that a customer has, and what became of its latest payment. */
export interface Held extends Row<"subscriptions"> {
  /** The status of the latest payment that went through, or null without one. */
  payment: PaymentStatus | null;
}

/** What leads to an event. */
export interface Recipe {
  /** What has to be bought, unless the customer has it; `none`: the event needs nothing. */
  product: "subscription" | "once" | "invoiced" | "believed" | "currency" | "none";
  /** What the store must be able to. */
  needs?: StoreAbility;
  /**
   * Whether the steps can be done to a subscription as it stands. What stands in their way is undone
   * first where that is possible. Without it the purchase itself counts, and is always made.
   */
  accepts?(held: Held): boolean;
  /** Whether all that the customer has is moved to another one, in place of steps. */
  transfers?: true;
  /** What is done to it then. */
  steps: readonly RecipeStep[];
}

/** Something that is done to a subscription. */
export interface RecipeStep {
  /** What is done. */
  name: DeedName;
  /** What is sent besides what overrides send. Default: nothing. */
  body?(held: Held, sent: object): object;
  /** Why it need not be done to what the customer had, or to what was bought just now. */
  skip?(held: Held, bought: boolean): string | undefined;
}

/** The price goes up, by a quarter where nobody says, or by 1 where that is too little to pay. */
const RAISE: RecipeStep = {
  name: "raise_price",
  body: ({ price_micros, currency }) => {
    const higher = payable(price_micros * 1.25, currency);
    return { price: fromMicros(higher > price_micros ? higher : price_micros + toMicros(1)) };
  },
};

/** All recipes by the type of event that they lead to. */
export const RECIPES: Readonly<Record<string, Recipe>> = {
  INITIAL_PURCHASE: { product: "subscription", steps: [] },
  RENEWAL: { product: "subscription", accepts: isCharged, steps: [{ name: "renew" }] },
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
    // The store names a day on which it goes on.
    steps: [{ name: "pause", body: (_held, sent) => "until" in sent ? {} : { for: "P1M" } }],
  },
  EXPIRATION: { product: "subscription", accepts: isOpen, steps: [{ name: "expire" }] },
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

/** Whether there is access, and a period that time alone would end. */
function isRunning({ status }: Held): boolean {
  return status === "active" || status === "trialing";
}

/** Whether the next thing that happens is a charge that goes through. */
function isCharged(held: Held): boolean {
  return isRunning(held) && held.charge_fails === 0 && renewsAs(held, "will_renew");
}

/** Whether there is access and a renewal to switch off. */
function isOn(held: Held): boolean {
  return isOpen(held) && held.auto_renewal_status !== "will_not_renew";
}

/** Whether something was set for the end of the period that no product can be changed beside. */
function isBusy(held: Held): boolean {
  return renewsAs(held, "has_already_renewed", "will_pause", "requires_price_increase_consent");
}

function renewsAs(held: Held, ...statuses: Held["auto_renewal_status"][]): boolean {
  return statuses.includes(held.auto_renewal_status);
}
