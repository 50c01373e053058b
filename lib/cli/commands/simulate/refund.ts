/**
 * `cli simulate refund`: refunds a payment, for a purchase or a subscription.
 *
 * @module
 */

import { args, giveBack, payment } from "./give_back.ts";
import { command, toggle } from "../../words/command.ts";
import { dataFlag } from "../../local/local_service.ts";
import { refundPurchase } from "../../../simulator/purchases.ts";
import { refundSubscription } from "../../../simulator/subscriptions.ts";

/** Refunds a payment. */
export const refund = command({
  brief: "Refund a payment in the store",
  details:
    "Refunding the latest payment of a subscription ends its access, unless --keep-access is " +
    "given.",
  args,
  flags: { ...payment, keep_access: toggle("Keep the subscription and its access"), ...dataFlag },
  async run(context, { data, ...input }) {
    const send = { once: refundPurchase, subscription: refundSubscription };
    await giveBack(context, data, { ...input, send, done: "Refunded" });
  },
});
