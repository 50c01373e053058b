/**
 * `cli webhooks rotate-secret`: a new signing secret, at the local service.
 *
 * @module
 */

import { WEBHOOK } from "./webhook.ts";
import { argument, command } from "../../words/command.ts";
import { dataFlag } from "../../local/local_service.ts";
import { askAbout, confirmFlags, showOne } from "../../words/plain.ts";
import { openSimulator } from "../../local/simulator.ts";
import { listWebhookDeliveries } from "../../../simulator/deliveries.ts";
import { rotateWebhookSecret } from "../../../simulator/webhooks.ts";

/** Replaces a signing secret. */
export const rotateSecret = command({
  brief: "Replace the signing secret of a webhook",
  details: "Only for the local service. For a day both secrets sign, so that you can change the " +
    "receiver without an interruption.",
  args: { id: argument(WEBHOOK) },
  flags: { ...confirmFlags, ...dataFlag },
  async run(context, { id, data, ...input }) {
    const simulator = await openSimulator(context, data);
    await askAbout(context, input, async () => {
      await listWebhookDeliveries(simulator, id, { limit: 1 });
      return `Replace the signing secret of the webhook ${id}`;
    }, simulator.project);
    showOne(context, await rotateWebhookSecret(simulator, id));
    context.out.note(
      "The signing secret is shown only once. The previous secret also signs for a day.",
    );
  },
});
