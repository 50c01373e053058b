/**
 * `cli events view`: an event and the body sent to webhooks.
 *
 * @module
 */

import { rawJson } from "../../../client.ts";
import { argument, command } from "../../words/command.ts";
import type { Context } from "../../context.ts";
import { formatJson, valueText } from "../../screen/json_text.ts";
import { dataFlag } from "../../local/local_service.ts";
import { cardFields, showOne } from "../../words/plain.ts";
import { openSimulator } from "../../local/simulator.ts";
import { getEvent } from "../../../simulator/events.ts";

/** Shows one event. */
export const view = command({
  brief: "Show an event and the body sent to webhooks",
  args: { id: argument("The event's id") },
  flags: dataFlag,
  async run(context, { id, data }) {
    showEvent(context, await getEvent(await openSimulator(context, data), id));
  },
});

/** Shows an event: a card of its fields, and below it the body sent to webhooks. */
export function showEvent(context: Context, event: object): void {
  const { out } = context;
  if (out.format === "json") return showOne(context, event);
  const about = cardFields(event).filter(({ label }) => !label.startsWith("delivery."));
  out.card(event, about);
  const body = valueText(rawJson(event) ?? JSON.stringify(event), "delivery");
  if (body !== undefined) out.text(`\n${formatJson(body)}`);
}
