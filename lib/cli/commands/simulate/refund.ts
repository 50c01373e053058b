/**
 * `cli simulate refund`: money that a store gives back, for something bought once or for a subscription.
 *
 * @module
 */

import { args, giveBack, payment } from "./give_back.ts";
import { command, toggle } from "../../words/command.ts";
import { dataFlag } from "../../local/local_service.ts";
import { refundPurchase } from "../../../simulator/purchases.ts";
import { refundSubscription } from "../../../simulator/subscriptions.ts";

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
