/**
 * `cli events listen`: events of the local service, sent on to a program as they happen.
 *
 * @module
 */

import { UsageError } from "../../errors.ts";
import { command, type Flag, parsed, requiredText, toggle } from "../command.ts";
import type { Context } from "../context.ts";
import { fit, padEnd, padStart, time, visible } from "../display.ts";
import { parseEventTypes } from "../event_types.ts";
import { parseCount } from "../input.ts";
import { listen as listenTo, type Teller } from "../listen.ts";
import { dataFlag } from "../local_service.ts";

/** Forwards events. */
export const listen = command({
  brief: "Forward events to a program as they happen (local service)",
  details: "In order and signed, as webhooks get them. An event counts as taken once the program " +
    "answers 2xx; until then it is sent again. The service keeps the place of each --name, so " +
    "nothing is lost between two runs; a new name begins now. Ctrl-C ends it. On a terminal " +
    "there is a line for each event; in a pipe each line is JSON.",
  examples: [
    "cli events listen --forward-to http://localhost:3000/webhooks",
    "cli events listen --forward-to https://localhost:3000/hooks --insecure --events renewal",
    "cli events listen --forward-to http://localhost:3000/webhooks --until-idle --output json",
  ],
  flags: {
    forward_to: requiredText("Where events go, such as http://localhost:3000/webhooks", {
      placeholder: "url",
    }),
    name: parsed("Under which name the place is kept (default: default)", parseName, {
      placeholder: "name",
    }),
    events: parsed("Only these types, separated by commas", (types) => {
      return parseEventTypes(types, "--events");
    }, { placeholder: "types" }),
    insecure: toggle("Take any certificate, such as one that signed itself"),
    until_idle: toggle("Stop when no event is left"),
    count: countFlag("Stop after so many events", "--count"),
    attempts: countFlag("Fail when an event is refused so often", "--attempts"),
    ...dataFlag,
  },
  async run(context, input) {
    const { name = "default", insecure = false, until_idle: untilIdle = false } = input;
    const { count: most = Infinity, attempts = Infinity, events: types, data } = input;
    const url = parseTarget(input.forward_to);
    const people = context.out.isTerminal && context.out.format !== "json";
    const teller = people ? tellPeople(context, url) : tellPrograms(context);
    try {
      const listening = { url, insecure, name, types, data, untilIdle, most, attempts };
      const taken = await listenTo(context, listening, teller);
      if (people) context.out.done(`Forwarded ${plural(taken)}`);
    } catch (error) {
      if (!context.signal.aborted) throw error;
      if (people) context.out.note("Stopped. The next run goes on from here.");
    }
  },
});

function parseTarget(text: string): URL {
  const url = URL.parse(text);
  if (url && /^https?:$/.test(url.protocol) && !url.username && !url.password) return url;
  throw new UsageError(
    `Cannot use ${JSON.stringify(text)} for --forward-to: it is not an http:// or https:// address`,
    { hint: "Write it as --forward-to http://localhost:3000/webhooks" },
  );
}

function parseName(text: string): string {
  if (/^[\w.-]{1,64}$/.test(text)) return text;
  throw new UsageError(
    `Cannot use ${
      JSON.stringify(text)
    } for --name: it is not 1 to 64 letters, digits, ".", "_" or "-"`,
  );
}

function countFlag(brief: string, flag: string): Flag<number | undefined> {
  return parsed(brief, (text) => parseCount(text, flag, { min: 1 }), { placeholder: "n" });
}

/** Tells people: a line for each event that was taken, and what hinders one. */
function tellPeople({ out, around }: Context, url: URL): Teller {
  return {
    opened({ name, signing_secret, waiting }) {
      out.note(`Forwarding events to ${url.href} as "${name}"; end it with Ctrl-C`);
      out.note(`They are signed with ${signing_secret}`);
      if (waiting > 0) out.note(`Missed since the last run: ${plural(waiting)}`);
    },
    tried({ id, type, customer_id }, _attempt, { status, error, duration_ms }) {
      const clock = time(around.now()).slice(-8);
      if (error !== null) return out.warn(`${clock} ${type} ${id}: ${error}; trying again`);
      const customer = padEnd(fit(visible(customer_id), 20), 20);
      const took = padStart(`${duration_ms} ms`, 8);
      out.text(`${clock}  ${padEnd(type, 28)}  ${customer}  ${status}  ${took}`);
    },
    lost: (why) => out.warn(`${why}; trying again`),
    found: () => out.note("The service is there again"),
  };
}

/** Tells programs: a line of JSON for each thing that happens. */
function tellPrograms({ out }: Context): Teller {
  const tell = (line: object) => out.text(JSON.stringify(line));
  return {
    opened: ({ object, name, signing_secret, waiting }) =>
      tell({ object, name, signing_secret, waiting }),
    tried({ id, type, customer_id }, attempt, { status, error, duration_ms }) {
      const event = { event_id: id, event_type: type, customer_id };
      tell({ object: "forwarded_event", ...event, attempt, status, error, duration_ms });
    },
    lost: (error) => tell({ object: "connection_lost", error }),
    found: () => tell({ object: "connection_found" }),
  };
}

function plural(count: number): string {
  return count === 1 ? "1 event" : `${count} events`;
}
