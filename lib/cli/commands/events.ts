/**
 * `cli events …`: the events of a project. The API has no such list, so these commands work only
 * with the local service.
 *
 * @module
 */

import { showList, showOne } from "../words/plain.ts";
import { UsageError } from "../../errors.ts";
import { argument, command, group, text } from "../words/command.ts";
import type { Context } from "../context.ts";
import { counted, time } from "../screen/display.ts";
import { dataFlag } from "../local/local_service.ts";
import type { Column } from "../screen/output.ts";
import { quoted } from "../screen/command_lines.ts";
import { moment, momentThrough, openSimulator, sameFlags } from "../local/simulator.ts";
import { listen } from "./events/listen.ts";
import { listeners } from "./events/listeners.ts";
import { trigger } from "./events/trigger.ts";
import { types } from "./events/types.ts";
import { list } from "./events/list.ts";
import { view } from "./events/view.ts";
import { refuseDisabled } from "./webhooks/webhook.ts";
import { type Delivery, getDelivery } from "../../simulator/deliveries.ts";
import { recoverEvents, resendEvent } from "../../simulator/events.ts";
import type { Simulator } from "../../simulator/simulator.ts";

const webhookFlag = {
  webhook: text("Send only to this webhook", { placeholder: "id" }),
};

/** One event goes to several webhooks: each line shows the webhook, and none shows the event. */
const resendColumns: Column<Delivery>[] = [
  { header: "state", value: (delivery) => delivery.state, kind: "word" },
  { header: "id", value: (delivery) => delivery.id, kind: "id" },
  { header: "webhook", value: (delivery) => delivery.webhook_id, kind: "id" },
  { header: "event", value: (delivery) => delivery.event_type, kind: "word" },
  { header: "tries", value: (delivery) => delivery.attempts, spare: true },
];

const resend = command({
  brief: "Resend an event",
  details: "Goes to every webhook that received the event or subscribes to it. With --webhook it " +
    "goes only there, even if that webhook does not subscribe to it. With the id of a " +
    "delivery, as cli webhooks deliveries shows it, it goes to the webhook of that delivery. " +
    "The event keeps its id and its bytes, and gets a new signature.",
  examples: [
    "cli events resend 7f1c2a9e-0b54-4c1d-9a43-5d2f7c1e9ab0",
    "cli events resend dlv4f1c2a9e0b544c1d",
  ],
  args: { id: argument("The id of an event or a delivery") },
  flags: { ...webhookFlag, ...dataFlag },
  async run(context, { id, webhook, data }) {
    const simulator = await openSimulator(context, data);
    const { client } = simulator;
    const { event_id, webhook_id } = await whatToResend(simulator, id, webhook);
    const body = webhook_id === undefined ? {} : { webhook_id };
    const page = await resendEvent(simulator, event_id, body)
      .catch((error: unknown) => refuseDisabled(error, webhook_id, context));
    await showList<Delivery>(
      { ...context, client: () => Promise.resolve(client) },
      {},
      () => Promise.resolve(page),
      resendColumns,
    );
    tellSent(context, page.items, sameFlags(context, data));
  },
});

/** Shows the receivers of an event, a wait for an earlier one, and how to see the result. */
function tellSent({ out }: Context, sent: readonly Delivery[], flags: string): void {
  const waiting = sent.filter(({ state }) => state === "waiting");
  const [first] = sent.filter((delivery) => !waiting.includes(delivery));
  const [behind] = waiting;
  if (sent.length === 0) return out.note("No webhook subscribes to this event.");
  if (first) {
    const others = counted(sent.length - waiting.length, "webhook");
    out.done(`The event is being sent to ${others}`);
    out.note(`See the result: cli webhooks attempts ${first.id}${flags}`);
  }
  if (behind) {
    const where = counted(waiting.length, "webhook");
    out.note(`It waits at ${where} until an earlier event of the same customer is delivered`);
    out.note(`See the earlier deliveries: cli webhooks deliveries ${behind.webhook_id}${flags}`);
  }
}

/** The event to send, and its receiver: a delivery names both. */
async function whatToResend(
  simulator: Simulator,
  id: string,
  webhook: string | undefined,
): Promise<{ event_id: string; webhook_id: string | undefined }> {
  if (!id.startsWith("dlv")) return { event_id: id, webhook_id: webhook };
  const { event_id, webhook_id } = await getDelivery(simulator, id);
  if (webhook === undefined || webhook === webhook_id) return { event_id, webhook_id };
  throw new UsageError(
    `Cannot send ${id} to ${JSON.stringify(webhook)}: it is a delivery to ${webhook_id}`,
    { hint: `Send its event there: cli events resend ${event_id} --webhook ${quoted(webhook)}` },
  );
}

const recover = command({
  brief: "Resend all undelivered events",
  details: "Resends each event whose delivery failed, was lost or never started, to the webhooks " +
    "that subscribe to it. Pending deliveries stay as they are. Times are in the project's " +
    "time. Successful deliveries are forgotten after 30 days, so older events are resent " +
    "only where a delivery failed or was lost.",
  examples: [
    "cli events recover --since 2027-01-31",
    "cli events recover --since 2027-01-31T12:00:00Z --webhook whintgr1a2b3c4d5e",
  ],
  flags: {
    since: moment("Resend events from this day or time on, UTC", "--since"),
    until: momentThrough("Resend events up to this day or time, UTC", "--until"),
    ...webhookFlag,
    ...dataFlag,
  },
  async run(context, { since, until, webhook, data }) {
    if (since === undefined) {
      throw new UsageError(
        "Cannot resend all undelivered events: --since is missing",
        {
          hint: "Pass a day or a time in UTC: --since 2027-01-31, --since 2027-01-31T12:00:00Z",
        },
      );
    }
    if (until !== undefined && until < since) {
      throw new UsageError(
        `Cannot resend events from --since ${time(since)} to --until ${time(until)}: the end ` +
          "is before the start",
        { hint: "Pass the earlier time as --since and the later one as --until." },
      );
    }
    const simulator = await openSimulator(context, data);
    const recovery = await recoverEvents(simulator, {
      since,
      ...until !== undefined && { until },
      ...webhook !== undefined && { webhook_id: webhook },
    }).catch((error: unknown) => refuseDisabled(error, webhook, context));
    if (context.out.format === "json") return showOne(context, recovery);
    context.out.done(`Resending ${counted(recovery.deliveries, "delivery", "deliveries")}`);
  },
});

/** Events. */
export const events = group("Show, trigger and resend events (local service)", [], {
  list,
  view,
  resend,
  recover,
  listen,
  listeners,
  trigger,
  types,
});
