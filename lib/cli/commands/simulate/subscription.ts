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
    details:
      "A trial becomes paid; a paid period is paid for early. Renewals that are due happen " +
      "by themselves when the clock gets there.",
    told: () => "Renewed",
  }),
  fail: act("Let a charge fail", {
    send: failCharge,
    details:
      "The period ends now and is not paid for. Access goes on through the grace period, if " +
      "there is one. All further charges fail, until: cli simulate recover <subscription-id>",
    examples: ["cli simulate fail sub1ab2c3d4e5 --grace 16d"],
    flags: { at_renewal: toggle("Let the next renewal fail instead"), grace: GRACE },
    body: ({ at_renewal, grace }) => ({
      when: at_renewal ? "renewal" : "now",
      grace: orNull(grace),
    }),
    told: ({ at_renewal }) => at_renewal ? "The next charge will fail" : "The charge failed",
  }),
  recover: act("Let charges go through again", {
    send: recoverCharge,
    details: "And make the one that is outstanding.",
    told: () => "Charges go through again",
  }),
  cancel: act("Switch the renewal off, as the customer does", {
    send: cancelSubscription,
    told: () => "Cancelled",
  }),
  uncancel: act("Switch the renewal on again", {
    send: uncancelSubscription,
    told: () => "The renewal is on again",
  }),
  pause: act("Let a subscription pause at the end of its period", {
    send: pauseSubscription,
    details: "Until it is resumed, or until the end that is given.",
    examples: ["cli simulate pause sub1ab2c3d4e5 --for P2M"],
    flags: {
      until: moment("When the pause ends", "--until"),
      for: period("How long the pause is", "--for"),
    },
    body: (input) => ({ until: input.until, for: input.for }),
    told: () => "It will pause",
  }),
  resume: act("End a pause, or take back one that has not begun", {
    send: resumeSubscription,
    told: () => "Resumed",
  }),
  "change-product": act("Change to another product of the app", {
    send: changeProduct,
    details: "A product without a price or a length of its own is refused without --price or " +
      "--duration. A change at the end of the period takes the product's own length.",
    examples: [
      "cli simulate change-product sub1ab2c3d4e5 notes.pro.annual --price 59.99",
      "cli simulate change-product sub1ab2c3d4e5 weekly --price 2.99 --duration P1W",
    ],
    args: { product_id: argument("The product's id, or the store's name of it") },
    flags: {
      at_period_end: toggle("Change at the end of the period, not now"),
      price: price("The price (default: the product's own)"),
      duration: period("The length of a period (default: the product's own)", "--duration"),
    },
    body: changeOf,
    told: ({ product_id, at_period_end }) =>
      at_period_end ? `It will change to ${product_id}` : `Changed to ${product_id}`,
  }),
  extend: act("Move the end of the period further out", {
    send: extendSubscription,
    details: "Give --by or --until.",
    examples: [
      "cli simulate extend sub1ab2c3d4e5 --by 30d",
      "cli simulate extend sub1ab2c3d4e5 --until 2027-01-31T12:00:00Z",
    ],
    flags: {
      by: period("How much further", "--by"),
      until: moment("The new end", "--until"),
    },
    body: extensionOf,
    told: () => "Extended",
  }),
  expire: act("End a subscription at once", {
    send: expireSubscription,
    flags: { reason: choice("Why, as events tell it (default: why it was cancelled)", REASONS) },
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
  "agree-to-price": act("Let the customer agree to a higher price", {
    send: agreeToPrice,
    told: () => "The customer agreed to the price",
  }),
  "family-share": act("Share a subscription with a member of the family", {
    send: shareSubscription,
    details: "The member gets a subscription of its own, which costs nothing and follows this one.",
    args: { user_id: argument("The member's app user id; an unknown one is created") },
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
    const why = by === undefined ? "neither --by nor --until is given" : "it has two new ends";
    throw new UsageError(`Cannot move the end of the period further out: ${why}`, {
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
      "Cannot use --duration with --at-period-end: it is for a change that happens now",
      {
        hint: `Set the product's own: cli simulate price ${
          quoted(product_id)
        } <price> --duration P1M`,
      },
    );
  }
  return { product_id, when: at_period_end ? "period_end" : "now", price, duration };
}
