/**
 * `cli events types`: which events there are.
 *
 * @module
 */

import { command } from "../command.ts";
import { EVENT_TYPES, type EventType } from "../event_types.ts";
import type { Column } from "../output.ts";

const columns: Column<EventType>[] = [
  { header: "type", value: ({ type }) => type },
  // What can be triggered, or why it cannot.
  { header: "trigger", value: ({ why_not }) => why_not ?? "yes" },
  { header: "meaning", value: ({ meaning }) => meaning },
];

/** Lists the types. */
export const types = command({
  brief: "List all types of events, and which can be triggered",
  async run({ out }) {
    if (out.format === "json") {
      return out.json(JSON.stringify({ object: "list", items: EVENT_TYPES }));
    }
    out.table(EVENT_TYPES, columns);
  },
});
