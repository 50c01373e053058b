/**
 * `cli events …`: what a project has told its webhooks, and telling it once more. The API has no such
 * list, so these work at the local service alone.
 *
 * @module
 */

import { UsageError } from "../../errors.ts";
import { argument, command, group, text } from "../words/command.ts";
import type { Context } from "../context.ts";
import { counted, time } from "../screen/display.ts";
import { dataFlag } from "../local/local_service.ts";
import type { Column } from "../screen/output.ts";
import { quoted } from "../words/shell.ts";
import { showList, showOne } from "../words/plain.ts";
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
  webhook: text("Only to this webhook", { placeholder: "id" }),
};

/** One event goes to several webhooks: each line says to which, and none whose event it is. */
const resendColumns: Column<Delivery>[] = [
  { header: "state", value: (delivery) => delivery.state, kind: "word" },
  { header: "id", value: (delivery) => delivery.id, kind: "id" },
  { header: "webhook", value: (delivery) => delivery.webhook_id, kind: "id" },
  { header: "event", value: (delivery) => delivery.event_type, kind: "word" },
  { header: "tries", value: (delivery) => delivery.attempts, spare: true },
];

const resend = command({
  brief: "Send an event once more",
  details:
    "To every webhook that had it or wants it, or with --webhook to one that need not want " +
    "it. With the id of a delivery, as cli webhooks deliveries shows it, to the webhook of that " +
    "one. It has the same id and the same bytes, and is signed anew.",
  examples: [
    "cli events resend 7f1c2a9e-0b54-4c1d-9a43-5d2f7c1e9ab0",
    "cli events resend dlv4f1c2a9e0b544c1d",
  ],
  args: { id: argument("The event's id, or a delivery's") },
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

/** Says where an event goes, where it has to wait first, and how to see what becomes of it. */
function tellSent({ out }: Context, sent: readonly Delivery[], flags: string): void {
  const waiting = sent.filter(({ state }) => state === "waiting");
  const [first] = sent.filter((delivery) => !waiting.includes(delivery));
  const [behind] = waiting;
  if (sent.length === 0) return out.note("No webhook wants this event.");
  if (first) {
    const others = counted(sent.length - waiting.length, "webhook");
    out.done(`The event is on its way to ${others}`);
    out.note(`See what becomes of it: cli webhooks attempts ${first.id}${flags}`);
  }
  if (behind) {
    const where = counted(waiting.length, "webhook");
    out.note(`It waits at ${where} until an earlier event of the same customer has arrived`);
    out.note(`See what it waits for: cli webhooks deliveries ${behind.webhook_id}${flags}`);
  }
}

/** Which event is to be sent, and to whom: a delivery names both. */
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
  brief: "Send every event once more that has not arrived",
  details:
    "Those that were given up, lost, or never in line: a webhook gets what it wants and has " +
    "not got. What is on its way already stays as it is. The moment is the project's time. What " +
    "has arrived is forgotten after 30 days, so of older events only those are sent that were " +
    "given up or lost.",
  examples: [
    "cli events recover --since 2027-01-31",
    "cli events recover --since 2027-01-31T12:00:00Z --webhook whintgr1a2b3c4d5e",
  ],
  flags: {
    since: moment("Events since this day or moment, UTC", "--since"),
    until: momentThrough("And no later than this day or moment, UTC", "--until"),
    ...webhookFlag,
    ...dataFlag,
  },
  async run(context, { since, until, webhook, data }) {
    if (since === undefined) {
      throw new UsageError(
        "Cannot send every event once more that has not arrived: --since is missing",
        {
          hint: "Pass a day or a moment, in UTC: --since 2027-01-31, --since 2027-01-31T12:00:00Z",
        },
      );
    }
    if (until !== undefined && until < since) {
      throw new UsageError(
        `Cannot recover events from --since ${time(since)} to --until ${time(until)}: that ends ` +
          "before it begins",
        { hint: "Give the earlier moment as --since and the later one as --until." },
      );
    }
    const simulator = await openSimulator(context, data);
    const recovery = await recoverEvents(simulator, {
      since,
      ...until !== undefined && { until },
      ...webhook !== undefined && { webhook_id: webhook },
    }).catch((error: unknown) => refuseDisabled(error, webhook, context));
    if (context.out.format === "json") return showOne(context, recovery);
    context.out.done(`${counted(recovery.deliveries, "delivery", "deliveries")} on the way`);
  },
});

/** Events. */
export const events = group("Events at the local service, and sending them once more", [], {
  list,
  view,
  resend,
  recover,
  listen,
  listeners,
  trigger,
  types,
});
