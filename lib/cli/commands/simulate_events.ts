/**
 * `cli simulate events` and `event`: what a project has told its webhooks, or would have.
 *
 * @module
 */

import type { Page } from "../../page.ts";
import { path } from "../../path.ts";
import { argument, command, text } from "../command.ts";
import { dataFlag } from "../local_service.ts";
import type { Column } from "../output.ts";
import { pageFlags, showList, showOne } from "../plain.ts";
import { openSimulator } from "../sim.ts";

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
  { header: "when", value: (event) => event.created_at, kind: "time" },
  { header: "type", value: (event) => event.type, kind: "word" },
  { header: "customer", value: (event) => event.customer_id },
  { header: "environment", value: (event) => event.environment, spare: true },
  { header: "id", value: (event) => event.id, kind: "id" },
];

/** Lists the events. */
export const events = command({
  brief: "List the events of the project, oldest first",
  flags: {
    type: text("Only those of this type, such as RENEWAL", { placeholder: "type" }),
    user_id: text("Only those of this customer", { placeholder: "id" }),
    ...pageFlags,
    ...dataFlag,
  },
  async run(context, { type, user_id: customer_id, data, ...input }) {
    const { client, project } = await openSimulator(context, data);
    const place = path`/_sim/projects/${project}/events`;
    await showList<ProjectEvent>(
      // Further pages need the administrator's secret, too.
      { ...context, client: () => Promise.resolve(client) },
      input,
      (query) => client.get<Page<ProjectEvent>>(place, { query: { type, customer_id, ...query } }),
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
    showOne(context, await client.get<object>(path`/_sim/projects/${project}/events/${id}`));
  },
});
