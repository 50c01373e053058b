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
import { CannotDo, WrongAnswer } from "./cannot_do.ts";
import type { Deed, Given, MadeUp } from "./deed.ts";
import { anything, mapOf, oneOf, text, whole } from "../file/kinds.ts";
import type { Json } from "../file/tree.ts";

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
  deliver: {
    brief:
      "A made-up delivery goes to the webhook: with a wrong or old signature it must be refused.",
    fields: {
      event: {
        brief: "The event that it is made of, by its number from 1",
        kind: whole(1, 100_000),
        required: true,
      },
      signature: {
        brief: "The signature: right, wrong, or an hour old (default: right)",
        kind: oneOf("right", "wrong", "old"),
      },
      type: { brief: "Another type; it then has an id of its own", kind: text(100) },
      fields: {
        brief: "Fields that are added to the event",
        kind: mapOf(text(100), anything, "a map of fields"),
      },
    },
    perform: deliverMadeUp,
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

/** Makes a delivery that the service does not make, and judges the answer. */
async function deliverMadeUp({ values, deliver }: Given): Promise<object> {
  const { event, signature = "right", type, fields } = values;
  const signed = signature === "wrong" || signature === "old" ? signature : "right";
  const made: MadeUp = {
    signed,
    type: type === undefined ? undefined : String(type),
    fields: mapIn(fields),
  };
  const { type: sent, status } = await deliver(Number(event), made);
  if (signed === "right") {
    if (status === 200) return {};
    const answer = status === 0 ? "did not answer" : `answered ${status} to`;
    throw new WrongAnswer(`The webhook ${answer} ${sent}; it must answer 200`);
  }
  if (status < 200 || status >= 300) return {};
  const how = signed === "wrong" ? "a wrong signature" : "a signature of an hour ago";
  throw new WrongAnswer(`The webhook accepted ${sent} with ${how}`);
}

function mapIn(value: Json | undefined): Readonly<Record<string, Json>> {
  return typeof value === "object" && value !== null
    ? Object.fromEntries(Object.entries<Json>(value))
    : {};
}
