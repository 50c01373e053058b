/**
 * `cli webhooks ping`: a test event to a webhook, at the local service.
 *
 * @module
 */

import { refuseDisabled, WEBHOOK } from "./webhook.ts";
import { ToolkitError } from "../../../errors.ts";
import { argument, command } from "../../words/command.ts";
import { dataFlag } from "../../local/local_service.ts";
import { showOne } from "../../words/plain.ts";
import { openSimulator, sameFlags } from "../../local/simulator.ts";
import { pingWebhook } from "../../../simulator/webhooks.ts";

/** Sends a test event. */
export const ping = command({
  brief: "Send a TEST event to a webhook",
  details: "Only for the local service. Waits for the answer and fails if it is not a success. A " +
    "failed TEST event is not retried.",
  args: { id: argument(WEBHOOK) },
  flags: dataFlag,
  async run(context, { id, data }) {
    const delivery = await pingWebhook(await openSimulator(context, data), id)
      .catch((error: unknown) => refuseDisabled(error, id, context));
    showOne(context, delivery);
    const { last_error, last_attempt_at, state } = delivery;
    if (state === "delivered") return context.out.done("The receiver accepted it");
    if (last_attempt_at === null) {
      throw new ToolkitError("Cannot ping the webhook: a fault dropped the event", {
        hint: `Clear all faults: cli simulate faults clear${sameFlags(context, data)}`,
      });
    }
    throw new ToolkitError(`Cannot ping the webhook: ${last_error ?? `it is ${state}`}`, {
      hint: "See the request and the answer: cli webhooks attempts " +
        `${delivery.id}${sameFlags(context, data)} --output json`,
    });
  },
});
