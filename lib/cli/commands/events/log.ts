/**
 * `cli simulate events` and `event`: what a project has told its webhooks, or would have.
 *
 * @module
 */

import { rawJson } from "../../../client.ts";
import type { Page } from "../../../page.ts";
import { path } from "../../../path.ts";
import { argument, command, parsed, text, toggle } from "../../words/command.ts";
import type { Context } from "../../context.ts";
import { parseEventTypes } from "../../events/types.ts";
import { formatJson, valueText } from "../../screen/json_text.ts";
import { dataFlag } from "../../local/local_service.ts";
import type { Column } from "../../screen/output.ts";
import { cardFields, pageFlags, showList, showOne } from "../../words/plain.ts";
import { openSimulator } from "../../local/simulator.ts";

/** An event of a project. */
interface ProjectEvent {
  /** Its id. */
  id: string;
  /** What happened, such as `RENEWAL`. */
  type: string;
  /** To whom. */
  customer_id: string;
  /** In which app, or null. */
  app_id: string | null;
  /** Whether money is real. */
  environment: string;
  /** When, in milliseconds since 1970. */
  created_at: number;
}

const columns: Column<ProjectEvent>[] = [
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
    const { client, project } = await openSimulator(context, data);
    const place = path`/_sim/projects/${project}/events`;
    const which = { type: types?.join(","), customer_id, order: oldest_first ? "asc" : "desc" };
    await showList<ProjectEvent>(
      // Further pages need the administrator's secret, too.
      { ...context, client: () => Promise.resolve(client) },
      input,
      (query) => client.get<Page<ProjectEvent>>(place, { query: { ...which, ...query } }),
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
    const { client, project } = await openSimulator(context, data);
    showEvent(context, await client.get<object>(path`/_sim/projects/${project}/events/${id}`));
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
