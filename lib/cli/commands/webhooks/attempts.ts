/**
 * `cli webhooks attempts`: the attempts of a delivery, at the local service.
 *
 * @module
 */

import { argument, command } from "../../words/command.ts";
import { dataFlag } from "../../local/local_service.ts";
import type { Column } from "../../screen/output.ts";
import { showList } from "../../words/plain.ts";
import { openSimulator } from "../../local/simulator.ts";
import { type DeliveryAttempt, listDeliveryAttempts } from "../../../simulator/deliveries.ts";

const attemptColumns: Column<DeliveryAttempt>[] = [
  { header: "#", value: (attempt) => attempt.number },
  { header: "started", value: (attempt) => attempt.started_at, kind: "time" },
  { header: "ms", value: (attempt) => attempt.timing_ms["total"] },
  { header: "status", value: (attempt) => attempt.response?.status },
  { header: "error", value: (attempt) => attempt.error },
];

/** Lists the attempts of a delivery. */
export const attempts = command({
  brief: "List the attempts of a delivery",
  details: "Only for the local service. JSON output has the whole request and response of each " +
    "attempt. An attempt that the end of the service interrupted says so; it is repeated and " +
    "does not count.",
  args: { delivery_id: argument("The delivery's id, as shown by cli webhooks deliveries") },
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
