/**
 * `cli webhooks deliveries`: the deliveries of events, at the local service. The API has no such
 * list.
 *
 * @module
 */

import { WEBHOOK } from "./webhook.ts";
import { argument, choice, command } from "../../words/command.ts";
import { dataFlag } from "../../local/local_service.ts";
import type { Column } from "../../screen/output.ts";
import { pageFlags, showList } from "../../words/plain.ts";
import { openSimulator } from "../../local/simulator.ts";
import { type Delivery, listWebhookDeliveries } from "../../../simulator/deliveries.ts";

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

/** Lists the deliveries to a webhook. */
export const deliveries = command({
  brief: "List the latest deliveries to a webhook (local service)",
  details:
    "A waiting delivery follows another delivery for the same customer. A dead delivery has " +
    "failed for good; cli events resend with its id, or cli events recover, starts again. " +
    "WHEN is the time of the last attempt.",
  args: { id: argument(WEBHOOK) },
  flags: {
    state: choice("Only deliveries in this state", [
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
