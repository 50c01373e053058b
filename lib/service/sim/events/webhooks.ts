/**
 * Actions on a webhook integration besides its configuration: a ping, a new secret, faults of
 * deliveries.
 *
 * @module
 */

import { z } from "zod";
import type { Lane } from "../../events/claims.ts";
import type { DeliveryFault, DeliveryFaults } from "../../events/faults.ts";
import { queueNew } from "../../events/queue.ts";
import { newSigningSecret, OVERLAP_MS } from "../../events/signatures.ts";
import { writeTestEvent } from "../../ledger/test_event.ts";
import { findWebhook } from "../../records/find.ts";
import { wholeList } from "../../records/lists.ts";
import type { Row } from "../../store/tables.ts";
import { findDelivery, refuseDisabled, showDelivery } from "./deliveries.ts";
import type {
  DeliveryFaultRun,
  WebhookFaults,
  WebhookSecret,
} from "../../../simulator/webhooks.ts";
import {
  delivery,
  deliveryFaultName,
  deliveryFaults,
  webhookFaults,
  webhookSecret,
} from "../answers.ts";
import { simRoute } from "../route.ts";

/** A queued delivery. */
type Sent = Pick<Row<"deliveries">, "project_id" | "id">;

/** Requested faults. */
interface Ordered {
  /** The integration. */
  lane: Lane;
  /** The fault. */
  fault: DeliveryFault;
  /** The number of deliveries. */
  count: number;
}

const ping = simRoute({
  name: "pingWebhook",
  summary: "Sends a TEST event to an integration once, and waits for the result.",
  method: "POST",
  path: "/webhooks/{id}/ping",
  response: delivery,
  status: 201,
  async outside(sent: Sent, { deliverer }) {
    await deliverer.attempted(sent.project_id, sent.id);
    return sent;
  },
  then: async (call, { id }) => showDelivery(call, await findDelivery(call, id)),
}, async (call) => {
  const webhook = await findWebhook(call, call.params.id);
  refuseDisabled(webhook);
  const event = await writeTestEvent(call, webhook.app_id);
  // The caller waits for the result of one attempt, so there is no retry.
  const [id = ""] = await queueNew(call, [{ webhook, event }], { once: true });
  return { project_id: call.project.id, id };
});

/** A secret in the form of Standard Webhooks. */
const SECRET = /^whsec_[A-Za-z0-9+/]{32,86}={0,2}$/;

const rotateSecret = simRoute({
  name: "rotateWebhookSecret",
  summary: "Sets a new signing secret, or one of choice. The old one stays valid for a day.",
  method: "POST",
  path: "/webhooks/{id}/rotate_secret",
  body: z.strictObject({
    signing_secret: z.string().regex(SECRET, "must be whsec_ and 24 to 64 bytes in base64")
      .optional(),
  }),
  response: webhookSecret,
}, async (call): Promise<WebhookSecret> => {
  const { tx, wall } = call;
  const webhook = await findWebhook(call, call.params.id);
  const signing_secret = call.body().signing_secret ?? newSigningSecret();
  const previous_secret_until = wall() + OVERLAP_MS;
  await tx.updateTable("webhook_integrations")
    .set({ signing_secret, previous_secret: webhook.signing_secret, previous_secret_until })
    .where("id", "=", webhook.id).execute();
  return {
    object: "webhook_secret",
    webhook_id: webhook.id,
    signing_secret,
    previous_expires_at: previous_secret_until,
  };
});

const addFaults = simRoute({
  name: "addDeliveryFaults",
  summary: "Duplicates, drops or reorders the next deliveries to an integration.",
  method: "POST",
  path: "/webhooks/{id}/faults",
  body: z.strictObject({
    fault: deliveryFaultName,
    count: z.int().min(1).max(10_000).default(1),
  }),
  response: webhookFaults,
  async outside({ lane, fault, count }: Ordered, { faults }) {
    await faults.add(lane, fault, count);
    return await showFaults(lane, faults);
  },
}, async (call) => {
  const { id } = await findWebhook(call, call.params.id);
  const { fault, count } = call.body();
  return { lane: { project_id: call.project.id, integration_id: id }, fault, count };
});

const clearFaults = simRoute({
  name: "clearWebhookFaults",
  summary: "Clears the delivery faults of an integration.",
  method: "POST",
  path: "/webhooks/{id}/faults/clear",
  response: webhookFaults,
  async outside(lane: Lane, { faults }) {
    await faults.clear(lane.project_id, lane.integration_id);
    return await showFaults(lane, faults);
  },
}, async (call) => {
  const { id } = await findWebhook(call, call.params.id);
  return { project_id: call.project.id, integration_id: id };
});

const listAllFaults = simRoute({
  name: "listDeliveryFaults",
  summary: "Lists the delivery faults of the project.",
  method: "GET",
  path: "/faults",
  response: deliveryFaults,
  async outside({ id, url }: ProjectAsked, { faults }) {
    return wholeList(url, await showAllFaults(id, faults));
  },
}, async ({ project, url }) => ({ id: project.id, url }));

const clearAllFaults = simRoute({
  name: "clearDeliveryFaults",
  summary: "Clears the delivery faults of the project.",
  method: "POST",
  path: "/faults/clear",
  response: deliveryFaults,
  async outside({ id, url }: ProjectAsked, { faults }) {
    await faults.clear(id);
    return wholeList(url, await showAllFaults(id, faults));
  },
}, async ({ project, url }) => ({ id: project.id, url }));

/** The routes of webhook integrations. */
export const webhookRoutes = [
  ping,
  rotateSecret,
  addFaults,
  clearFaults,
  listAllFaults,
  clearAllFaults,
];

/** A request for a whole project. */
interface ProjectAsked {
  /** The project. */
  id: string;
  /** The request's address. */
  url: URL;
}

/** The pending faults of a project, equal ones together. */
async function showAllFaults(id: string, faults: DeliveryFaults): Promise<DeliveryFaultRun[]> {
  const shown: DeliveryFaultRun[] = [];
  for (const { integration_id: webhook_id, fault, count } of await faults.list(id)) {
    const last = shown.at(-1);
    if (last?.fault === fault && last.webhook_id === webhook_id) last.count += count;
    else shown.push({ object: "delivery_fault", webhook_id, fault, count });
  }
  return shown;
}

/** The pending faults of an integration, one by one. */
async function showFaults(
  { project_id, integration_id }: Lane,
  faults: DeliveryFaults,
): Promise<WebhookFaults> {
  const runs = await faults.list(project_id);
  const own = runs.filter((run) => run.integration_id === integration_id);
  return {
    object: "delivery_faults",
    faults: own.flatMap(({ fault, count }) => new Array<DeliveryFault>(count).fill(fault)),
  };
}
