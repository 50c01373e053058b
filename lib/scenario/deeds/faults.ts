/**
 * Requests and deliveries that go wrong on purpose.
 *
 * @module
 */

import { path } from "../../path.ts";
import { CannotDo } from "./cannot_do.ts";
import type { Deed } from "./mod.ts";
import { oneOf, text, whole } from "../file/kinds.ts";

/** Deeds on faults, by their names in a file. */
export const faultDeeds: Readonly<Record<string, Deed>> = {
  fault: {
    brief: "The next requests to the API fail, are late or break off.",
    fields: {
      status: { brief: "Answer with this error", kind: whole(400, 599) },
      retry_after_s: { brief: "Ask with it for a pause, in seconds", kind: whole(0, 86_400) },
      delay_ms: { brief: "Answer so many milliseconds late", kind: whole(0, 600_000) },
      cut: {
        brief: "Break off before or after the effect",
        kind: oneOf("before", "after"),
      },
      method: {
        brief: "Only requests of this method",
        kind: oneOf("GET", "POST", "PUT", "DELETE"),
      },
      path: { brief: "Only requests to this path; * stands for a segment", kind: text(500) },
      count: { brief: "How many requests (default: 1)", kind: whole(1, 1_000_000) },
    },
    requests: ({ values }) => [{ method: "POST", path: path`/_sim/faults`, body: values }],
  },
  delivery_fault: {
    brief: "The next deliveries to the webhook arrive twice, never or in the wrong order.",
    fields: {
      fault: {
        brief: "What goes wrong",
        kind: oneOf("duplicate", "drop", "reorder"),
        required: true,
      },
      count: { brief: "How many deliveries (default: 1)", kind: whole(1, 10_000) },
    },
    requests({ project, values, webhook }) {
      if (webhook === undefined) {
        throw new CannotDo("there is no webhook: pass --webhook URL, or set start.webhook");
      }
      const place = path`/_sim/projects/${project}/webhooks/${webhook}/faults`;
      return [{ method: "POST", path: place, body: values }];
    },
  },
  clear_faults: {
    brief: "Nothing goes wrong on purpose any more.",
    fields: {},
    requests: ({ project }) => [
      { method: "DELETE", path: path`/_sim/faults` },
      { method: "POST", path: path`/_sim/projects/${project}/faults/clear` },
    ],
  },
};
