/**
 * `cli clock …`: the time of a project at the local service, which can be stopped and moved ahead.
 *
 * @module
 */

import { Cancelled, UsageError } from "../../errors.ts";
import { path } from "../../path.ts";
import { type Command, command, group, optionalArgument } from "../words/command.ts";
import type { Context } from "../context.ts";
import { time } from "../screen/display.ts";
import { dataFlag } from "../local/local_service.ts";
import type { Column, Field } from "../screen/output.ts";
import { showOne } from "../words/plain.ts";
import { moment, openSimulator, parsePeriod, sameFlags } from "../local/simulator.ts";

/** A project's clock. */
interface Clock {
  /** The project. */
  project_id: string;
  /** Its time, in milliseconds since 1970. */
  now: number;
  /** Whether it stands still. */
  frozen: boolean;
  /** Milliseconds that it is ahead of wall time. */
  offset_ms: number;
}

/** A clock that was moved. */
interface MovedClock extends Clock {
  /** The time before, in milliseconds since 1970. */
  from: number;
  /** How many events of each type there were on the way. */
  events: Readonly<Record<string, number>>;
}

const fields: Field<Clock>[] = [
  { label: "project_id", value: (clock) => clock.project_id },
  { label: "now", value: (clock) => clock.now, kind: "time" },
  { label: "frozen", value: (clock) => clock.frozen },
  { label: "offset", value: ({ offset_ms }) => inWords(offset_ms) },
];

const columns: Column<readonly [type: string, count: number]>[] = [
  { header: "event", value: ([type]) => type },
  { header: "count", value: ([, count]) => count },
];

const show = command({
  brief: "Show a project's time",
  flags: dataFlag,
  async run(context, { data }) {
    const { client, project } = await openSimulator(context, data);
    showClock(context, await client.get<Clock>(path`/_sim/projects/${project}/clock`));
  },
});

const freeze = onClock("Stop a project's time", "freeze", (clock, flags) => [
  `The clock stands at ${utc(clock.now)}`,
  `Move it ahead: cli clock advance 30d${flags}`,
]);

const run = onClock("Let a project's time run", "run", (clock, flags) => [
  `The clock runs on from ${utc(clock.now)}`,
  `Stop it: cli clock freeze${flags}`,
]);

const advance = command({
  brief: "Move a project's time ahead",
  details:
    "By a period: P1M and other ones in ISO 8601 follow the calendar, 30d, 1m (30 days) and " +
    "1y (365 days) count days. Or to a moment, with --to. What is due on the way happens in order, " +
    "each at its own time. There is no way back.",
  examples: [
    "cli clock advance P1M",
    "cli clock advance 30d",
    "cli clock advance --to 2027-01-31",
    "cli clock advance --to 2027-01-31T12:00:00Z --output json",
  ],
  args: { by: optionalArgument("How far, such as P1M or 30d") },
  flags: { to: moment("Until this day or moment, UTC", "--to"), ...dataFlag },
  async run(context, { by, to, data }) {
    const body = bodyOf(by, to);
    const { client, project } = await openSimulator(context, data);
    const place = path`/_sim/projects/${project}/clock/advance`;
    const flags = sameFlags(context, data);
    const moved = await untilStopped(client.post<MovedClock>(place, body), flags);
    showClock(context, moved);
    const { out } = context;
    if (out.format === "json") return;
    const events = Object.entries(moved.events);
    const count = events.reduce((sum, [, each]) => sum + each, 0);
    out.table(events, columns, { title: `Events on the way (${count})`, empty: "none" });
    out.done(`The clock went from ${utc(moved.from)} to ${utc(moved.now)}`);
    if (count > 0) out.note(`See them: cli events list${flags}`);
  },
});

/** The time of a project. */
export const clock = group("A project's time at the local service: stop it, move it ahead", [], {
  show,
  freeze,
  run,
  advance,
});

/** Makes a command that does something to a clock. */
function onClock(
  brief: string,
  name: string,
  told: (clock: Clock, flags: string) => [done: string, next: string],
): Command {
  return command({
    brief,
    flags: dataFlag,
    async run(context, { data }) {
      const { client, project } = await openSimulator(context, data);
      const clock = await client.post<Clock>(path`/_sim/projects/${project}/clock/${name}`);
      showClock(context, clock);
      if (context.out.format === "json") return;
      const [done, next] = told(clock, sameFlags(context, data));
      context.out.done(done);
      context.out.note(next);
    },
  });
}

/** What is sent to move the clock. */
function bodyOf(by: string | undefined, to: number | undefined): { by: string } | { to: number } {
  const hint = "Give a period such as P1M or 30d, or a day with --to 2027-01-31.";
  if (by !== undefined && to !== undefined) {
    throw new UsageError("Cannot move a project's time ahead: both a period and --to are given", {
      hint,
    });
  }
  if (by !== undefined) return { by: parsePeriod(by) };
  if (to !== undefined) return { to };
  throw new UsageError("Cannot move a project's time ahead: it is not said how far", { hint });
}

/** Waits for the clock. Somebody who stops waiting is told that the clock goes on. */
async function untilStopped<T>(moving: Promise<T>, flags: string): Promise<T> {
  try {
    return await moving;
  } catch (error) {
    if (!(error instanceof Cancelled)) throw error;
    throw new Cancelled(error.message, {
      cause: error,
      hint: `The service goes on to move the clock; wait for it with: cli clock show${flags}`,
    });
  }
}

/** Shows a clock. */
function showClock(context: Context, clock: Clock): void {
  if (context.out.format === "json") return showOne(context, clock);
  context.out.card(clock, fields);
}

/** A time for people. */
function utc(ms: number): string {
  return time(ms);
}

/** How far a clock is ahead, or behind where it has been stopped. */
function inWords(ms: number): string {
  const minutes = Math.round(Math.abs(ms) / 60_000);
  if (minutes === 0) return "in time";
  const parts = [[Math.floor(minutes / 1440), "d"], [Math.floor(minutes / 60) % 24, "h"], [
    minutes % 60,
    "min",
  ]];
  const text = parts.filter(([count]) => count !== 0).map((part) => part.join(" ")).join(" ");
  return `${text} ${ms < 0 ? "behind" : "ahead"}`;
}
