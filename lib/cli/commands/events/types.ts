/**
 * `cli events types`: the types of events.
 *
 * @module
 */

import { command } from "../../words/command.ts";
import { EVENT_TYPES, type EventType } from "../../events/types.ts";
import type { Column } from "../../screen/output.ts";

const columns: Column<EventType>[] = [
  { header: "type", value: ({ type }) => type, kind: "id" },
  { header: "trigger", value: ({ trigger }) => trigger, kind: "word" },
  {
    header: "meaning",
    value: ({ meaning, why_not }) => why_not === null ? meaning : `${meaning} (${why_not})`,
    kind: "prose",
  },
];

/** Lists the types. */
export const types = command({
  brief: "List the event types and those that can be triggered",
  async run({ out }) {
    if (out.format === "json") {
      return out.json(JSON.stringify({ object: "list", items: EVENT_TYPES }));
    }
    out.table(EVENT_TYPES, columns);
  },
});
