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
import { noWebhook, WrongAnswer } from "./cannot_do.ts";
import type { Deed, Given } from "./deed.ts";
import { eventNumbers, lanesIn } from "./event_numbers.ts";
import type { AnswerFault, MadeUp } from "./made_up.ts";
import { anything, mapOf, oneOf, text, whole } from "../values/kinds.ts";
import type { Json } from "../values/tree.ts";

/** Fields that are added. */
const FIELDS = mapOf(text(100), anything, "a map of fields");

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
    when: "not held",
    fields: {
      fault: {
        brief: "What goes wrong",
        kind: oneOf("duplicate", "drop", "reorder"),
        required: true,
      },
      count: { brief: "How many deliveries (default: 1)", kind: whole(1, 10_000) },
    },
    async perform({ simulator, values, webhook }) {
      if (webhook === undefined) throw noWebhook();
      // The kinds of the fields have checked the values.
      const fault = values as unknown as NewDeliveryFault;
      return await addDeliveryFaults(simulator, webhook, fault);
    },
  },
  resend: {
    brief: "An event is delivered once more, by its number in the story.",
    short: "number",
    when: "not held",
    fields: { number: { brief: "The number, from 1", kind: whole(1, 100_000), required: true } },
    perform: ({ simulator, values, event }) => resendEvent(simulator, event(Number(values.number))),
  },
  hold: {
    brief: "From now on events wait until a step deliver or release delivers them.",
    fields: {},
    when: "not held",
    async perform({ hold }) {
      await hold();
      return {};
    },
  },
  release: {
    brief: "The events that wait are delivered in order, and later ones as usual.",
    fields: {},
    when: "held",
    async perform({ release }) {
      complain(await release());
      return {};
    },
  },
  deliver: {
    brief:
      "The webhook gets events by their numbers from 1, in this order; [[1, 3], [2]] delivers " +
      "two lists side by side. With a wrong or old signature it must refuse them.",
    short: "event",
    fields: {
      event: { brief: "The events, by their numbers from 1", kind: eventNumbers, required: true },
      signature: {
        brief: "The signature: right, wrong, or an hour old (default: right)",
        kind: oneOf("right", "wrong", "old"),
      },
      type: { brief: "Another type; it then has an id of its own", kind: text(100) },
      fields: { brief: "Fields that are added to the event", kind: FIELDS },
      body: { brief: "Fields that are added beside the event", kind: FIELDS },
    },
    perform: deliverEvents,
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

/** Delivers events, and judges the answers. */
async function deliverEvents({ values, deliver }: Given): Promise<object> {
  const { event = null, signature = "right", type, fields, body } = values;
  const made: MadeUp = {
    signed: signature === "wrong" || signature === "old" ? signature : "right",
    type: type === undefined ? undefined : String(type),
    fields: mapIn(fields),
    body: mapIn(body),
  };
  const faults = await Promise.all(
    lanesIn(event).map(async (lane) => {
      const found: AnswerFault[] = [];
      for (const number of lane) {
        found.push(...[await deliver(number, made)].filter((one) => !!one));
      }
      return found;
    }),
  );
  complain(faults.flat());
  return {};
}

/** Says what is wrong with the answers to deliveries. */
function complain(faults: readonly AnswerFault[]): void {
  if (faults.length === 0) return;
  const told = [...new Set(faults.map(({ message }) => message))].join("; ");
  throw new WrongAnswer(told.charAt(0).toUpperCase() + told.slice(1));
}

function mapIn(value: Json | undefined): Readonly<Record<string, Json>> {
  return typeof value === "object" && value !== null
    ? Object.fromEntries(Object.entries<Json>(value))
    : {};
}
