/**
 * `cli simulate renew`, `cancel`, …: what customers and stores do to a subscription.
 *
 * @module
 */

import { UsageError } from "../../../errors.ts";
import type { Subscription } from "../../../resources/subscriptions.ts";
import {
  type Argument,
  argument,
  type Arguments,
  choice,
  type Command,
  command,
  type Flags,
  type Input,
  toggle,
} from "../../words/command.ts";
import { dataFlag } from "../../local/local_service.ts";
import { quoted } from "../../words/shell.ts";
import {
  moment,
  openSimulator,
  orNull,
  parsePrice,
  period,
  periodOrNone,
  price,
  userId,
} from "../../local/simulator.ts";
import { showBought } from "./told.ts";
import {
  agreeToPrice,
  cancelSubscription,
  changeProduct,
  expireSubscription,
  extendSubscription,
  type Extension,
  failCharge,
  pauseSubscription,
  type ProductChange,
  raisePrice,
  recoverCharge,
  renewSubscription,
  resumeSubscription,
  shareSubscription,
  uncancelSubscription,
} from "../../../simulator/subscriptions.ts";
import type { Simulator } from "../../../simulator/simulator.ts";

/** Something that is done to a subscription. */
interface Action<A, F, Body> {
  /** Asks the simulator to do it. */
  send(simulator: Simulator, id: string, body: Body): Promise<Subscription>;
  /** More about it, for the help text. */
  details?: string;
  /** Command lines to learn from, for the help text. */
  examples?: readonly string[];
  /** Values given by position, after the subscription's id. */
  args?: A;
  /** Its flags. */
  flags?: F;
  /** The body that is sent. Default: none. */
  body?(input: Input<A, F>): Body;
  /** What has happened, for people: "Renewed". */
  told(input: Input<A, F>): string;
}

/** Makes the command of an action. */
function act<
  A extends Arguments = Record<never, never>,
  F extends Flags = Record<never, never>,
  Body extends object = Record<never, never>,
>(brief: string, action: Action<A, F, Body>): Command {
  const { details, examples } = action;
  return command<{ subscription_id: Argument<string> }, typeof dataFlag>({
    brief,
    details,
    examples,
    args: { subscription_id: argument("The subscription's id"), ...action.args },
    flags: { ...action.flags, ...dataFlag },
    async run(context, input) {
      const { subscription_id: id, data } = input;
      // The parser has read the values of the action's own arguments and flags as well.
      const own = input as Input<A, F>;
      const body = action.body?.(own) ?? {} as Body;
      const after = await action.send(await openSimulator(context, data), id, body);
      showBought(context, data, after, action.told(own));
    },
  });
}

const GRACE = periodOrNone("The grace period (default: the product's own)", "--grace");

const REASONS = [
  "UNSUBSCRIBE",
  "BILLING_ERROR",
  "DEVELOPER_INITIATED",
  "PRICE_INCREASE",
  "CUSTOMER_SUPPORT",
  "UNKNOWN",
] as const;

/** The commands, by name. */
export const subscriptionActions: Readonly<Record<string, Command>> = {
  renew: act("Charge for the next period now", {
    send: renewSubscription,
    details: "A trial becomes paid; a paid subscription renews early. Due renewals happen by " +
      "themselves when the clock reaches them.",
    told: () => "Renewed",
  }),
  fail: act("Make a charge fail", {
    send: failCharge,
    details: "The period ends now without payment. Access continues through the grace period, if " +
      "there is one. All further charges fail until: cli simulate recover <subscription-id>",
    examples: ["cli simulate fail sub1ab2c3d4e5 --grace 16d"],
    flags: { at_renewal: toggle("Let the next renewal fail instead"), grace: GRACE },
    body: ({ at_renewal, grace }) => ({
      when: at_renewal ? "renewal" : "now",
      grace: orNull(grace),
    }),
    told: ({ at_renewal }) => at_renewal ? "The next charge will fail" : "The charge failed",
  }),
  recover: act("Make charges succeed again", {
    send: recoverCharge,
    details: "Also makes the outstanding charge.",
    told: () => "Charges succeed again",
  }),
  cancel: act("Switch renewal off, as the customer does", {
    send: cancelSubscription,
    told: () => "Cancelled",
  }),
  uncancel: act("Switch renewal on again", {
    send: uncancelSubscription,
    told: () => "Renewal is on again",
  }),
  pause: act("Pause a subscription at the end of its period", {
    send: pauseSubscription,
    details: "The pause lasts until you resume it, or until the given end.",
    examples: ["cli simulate pause sub1ab2c3d4e5 --for P2M"],
    flags: {
      until: moment("The end of the pause", "--until"),
      for: period("The length of the pause", "--for"),
    },
    body: (input) => ({ until: input.until, for: input.for }),
    told: () => "It will pause",
  }),
  resume: act("End a pause, or cancel a pending one", {
    send: resumeSubscription,
    told: () => "Resumed",
  }),
  "change-product": act("Change to another product of the app", {
    send: changeProduct,
    details:
      "A product without its own price or length needs --price or --duration. A change at the " +
      "end of the period uses the product's own length.",
    examples: [
      "cli simulate change-product sub1ab2c3d4e5 notes.pro.annual --price 59.99",
      "cli simulate change-product sub1ab2c3d4e5 weekly --price 2.99 --duration P1W",
    ],
    args: { product_id: argument("The product's id or store identifier") },
    flags: {
      at_period_end: toggle("Change at the end of the period (default: now)"),
      price: price("The price (default: the product's own)"),
      duration: period("The length of a period (default: the product's own)", "--duration"),
    },
    body: changeOf,
    told: ({ product_id, at_period_end }) =>
      at_period_end ? `It will change to ${product_id}` : `Changed to ${product_id}`,
  }),
  extend: act("Extend a subscription's period", {
    send: extendSubscription,
    details: "Needs --by or --until.",
    examples: [
      "cli simulate extend sub1ab2c3d4e5 --by 30d",
      "cli simulate extend sub1ab2c3d4e5 --until 2027-01-31T12:00:00Z",
    ],
    flags: {
      by: period("The time to add", "--by"),
      until: moment("The new end", "--until"),
    },
    body: extensionOf,
    told: () => "Extended",
  }),
  expire: act("End a subscription at once", {
    send: expireSubscription,
    flags: {
      reason: choice("The reason in events (default: the reason for its cancellation)", REASONS),
    },
    body: ({ reason }) => ({ reason }),
    told: () => "Ended",
  }),
  "raise-price": act("Announce a higher price", {
    send: raisePrice,
    details: "Unless the customer agrees, the subscription ends with its period.",
    args: { price: argument("The new price, in the subscription's currency") },
    body: ({ price }) => ({ price: parsePrice(price) }),
    told: ({ price }) => `Announced the price ${price}`,
  }),
  "agree-to-price": act("Accept a higher price, as the customer does", {
    send: agreeToPrice,
    told: () => "The customer agreed to the price",
  }),
  "family-share": act("Share a subscription with a family member", {
    send: shareSubscription,
    details: "The member gets a subscription that costs nothing and follows this one.",
    args: { user_id: argument("The member's app user id; an unknown id is created") },
    body: ({ user_id }) => ({ customer_id: userId(user_id) }),
    told: ({ user_id }) => `Shared with ${user_id}`,
  }),
};

/** The body of an extension, which is told in one of two ways. */
function extensionOf({ by, until }: {
  by: string | undefined;
  until: number | undefined;
}): Extension {
  if ((by === undefined) === (until === undefined)) {
    const why = by === undefined
      ? "--by or --until is missing"
      : "--by and --until exclude each other";
    throw new UsageError(`Cannot extend a subscription's period: ${why}`, {
      hint: "Pass one of them: --by 30d, or --until 2027-01-31",
    });
  }
  return { by, until };
}

/** What a change to another product is told by. */
interface ChangeInput {
  /** The product's id, or the store's name of it. */
  product_id: string;
  /** Whether it happens at the end of the period. */
  at_period_end: boolean | undefined;
  /** The price, in main units. */
  price: number | undefined;
  /** The length of a period. */
  duration: string | undefined;
}

/** The body of a change to another product. */
function changeOf(input: ChangeInput): ProductChange {
  const { product_id, at_period_end, price, duration } = input;
  if (at_period_end && duration !== undefined) {
    throw new UsageError(
      "Cannot use --duration with --at-period-end: it applies only to an immediate change",
      {
        hint: `Set the product's own: cli simulate price ${
          quoted(product_id)
        } <price> --duration P1M`,
      },
    );
  }
  return { product_id, when: at_period_end ? "period_end" : "now", price, duration };
}
