/**
 * Requests and deliveries that go wrong on purpose.
 *
 * @module
 */

import { resendEvent } from "../../simulator/events.ts";
import { addRequestFault, clearRequestFaults } from "../../simulator/faults.ts";
import {
  addDeliveryFaults,
  clearDeliveryFaults,
  type NewDeliveryFault,
} from "../../simulator/webhooks.ts";
import { CannotDo } from "./cannot_do.ts";
import type { Deed } from "./deed.ts";
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
    perform: ({ simulator, values }) => addRequestFault(simulator.client, values),
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
    async perform({ simulator, values, webhook }) {
      if (webhook === undefined) {
        throw new CannotDo("there is no webhook: pass --webhook URL, or set start.webhook");
      }
      // The kinds of the fields have checked the values.
      const fault = values as unknown as NewDeliveryFault;
      return await addDeliveryFaults(simulator, webhook, fault);
    },
  },
  resend: {
    brief: "An event is delivered once more, by its number in the story.",
    short: "number",
    fields: { number: { brief: "The number, from 1", kind: whole(1, 100_000), required: true } },
    perform: ({ simulator, values, event }) => resendEvent(simulator, event(Number(values.number))),
  },
  clear_faults: {
    brief: "Nothing goes wrong on purpose any more.",
    fields: {},
    async perform({ simulator }) {
      await clearRequestFaults(simulator.client);
      return await clearDeliveryFaults(simulator);
    },
  },
};
