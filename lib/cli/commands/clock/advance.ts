/**
 * `cli clock advance`: advancing a project's clock.
 *
 * @module
 */

import { Cancelled, UsageError } from "../../../errors.ts";
import { pause } from "../../../retry.ts";
import type { Context } from "../../context.ts";
import { showClock } from "../../local/clock.ts";
import { dataFlag } from "../../local/local_service.ts";
import { moment, openSimulator, parsePeriod, sameFlags } from "../../local/simulator.ts";
import type { Column } from "../../screen/output.ts";
import { command, optionalArgument } from "../../words/command.ts";
import { askFirst, confirmFlags } from "../../words/plain.ts";
import {
  type AdvancedClock,
  cancelAdvance,
  type ClockAdvance,
  type ClockProgress,
  getArrival,
  getClockProgress,
  previewAdvance,
  startAdvance,
} from "../../../simulator/clock.ts";
import type { Simulator } from "../../../simulator/simulator.ts";
import { time } from "../../screen/display.ts";

const columns: Column<readonly [type: string, count: number]>[] = [
  { header: "event", value: ([type]) => type },
  { header: "count", value: ([, count]) => count },
];

/** Advances the clock. */
export const advance = command({
  brief: "Advance a project's clock",
  details:
    "Pass a period, or a time with --to. P1M and other ISO 8601 periods follow the calendar; " +
    "30d, 1m (30 days) and 1y (365 days) count days. Everything due on the way happens in " +
    "order, each at its own time. The clock cannot go back. Ctrl-C stops the clock at the " +
    "time it has reached. An advance with more than 20,000 due renewals and similar steps " +
    "asks first; one with more than 1,000,000 is refused.",
  examples: [
    "cli clock advance P1M",
    "cli clock advance 30d",
    "cli clock advance --to 2027-01-31",
    "cli clock advance --to 2027-01-31T12:00:00Z --output json",
  ],
  args: { by: optionalArgument("The period, such as P1M or 30d") },
  flags: { to: moment("Advance to this day or time, UTC", "--to"), ...dataFlag, ...confirmFlags },
  hint: ({ param }, { context, input: { data } }) => {
    if (param !== "by" && param !== "to") return undefined;
    const flags = sameFlags(context, typeof data === "string" ? data : undefined);
    return `See the current time of the project: cli clock show${flags}`;
  },
  async run(context, { by, to, data, ...input }) {
    const body = bodyOf(by, to);
    const simulator = await openSimulator(context, data);
    await confirmLong(context, simulator, body, input);
    const flags = sameFlags(context, data);
    const moved = await moveClock(context, simulator, body, data);
    showClock(context, moved);
    const { out } = context;
    if (out.format === "json") return;
    const events = Object.entries(moved.events);
    const count = events.reduce((sum, [, each]) => sum + each, 0);
    out.table(events, columns, { title: `Events (${count})`, empty: "none" });
    out.done(`The clock moved from ${time(moved.from)} to ${time(moved.now)}`);
    if (count > 0) out.note(`See them: cli events list${flags}`);
  },
});

/** Asks before a long advance. The service refuses one that is too long. */
async function confirmLong(
  context: Context,
  simulator: Simulator,
  body: ClockAdvance,
  input: { confirm?: boolean | undefined; yes?: boolean | undefined },
): Promise<void> {
  const { due, to, most_unasked } = await previewAdvance(simulator, body);
  if (due <= most_unasked) return;
  const question = `About ${due} renewals and similar steps are due by ${
    time(to)
  }. Advance the clock?`;
  await askFirst(context, input, question);
}

/** Advances the clock and waits for it. If the person stops waiting, the clock stops, too. */
async function moveClock(
  context: Context,
  simulator: Simulator,
  body: ClockAdvance,
  data: string | undefined,
): Promise<AdvancedClock> {
  try {
    const begun = await startAdvance(simulator, { ...body, confirmed: true });
    await arrival(context, simulator);
    return await getArrival(simulator, begun);
  } catch (error) {
    if (!(error instanceof Cancelled)) throw error;
    throw new Cancelled(error.message, { cause: error, hint: await stopClock(context, data) });
  }
}

/** Stops the clock after Ctrl-C. Returns a sentence about it. */
async function stopClock(context: Context, data: string | undefined): Promise<string> {
  const flags = sameFlags(context, data);
  try {
    const simulator = await openSimulator(context, data, { heedsStop: false });
    const { cancelled, now } = await cancelAdvance(simulator);
    return cancelled
      ? `The clock was stopped at ${time(now)}.`
      : `The advance had already finished. See: cli clock show${flags}`;
  } catch {
    return `The advance continues. Stop it with: cli clock cancel${flags}`;
  }
}

/** The pauses between two checks of an advance, in milliseconds. The last one is repeated. */
const PAUSES = [5, 20, 50, 100, 250];
const LAST_PAUSE_MS = 500;

/** The interval of progress lines, in milliseconds. */
const SAY_MS = 2000;

/** Waits until the clock has arrived, and shows the progress. */
async function arrival({ out, signal, waits }: Context, simulator: Simulator): Promise<void> {
  // Its own lines tell more than those about a slow answer.
  waits.announced = false;
  for (let look = 0, silent = 0;; look++) {
    const progress = await getClockProgress(simulator);
    if (!progress.moving) return;
    if (silent >= SAY_MS) {
      out.note(told(progress));
      silent = 0;
    }
    const wait = PAUSES[look] ?? LAST_PAUSE_MS;
    silent += wait;
    await pause(wait, signal);
  }
}

/** The progress of an advance, in words. */
function told({ now, done, left, left_ms }: ClockProgress): string {
  const share = Math.floor(100 * done / Math.max(1, done + left));
  const wait = left_ms === null ? "" : `, about ${Math.ceil(left_ms / 1000)} s left`;
  return `The clock is at ${time(now)}: ${share} %${wait}`;
}

/** The body that advances the clock. */
function bodyOf(by: string | undefined, to: number | undefined): { by: string } | { to: number } {
  const hint = "Pass a period such as P1M or 30d, or a day with --to 2027-01-31.";
  if (by !== undefined && to !== undefined) {
    throw new UsageError("Cannot advance a project's clock: a period and --to exclude each other", {
      hint,
    });
  }
  if (by !== undefined) return { by: parsePeriod(by) };
  if (to !== undefined) return { to };
  throw new UsageError("Cannot advance a project's clock: a period or --to is missing", { hint });
}
