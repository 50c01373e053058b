/**
 * `cli simulate refund` and `reverse-refund`: money that a store gives back, for something bought once
 * or for a subscription.
 *
 * @module
 */

import { UsageError } from "../../../errors.ts";
import { path } from "../../../path.ts";
import type { Purchase } from "../../../resources/purchases.ts";
import type { Subscription } from "../../../resources/subscriptions.ts";
import { argument, command, text, toggle } from "../../words/command.ts";
import type { Context } from "../../context.ts";
import { dataFlag } from "../../local/local_service.ts";
import { openSimulator } from "../../local/simulator.ts";
import { showBought } from "./told.ts";

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
    await giveBack(context, data, { ...input, name: "refund", told: "Refunded" });
  },
});

/** Takes a refund back. */
export const reverseRefund = command({
  brief: "Undo the refund of a payment",
  args,
  flags: { ...payment, ...dataFlag },
  async run(context, { data, ...input }) {
    const told = "The refund is undone";
    await giveBack(context, data, { ...input, name: "reverse_refund", told });
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
  /** The last part of the path. */
  name: "refund" | "reverse_refund";
  /** What has happened, for people. */
  told: string;
}

async function giveBack(
  context: Context,
  data: string | undefined,
  { id, name, told, transaction_id, keep_access }: Refund,
): Promise<void> {
  // The local service makes all ids itself, and these begin so.
  const once = id.startsWith("purc");
  if (once && (transaction_id !== undefined || keep_access !== undefined)) {
    const flag = transaction_id === undefined ? "--keep-access" : "--transaction-id";
    throw new UsageError(`Cannot use ${flag} for ${JSON.stringify(id)}: it is no subscription`);
  }
  const { client, project } = await openSimulator(context, data);
  const place = once
    ? path`/_sim/projects/${project}/purchases/${id}/${name}`
    : path`/_sim/projects/${project}/subscriptions/${id}/${name}`;
  const body = { transaction_id, keep_access };
  showBought(context, data, await client.post<Subscription | Purchase>(place, body), told);
}
