/**
 * `cli simulate events` and `event`: what a project has told its webhooks, or would have.
 *
 * @module
 */

import { rawJson } from "../../../client.ts";
import { argument, command, parsed, text, toggle } from "../../words/command.ts";
import type { Context } from "../../context.ts";
import { parseEventTypes } from "../../events/types.ts";
import { formatJson, valueText } from "../../screen/json_text.ts";
import { dataFlag } from "../../local/local_service.ts";
import type { Column } from "../../screen/output.ts";
import { cardFields, pageFlags, showList, showOne } from "../../words/plain.ts";
import { openSimulator } from "../../local/simulator.ts";
import { getEvent, listEvents, type LoggedEvent } from "../../../simulator/events.ts";

const columns: Column<LoggedEvent>[] = [
  { header: "id", value: (event) => event.id, kind: "id" },
  { header: "type", value: (event) => event.type, kind: "word" },
  { header: "when", value: (event) => event.created_at, kind: "minute" },
  { header: "customer", value: (event) => event.customer_id },
  { header: "environment", value: (event) => event.environment, kind: "word", spare: true },
];

/** Lists the events. */
export const events = command({
  brief: "List the events of the project, newest first",
  details: "The next page, shown with --starting-after, goes on with older ones. Types may be " +
    "written in either case.",
  examples: [
    "cli events list --limit 5",
    "cli events list --type renewal,billing_issue --user-id ada --oldest-first",
  ],
  flags: {
    type: parsed(
      "Only these types, separated by commas",
      (types) => parseEventTypes(types, "--type"),
      { placeholder: "types" },
    ),
    user_id: text("Only those of this customer", { placeholder: "id" }),
    oldest_first: toggle("Begin with the oldest"),
    ...pageFlags,
    ...dataFlag,
  },
  async run(context, { type: types, user_id: customer_id, oldest_first, data, ...input }) {
    const simulator = await openSimulator(context, data);
    const order = oldest_first ? "asc" : "desc";
    const which = { type: types?.join(","), customer_id, order } as const;
    await showList<LoggedEvent>(
      // Further pages need the administrator's secret, too.
      { ...context, client: () => Promise.resolve(simulator.client) },
      input,
      (query) => listEvents(simulator, { ...which, ...query }),
      columns,
      { onePage: true },
    );
  },
});

/** Shows one event. */
export const event = command({
  brief: "Show an event with the body that webhooks get",
  args: { id: argument("The event's id") },
  flags: dataFlag,
  async run(context, { id, data }) {
    showEvent(context, await getEvent(await openSimulator(context, data), id));
  },
});

/** Shows an event: a card of what is known of it, and below it the body as webhooks get it. */
export function showEvent(context: Context, event: object): void {
  const { out } = context;
  if (out.format === "json") return showOne(context, event);
  const about = cardFields(event).filter(({ label }) => !label.startsWith("delivery."));
  out.card(event, about);
  const body = valueText(rawJson(event) ?? JSON.stringify(event), "delivery");
  if (body !== undefined) out.text(`\n${formatJson(body)}`);
}
