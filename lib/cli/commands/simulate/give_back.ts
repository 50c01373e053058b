/**
 * The common parts of `cli simulate refund` and `reverse-refund`.
 *
 * @module
 */

import { UsageError } from "../../../errors.ts";
import type { Purchase } from "../../../resources/purchases.ts";
import type { Subscription } from "../../../resources/subscriptions.ts";
import { argument, text } from "../../words/command.ts";
import type { Context } from "../../context.ts";
import { openSimulator } from "../../local/simulator.ts";
import { showResult } from "./result.ts";
import type { Simulator } from "../../../simulator/simulator.ts";
import { type PaymentRefund } from "../../../simulator/subscriptions.ts";

/** The arguments of both commands. */
export const args = { id: argument("The id of a subscription or a purchase") };

/** The flag that names a payment. */
export const payment = {
  transaction_id: text("The payment, for a subscription (default: the latest)", {
    placeholder: "id",
  }),
};

/** The input of a refund or its reversal. */
interface Refund {
  /** The id of a subscription or a purchase. */
  id: string;
  /** The store's id of the payment. */
  transaction_id: string | undefined;
  /** Whether to keep a subscription. */
  keep_access?: boolean | undefined;
  /** The simulator's requests for a purchase and for a subscription. */
  send: {
    /** For a one-time purchase. */
    once: (simulator: Simulator, id: string) => Promise<Purchase>;
    /** For a subscription. */
    subscription: (simulator: Simulator, id: string, body: PaymentRefund) => Promise<Subscription>;
  };
  /** The result, for display. */
  done: string;
}

/** Refunds a payment, or reverses a refund. */
export async function giveBack(
  context: Context,
  data: string | undefined,
  { id, send, done, transaction_id, keep_access }: Refund,
): Promise<void> {
  // The local service generates all ids itself, with these prefixes.
  const once = id.startsWith("purc");
  if (once && (transaction_id !== undefined || keep_access !== undefined)) {
    const flag = transaction_id === undefined ? "--keep-access" : "--transaction-id";
    throw new UsageError(`Cannot use ${flag} for ${JSON.stringify(id)}: it is not a subscription`);
  }
  const simulator = await openSimulator(context, data);
  const refunded = once
    ? await send.once(simulator, id)
    : await send.subscription(simulator, id, { transaction_id, keep_access });
  showResult(context, data, refunded, done);
}
