/**
 * `cli events listen`: forwards events of the local service to a program as they happen.
 *
 * @module
 */

import { ToolkitError, UsageError } from "../../../errors.ts";
import { command, type Flag, parsed, text, toggle } from "../../words/command.ts";
import type { Context } from "../../context.ts";
import { counted, fit, padEnd, padStart, time, visible } from "../../screen/display.ts";
import { parseEventTypes } from "../../events/types.ts";
import { type Execution, runForEvent } from "../../events/exec.ts";
import type { PulledEvent } from "../../../simulator/listeners.ts";
import { type Answer, forwardEvent, type Target } from "../../events/forward.ts";
import { parseCount } from "../../input/input.ts";
import { listen as listenTo, type Taker, type Teller } from "../../events/listen.ts";
import { dataFlag } from "../../local/local_service.ts";
import { sameFlags } from "../../local/simulator.ts";
import { GAP } from "../../screen/table.ts";

/** Forwards events. */
export const listen = command({
  brief: "Forward events to a program as they happen (local service)",
  details:
    "Forwards events in order and signed, as webhooks receive them. An event is acknowledged " +
    "once the program answers 200 with a complete body within 10 s, as the service requires of " +
    "webhooks, or once the command of --exec exits with 0. Until then it is retried. With both " +
    "flags the event is forwarded first, and a retry skips the part that succeeded. Events " +
    "that --events leaves out count as acknowledged for that --name. The command gets the body " +
    "on standard input and EVENT_ID, EVENT_TYPE, EVENT_CUSTOMER_ID, X_WEBHOOK_SIGNATURE, " +
    "WEBHOOK_ID, WEBHOOK_TIMESTAMP and WEBHOOK_SIGNATURE in its environment; its output goes " +
    "to standard error.\n\nThe service keeps the position of each --name, so no event is lost " +
    "between two runs. A new name starts now, and its signing secret is printed only then; to " +
    "see or replace it later, use cli events listeners. If two programs use one name, the " +
    "newer one gets all events, and the older one ends with exit code 7. Ctrl-C ends the " +
    "command and what it runs, with exit code 0. On a terminal each event is one line of text; " +
    "in a pipe each line is JSON, and once the reader of the pipe has ended, no more events " +
    "are acknowledged.",
  examples: [
    "cli events listen --forward-to http://localhost:3000/webhooks",
    "cli events listen --exec 'jq -r .event.type >> types.txt'",
    "cli events listen --forward-to https://localhost:3000/hooks --insecure",
    "cli events listen --forward-to http://localhost:3000/hooks --until-idle",
  ],
  flags: {
    forward_to: text("The address to forward to, such as http://localhost:3000/webhooks", {
      placeholder: "url",
    }),
    exec: text("A shell command to run once for each event", { placeholder: "command" }),
    name: parsed("The name that keeps the position (default: default)", parseName, {
      placeholder: "name",
    }),
    events: parsed("Only these types, separated by commas", (types) => {
      return parseEventTypes(types, "--events");
    }, { placeholder: "types" }),
    insecure: toggle("Accept any certificate, such as a self-signed one"),
    until_idle: toggle("Stop when no event is pending"),
    count: countFlag("Stop after this number of events", "--count"),
    attempts: countFlag("Fail when an event is refused this many times", "--attempts"),
    ...dataFlag,
  },
  async run(context, input) {
    const { name = "default", insecure = false, until_idle: untilIdle = false } = input;
    const { count: most = Infinity, attempts = Infinity, events: types, data } = input;
    const targets = parseTargets(input.forward_to, input.exec);
    const people = context.out.isTerminal && context.out.format !== "json";
    const teller = people ? tellPeople(context, targets, { types, data }) : tellPrograms(context);
    const takers = takersOf(context, targets, insecure, teller);
    try {
      const listening = { takers, name, types, data, untilIdle, most, attempts };
      const taken = await listenTo(context, listening, teller);
      if (people) {
        context.out.done(`${targets.url ? "Forwarded" : "Handled"} ${counted(taken, "event")}`);
      }
    } catch (error) {
      if (!context.signal.aborted && !context.out.unread.aborted) throw error;
      if (people) context.out.note("Stopped. The next run continues from here.");
    }
  },
});

/** The receivers of events: an address, a command, or both. */
interface Targets {
  /** `--forward-to`. */
  url: URL | undefined;
  /** `--exec`. */
  exec: string | undefined;
}

/** Notes about each event and its result. */
interface EventTeller extends Teller {
  /** An attempt to forward an event. */
  forwarded(event: PulledEvent, attempt: number, answer: Answer): void;
  /** A run of the command for an event. */
  executed(event: PulledEvent, attempt: number, execution: Execution): void;
}

function parseTargets(forwardTo: string | undefined, exec: string | undefined): Targets {
  if (forwardTo === undefined && exec === undefined) {
    throw new UsageError("Cannot forward events: neither --forward-to nor --exec is given", {
      hint: "Pass --forward-to http://localhost:3000/webhooks, or --exec 'a command', or both.",
    });
  }
  if (exec?.trim() === "") {
    throw new UsageError('Cannot use "" for --exec: it is empty');
  }
  return { url: forwardTo === undefined ? undefined : parseTarget(forwardTo), exec };
}

/** The receivers of each event, in order. */
function takersOf(
  context: Context,
  { url, exec }: Targets,
  insecure: boolean,
  teller: EventTeller,
): Taker[] {
  const takers: Taker[] = [];
  if (url !== undefined) takers.push(address(context, { url, insecure }, teller));
  if (exec !== undefined) takers.push(program(context, exec, teller));
  return takers;
}

const KEPT = { hint: "The event is not acknowledged: the next run starts with it." };

/** An address as a receiver. */
function address(context: Context, target: Target, teller: EventTeller): Taker {
  return {
    async take(event, secret, attempt) {
      const answer = await forwardEvent(context, target, event, secret);
      teller.forwarded(event, attempt, answer);
      return answer;
    },
    refusal: ({ type, id }, why) => new ToolkitError(`Cannot forward ${type} ${id}: ${why}`, KEPT),
  };
}

/** A command as a receiver. */
function program(context: Context, exec: string, teller: EventTeller): Taker {
  return {
    async take(event, secret, attempt) {
      const execution = await runForEvent(context, exec, event, secret);
      teller.executed(event, attempt, execution);
      return execution;
    },
    refusal: ({ type, id }, why) =>
      new ToolkitError(`Cannot run the command of --exec for ${type} ${id}: ${why}`, KEPT),
  };
}

function parseTarget(text: string): URL {
  const url = URL.parse(text);
  // A password may be before the @, and must not be shown.
  const named = JSON.stringify(text.replace(/[^/\s]*@/, "…@"));
  if (!url || !/^https?:$/.test(url.protocol)) {
    throw new UsageError(
      `Cannot use ${named} for --forward-to: it is not an http:// or https:// address`,
      { hint: "Pass an address such as --forward-to http://localhost:3000/webhooks" },
    );
  }
  if (!url.username && !url.password) return url;
  throw new UsageError(
    `Cannot use ${named} for --forward-to: it contains a user name or a password`,
    { hint: "Leave them out. The program can check the signature instead." },
  );
}

function parseName(text: string): string {
  if (/^[\w.-]{1,64}$/.test(text)) return text;
  throw new UsageError(
    `Cannot use ${
      JSON.stringify(text)
    } for --name: it must be 1 to 64 letters, digits, ".", "_" or "-"`,
  );
}

function countFlag(brief: string, flag: string): Flag<number | undefined> {
  return parsed(brief, (text) => parseCount(text, flag, { min: 1 }), { placeholder: "n" });
}

/** Output for people: a line for each acknowledged event, and each problem. */
function tellPeople(
  context: Context,
  { url, exec }: Targets,
  { types, data }: { types: readonly string[] | undefined; data: string | undefined },
): EventTeller {
  const { out, around } = context;
  const flags = sameFlags(context, data);
  const tell = (
    { id, type, customer_id }: PulledEvent,
    result: string,
    { error, duration_ms }: Answer | Execution,
  ) => {
    const clock = time(around.now()).slice(11);
    if (error !== null) return out.warn(`${clock} ${type} ${id}: ${error}; retrying`);
    const what = padEnd(result, exec === undefined ? 3 : 6);
    const ends: [string, string] = [clock, `${what}  ${padStart(`${duration_ms} ms`, 8)}`];
    out.text(eventLine([visible(type), visible(customer_id)], ends, out.columns));
  };
  return {
    opened({ name, signing_secret, is_new, waiting }) {
      const whither = url ? `Forwarding events to ${url.href}` : "Running the command for events";
      out.note(`${whither} as "${name}"; stop with Ctrl-C`);
      out.note(
        is_new
          ? `The signing secret is ${signing_secret}`
          : `See the signing secret: cli events listeners secret ${name}${flags}`,
      );
      if (types) out.note(`Events of other types count as acknowledged for the name "${name}"`);
      if (waiting > 0) out.note(`Missed since the last run: ${counted(waiting, "event")}`);
    },
    forwarded: (event, _, answer) => tell(event, String(answer.status), answer),
    executed: (event, _, execution) => tell(event, `exit ${execution.exit_code}`, execution),
    lost: (why) => out.warn(`${why}; retrying`),
    found: () => out.note("The service answers again"),
  };
}

/** The largest widths of type and customer in a line, in columns. */
const TYPE_COLUMNS = 31;
const CUSTOMER_COLUMNS = 20;

/** A line about an acknowledged event, no wider than the terminal. */
function eventLine(
  [type, customer]: [type: string, customer: string],
  [before, after]: [before: string, after: string],
  columns: number,
): string {
  const room = Math.max(0, columns - [before, "", "", after].join(GAP).length);
  // In a narrow terminal the customer gets the type's unused columns, or at least a good third.
  const most = Math.min(TYPE_COLUMNS, Math.max(room - CUSTOMER_COLUMNS, Math.ceil(room * 0.6)));
  const cells = [[type, most], [customer, Math.min(CUSTOMER_COLUMNS, room - most)]] as const;
  const middle = cells.map(([text, width]) => padEnd(fit(text, width), width));
  return fit([before, ...middle, after].join(GAP), columns);
}

/** Output for programs: a line of JSON for each step. */
function tellPrograms({ out }: Context): EventTeller {
  const tell = (line: object) => out.text(JSON.stringify(line));
  const about = ({ id, type, customer_id }: PulledEvent) => {
    return { event_id: id, event_type: type, customer_id };
  };
  return {
    opened: ({ object, name, signing_secret, is_new, waiting }) =>
      tell({ object, name, is_new, ...is_new && { signing_secret }, waiting }),
    forwarded: (event, attempt, { status, error, duration_ms }) =>
      tell({ object: "forwarded_event", ...about(event), attempt, status, error, duration_ms }),
    executed: (event, attempt, { exit_code, error, duration_ms }) =>
      tell({ object: "executed_event", ...about(event), attempt, exit_code, error, duration_ms }),
    lost: (error) => tell({ object: "connection_lost", error }),
    found: () => tell({ object: "connection_found" }),
  };
}
