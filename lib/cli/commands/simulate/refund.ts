/**
 * `cli simulate refund` and `reverse-refund`: money that a store gives back, for something bought once
 * or for a subscription.
 *
 * @module
 */

import { UsageError } from "../../../errors.ts";
import type { Purchase } from "../../../resources/purchases.ts";
import type { Subscription } from "../../../resources/subscriptions.ts";
import { argument, command, text, toggle } from "../../words/command.ts";
import type { Context } from "../../context.ts";
import { dataFlag } from "../../local/local_service.ts";
import { openSimulator } from "../../local/simulator.ts";
import { showBought } from "./told.ts";
import { refundPurchase, reversePurchaseRefund } from "../../../simulator/purchases.ts";
import type { Simulator } from "../../../simulator/simulator.ts";
import {
  type PaymentRefund,
  refundSubscription,
  reverseSubscriptionRefund,
} from "../../../simulator/subscriptions.ts";

const args = { id: argument("The id of a subscription or a purchase") };

const payment = {
  transaction_id: text("Which payment, for a subscription (default: the latest)", {
    placeholder: "id",
  }),
};

/** Gives a payment back. */
export const refund = command({
  brief: "Refund a payment, as the store does",
  details: "With the latest payment for a subscription the access ends, unless it is kept.",
  args,
  flags: { ...payment, keep_access: toggle("Let the subscription go on"), ...dataFlag },
  async run(context, { data, ...input }) {
    const send = { once: refundPurchase, subscription: refundSubscription };
    await giveBack(context, data, { ...input, send, told: "Refunded" });
  },
});

/** Takes a refund back. */
export const reverseRefund = command({
  brief: "Undo the refund of a payment",
  args,
  flags: { ...payment, ...dataFlag },
  async run(context, { data, ...input }) {
    const told = "The refund is undone";
    const send = { once: reversePurchaseRefund, subscription: reverseSubscriptionRefund };
    await giveBack(context, data, { ...input, send, told });
  },
});

/** What is given back, or not any more. */
interface Refund {
  /** The id of a subscription or a purchase. */
  id: string;
  /** The store's id of the payment. */
  transaction_id: string | undefined;
  /** Whether a subscription goes on. */
  keep_access?: boolean | undefined;
  /** What is asked of the simulator, for something bought once or for a subscription. */
  send: {
    /** For something bought once. */
    once: (simulator: Simulator, id: string) => Promise<Purchase>;
    /** For a subscription. */
    subscription: (simulator: Simulator, id: string, body: PaymentRefund) => Promise<Subscription>;
  };
  /** What has happened, for people. */
  told: string;
}

async function giveBack(
  context: Context,
  data: string | undefined,
  { id, send, told, transaction_id, keep_access }: Refund,
): Promise<void> {
  // The local service makes all ids itself, and these begin so.
  const once = id.startsWith("purc");
  if (once && (transaction_id !== undefined || keep_access !== undefined)) {
    const flag = transaction_id === undefined ? "--keep-access" : "--transaction-id";
    throw new UsageError(`Cannot use ${flag} for ${JSON.stringify(id)}: it is no subscription`);
  }
  const simulator = await openSimulator(context, data);
  const refunded = once
    ? await send.once(simulator, id)
    : await send.subscription(simulator, id, { transaction_id, keep_access });
  showBought(context, data, refunded, told);
}
