/**
 * `cli events …`: what a project has told its webhooks, and telling it once more. The API has no such
 * list, so these work at the local service alone.
 *
 * @module
 */

import { UsageError } from "../../errors.ts";
import type { Page } from "../../page.ts";
import { path } from "../../path.ts";
import { argument, command, group, text } from "../command.ts";
import { dataFlag } from "../local_service.ts";
import type { Column } from "../output.ts";
import { showList, showOne } from "../plain.ts";
import { moment, openSimulator, sameFlags } from "../sim.ts";
import { listen } from "./events_listen.ts";
import { listeners } from "./events_listeners.ts";
import { trigger } from "./events_trigger.ts";
import { types } from "./events_types.ts";
import { event as view, events as list } from "./simulate_events.ts";
import { type Delivery, deliveryColumns } from "./webhook_deliveries.ts";

const webhookFlag = {
  webhook: text("Only to this webhook", { placeholder: "id" }),
};

/** One event goes to several webhooks: each line says to which, and none whose event it is. */
const resendColumns: Column<Delivery>[] = deliveryColumns.map((column) =>
  column.header === "customer"
    ? { header: "webhook", value: (delivery) => delivery.webhook_id, kind: "id" }
    : column
);

const resend = command({
  brief: "Send an event once more",
  details:
    "To every webhook that had it or wants it, or with --webhook to one that need not want " +
    "it. It has the same id and the same bytes, and is signed anew.",
  args: { id: argument("The event's id") },
  flags: { ...webhookFlag, ...dataFlag },
  async run(context, { id, webhook, data }) {
    const { client, project } = await openSimulator(context, data);
    const place = path`/_sim/projects/${project}/events/${id}/resend`;
    const body = webhook === undefined ? {} : { webhook_id: webhook };
    const page = await client.post<Page<Delivery>>(place, body);
    await showList<Delivery>(
      { ...context, client: () => Promise.resolve(client) },
      {},
      () => Promise.resolve(page),
      resendColumns,
    );
    const [first] = page.items;
    if (first === undefined) return context.out.note("No webhook wants this event.");
    context.out.done(`The event is on its way to ${counted(page.items.length, "webhook")}`);
    const flags = sameFlags(context, data);
    context.out.note(`See what becomes of it: cli webhooks attempts ${first.id}${flags}`);
  },
});

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
    until: moment("And no later than this one", "--until"),
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
    const { client, project } = await openSimulator(context, data);
    const recovery = await client.post<{ deliveries: number }>(
      path`/_sim/projects/${project}/events/recover`,
      {
        since,
        ...until !== undefined && { until },
        ...webhook !== undefined && { webhook_id: webhook },
      },
    );
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

/** A number of things in words. */
function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}
