/**
 * `cli events list`: the events of a project.
 *
 * @module
 */

import { command, parsed, text, toggle } from "../../words/command.ts";
import { parseEventTypes } from "../../events/types.ts";
import { dataFlag } from "../../local/local_service.ts";
import type { Column } from "../../screen/output.ts";
import { pageFlags, showList } from "../../words/plain.ts";
import { openSimulator } from "../../local/simulator.ts";
import { listEvents, type LoggedEvent } from "../../../simulator/events.ts";

const columns: Column<LoggedEvent>[] = [
  { header: "id", value: (event) => event.id, kind: "id" },
  { header: "type", value: (event) => event.type, kind: "word" },
  { header: "when", value: (event) => event.created_at, kind: "minute" },
  { header: "customer", value: (event) => event.customer_id },
  { header: "environment", value: (event) => event.environment, kind: "word", spare: true },
];

/** Lists the events. */
export const list = command({
  brief: "List the events of the project",
  details:
    "The newest event comes first. The next page, shown with --starting-after, continues with " +
    "older events. Types are not case-sensitive.",
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
    user_id: text("Only events of this customer", { placeholder: "id" }),
    oldest_first: toggle("List the oldest event first"),
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
