/**
 * `cli simulate faults …`: faults in requests and deliveries, to test a program.
 *
 * @module
 */

import { UsageError } from "../../../errors.ts";
import { argument, choice, command, type Flag, group, parsed, text } from "../../words/command.ts";
import type { Context } from "../../context.ts";
import { parseCount } from "../../input/input.ts";
import { counted } from "../../screen/display.ts";
import { dataFlag } from "../../local/local_service.ts";
import type { Column } from "../../screen/output.ts";
import { showOne } from "../../words/plain.ts";
import { openSimulator, sameFlags } from "../../local/simulator.ts";
import {
  addRequestFault,
  clearRequestFaults,
  listRequestFaults,
  type RequestFault,
} from "../../../simulator/faults.ts";
import {
  addDeliveryFaults,
  clearDeliveryFaults,
  type DeliveryFaultName,
  type DeliveryFaultRun,
  listDeliveryFaults,
} from "../../../simulator/webhooks.ts";

const requestColumns: Column<RequestFault>[] = [
  { header: "method", value: (fault) => fault.method ?? "any" },
  { header: "path", value: (fault) => fault.path ?? "any" },
  { header: "status", value: (fault) => fault.status },
  { header: "delay_ms", value: (fault) => fault.delay_ms },
  { header: "cut", value: (fault) => fault.cut },
  { header: "left", value: (fault) => fault.count },
];

const deliveryColumns: Column<DeliveryFaultRun>[] = [
  { header: "webhook", value: (fault) => fault.webhook_id, kind: "id" },
  { header: "fault", value: (fault) => fault.fault },
  { header: "left", value: (fault) => fault.count },
];

function number(brief: string, flag: string, min: number, max: number): Flag<number | undefined> {
  return parsed(brief, (value) => parseCount(value, flag, { min, max }), { placeholder: "n" });
}

const list = command({
  brief: "List the faults that are set",
  details:
    "Shows the request faults of the whole service and the delivery faults of this project. A " +
    "restart clears them, unless the database is on PostgreSQL.",
  flags: dataFlag,
  async run(context, { data }) {
    await showFaults(context, data, "list");
  },
});

const add = command({
  brief: "Make the next API requests fail, slow down or disconnect",
  details: "Faults apply to the API, the requests of apps and sign-ins, but not to the simulator " +
    "requests of cli simulate, cli clock and cli events. In a path * matches one segment and " +
    "** any number. Each request takes the oldest fault that matches. --cut before " +
    "disconnects without doing anything; --cut after does what was requested, then " +
    "disconnects. Without --path, a sign-in may take the fault first.",
  examples: [
    "cli simulate faults add --path '/v2/projects/*/apps' --status 503 --count 2",
    "cli simulate faults add --path '/v2/**' --status 429 --retry-after 3",
    "cli simulate faults add --method POST --path '/v2/**' --cut after",
    "cli simulate faults add --path '/v2/**' --delay-ms 5000 --count 10",
  ],
  flags: {
    status: number("Answer with this error: 400 to 599", "--status", 400, 599),
    retry_after: number("Send Retry-After with this number of seconds", "--retry-after", 0, 86_400),
    delay_ms: number("Delay the answer by this number of milliseconds", "--delay-ms", 0, 600_000),
    cut: choice("Disconnect before or after the request is processed", ["before", "after"]),
    method: choice("Only requests of this method", ["GET", "POST", "PUT", "DELETE"]),
    path: text("Only requests to this path", { placeholder: "path" }),
    count: number("How many requests (default: 1)", "--count", 1, 1_000_000),
    ...dataFlag,
  },
  async run(context, { data, retry_after: retry_after_s, ...fault }) {
    const { status, delay_ms, cut } = fault;
    if (status === undefined && delay_ms === undefined && cut === undefined) {
      throw new UsageError("Cannot add the fault: no kind of fault is given", {
        hint: "Pass --status, --delay-ms or --cut.",
      });
    }
    if (cut !== undefined && status !== undefined) {
      throw new UsageError(
        "Cannot use --cut with --status: a disconnected request gets no status",
        { hint: "Add two faults, one with each flag. The first request takes the first fault." },
      );
    }
    if (retry_after_s !== undefined && status === undefined) {
      throw new UsageError("Cannot use --retry-after: it needs --status");
    }
    const { client } = await openSimulator(context, data);
    const added = await addRequestFault(client, { ...fault, retry_after_s });
    showOne(context, added);
    tellEnd(context, data, `The fault applies to the next ${counted(added.count, "request")}`);
  },
});

const addDelivery = command({
  brief: "Make the next deliveries to a webhook duplicate, lost or out of order",
  details:
    "duplicate sends a delivery twice. drop loses it but records it as delivered; cli events " +
    "recover finds it. reorder delivers the customer's next event first.",
  examples: ["cli simulate faults add-delivery whintgr1a2b3c4d5e duplicate --count 5"],
  args: {
    webhook_id: argument("The webhook's id"),
    fault: argument("duplicate, drop or reorder"),
  },
  flags: {
    count: number("How many deliveries (default: 1)", "--count", 1, 10_000),
    ...dataFlag,
  },
  async run(context, { webhook_id, fault, count, data }) {
    if (!isDeliveryFault(fault)) {
      throw new UsageError(
        `Cannot add the fault ${JSON.stringify(fault)}: it must be duplicate, drop or reorder`,
      );
    }
    const simulator = await openSimulator(context, data);
    const { faults } = await addDeliveryFaults(simulator, webhook_id, { fault, count });
    if (context.out.format === "json") {
      return showOne(context, { object: "delivery_faults", webhook_id, faults });
    }
    tellEnd(
      context,
      data,
      `The fault applies to the next ${counted(faults.length, "delivery", "deliveries")}`,
    );
  },
});

const clear = command({
  brief: "Clear all faults",
  flags: dataFlag,
  async run(context, { data }) {
    await showFaults(context, data, "clear");
  },
});

/** Whether a text is the name of a delivery fault. */
function isDeliveryFault(name: string): name is DeliveryFaultName {
  return ["duplicate", "drop", "reorder"].includes(name);
}

/** Faults that are set. */
export const faults = group("Faults in requests and deliveries, on purpose", [], {
  list,
  add,
  "add-delivery": addDelivery,
  clear,
});

/** Shows the faults of requests and deliveries, after clearing them or unchanged. */
async function showFaults(
  context: Context,
  data: string | undefined,
  act: "list" | "clear",
): Promise<void> {
  const simulator = await openSimulator(context, data);
  const { client } = simulator;
  const [requests, deliveries] = act === "list"
    ? [await listRequestFaults(client), await listDeliveryFaults(simulator)]
    : [await clearRequestFaults(client), await clearDeliveryFaults(simulator)];
  const { out } = context;
  if (out.format === "json") {
    const all = { object: "faults", requests: requests.items, deliveries: deliveries.items };
    return out.json(JSON.stringify(all));
  }
  if (requests.items.length + deliveries.items.length === 0) {
    return out.note(act === "list" ? "No faults are set." : "All faults cleared.");
  }
  if (requests.items.length > 0) out.table(requests.items, requestColumns);
  if (deliveries.items.length > 0) out.table(deliveries.items, deliveryColumns);
}

/** Shows the new faults, and how to clear them. */
function tellEnd(context: Context, data: string | undefined, what: string): void {
  const { out } = context;
  if (out.format === "json") return;
  out.done(what);
  out.note(`Clear all faults: cli simulate faults clear${sameFlags(context, data)}`);
}
