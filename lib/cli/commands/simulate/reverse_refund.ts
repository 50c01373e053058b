/**
 * `cli simulate reverse-refund`: reverses a refund, for a purchase or a subscription.
 *
 * @module
 */

import { args, giveBack, payment } from "./give_back.ts";
import { command } from "../../words/command.ts";
import { dataFlag } from "../../local/local_service.ts";
import { reversePurchaseRefund } from "../../../simulator/purchases.ts";
import { reverseSubscriptionRefund } from "../../../simulator/subscriptions.ts";

/** Reverses a refund. */
export const reverseRefund = command({
  brief: "Undo the refund of a payment",
  args,
  flags: { ...payment, ...dataFlag },
  async run(context, { data, ...input }) {
    const done = "Undid the refund";
    const send = { once: reversePurchaseRefund, subscription: reverseSubscriptionRefund };
    await giveBack(context, data, { ...input, send, done });
  },
});
