/**
 * `cli webhooks deliveries`, `attempts`, `ping` and `rotate-secret`: what becomes of events. The API
 * does not tell, so these work at the local service alone.
 *
 * @module
 */

import { ApiError, ToolkitError } from "../../../errors.ts";
import { argument, choice, command } from "../../words/command.ts";
import type { Context } from "../../context.ts";
import { dataFlag } from "../../local/local_service.ts";
import type { Column } from "../../screen/output.ts";
import { quoted } from "../../words/shell.ts";
import { askAbout, confirmFlags, pageFlags, showList, showOne } from "../../words/plain.ts";
import { openSimulator, sameFlags } from "../../local/simulator.ts";
import {
  type Delivery,
  type DeliveryAttempt,
  listDeliveryAttempts,
  listWebhookDeliveries,
} from "../../../simulator/deliveries.ts";
import { pingWebhook, rotateWebhookSecret } from "../../../simulator/webhooks.ts";

const deliveryColumns: Column<Delivery>[] = [
  { header: "id", value: (delivery) => delivery.id, kind: "id" },
  { header: "event", value: (delivery) => delivery.event_type, kind: "word" },
  { header: "customer", value: (delivery) => delivery.customer_id },
  { header: "state", value: (delivery) => delivery.state, kind: "word" },
  { header: "status", value: (delivery) => delivery.last_status, kind: "number" },
  { header: "when", value: (delivery) => delivery.last_attempt_at, kind: "time" },
  { header: "tries", value: (delivery) => delivery.attempts, spare: true },
  { header: "next", value: (delivery) => delivery.next_attempt_at, kind: "time", spare: true },
];

const attemptColumns: Column<DeliveryAttempt>[] = [
  { header: "#", value: (attempt) => attempt.number },
  { header: "started", value: (attempt) => attempt.started_at, kind: "time" },
  { header: "ms", value: (attempt) => attempt.timing_ms["total"] },
  { header: "status", value: (attempt) => attempt.response?.status },
  { header: "error", value: (attempt) => attempt.error },
];

const WEBHOOK = "The webhook's id";

/** Lists the deliveries to a webhook. */
export const deliveries = command({
  brief: "List the deliveries to a webhook, newest first (local service)",
  details:
    "A delivery that is waiting stands behind another one for the same customer. One that is " +
    "dead was given up; cli events resend, with its id, and cli events recover begin anew. WHEN " +
    "tells of the last attempt.",
  args: { id: argument(WEBHOOK) },
  flags: {
    state: choice("Only those that stand here", [
      ...["waiting", "pending", "sending", "delivered", "dead", "dropped"] as const,
    ]),
    ...pageFlags,
    ...dataFlag,
  },
  async run(context, { id, state, data, ...input }) {
    const simulator = await openSimulator(context, data);
    await showList<Delivery>(
      // Further pages need the administrator's secret, too.
      { ...context, client: () => Promise.resolve(simulator.client) },
      input,
      (query) => listWebhookDeliveries(simulator, id, { state, ...query }),
      deliveryColumns,
      { onePage: true },
    );
  },
});

/** Lists the attempts of a delivery. */
export const attempts = command({
  brief: "List the attempts of a delivery",
  details: "At the local service only. With --output json each has its whole request and answer. " +
    "One that the service's own end has cut off says so; it is made again, and counts towards " +
    "nothing.",
  args: { delivery_id: argument("The delivery's id, as cli webhooks deliveries shows it") },
  flags: dataFlag,
  async run(context, { delivery_id, data }) {
    const simulator = await openSimulator(context, data);
    await showList<DeliveryAttempt>(
      { ...context, client: () => Promise.resolve(simulator.client) },
      {},
      () => listDeliveryAttempts(simulator, delivery_id),
      attemptColumns,
    );
  },
});

/** Sends a test event. */
export const ping = command({
  brief: "Send a TEST event to a webhook",
  details:
    "At the local service only. It waits for the answer, and fails if that is not a good one. " +
    "It is sent once: what fails is not tried again.",
  args: { id: argument(WEBHOOK) },
  flags: dataFlag,
  async run(context, { id, data }) {
    const delivery = await pingWebhook(await openSimulator(context, data), id)
      .catch((error: unknown) => refuseDisabled(error, id, context));
    showOne(context, delivery);
    const { last_error, last_attempt_at, state } = delivery;
    if (state === "delivered") return context.out.done("The receiver has got it");
    if (last_attempt_at === null) {
      throw new ToolkitError("Cannot ping the webhook: a fault let the event go astray", {
        hint: `Let everything go well again: cli simulate faults clear${sameFlags(context, data)}`,
      });
    }
    throw new ToolkitError(`Cannot ping the webhook: ${last_error ?? `it is ${state}`}`, {
      hint: `See what was sent and answered: cli webhooks attempts ${delivery.id}` +
        `${sameFlags(context, data)} --output json`,
    });
  },
});

/** Throws an error on, and where a webhook is switched off says how to switch it on. */
export function refuseDisabled(
  error: unknown,
  webhook: string | undefined,
  context: Context,
): never {
  if (!(error instanceof ApiError) || error.status !== 422 || webhook === undefined) throw error;
  const hint = `Switch it on again: cli webhooks update ${quoted(webhook)} --url <url>` +
    sameFlags(context, undefined);
  throw new ApiError(error.message, { ...error, hint });
}

/** Replaces a signing secret. */
export const rotateSecret = command({
  brief: "Replace the signing secret of a webhook",
  details:
    "At the local service only. For a day both secrets sign, so that the receiver can be changed without a gap.",
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
      "The signing secret is shown only here. The one before signs as well for a day.",
    );
  },
});
