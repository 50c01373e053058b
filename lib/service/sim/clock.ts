/**
 * A project's clock: it runs with wall time, stands still, or advances, and due steps run on the
 * way. It never goes back.
 *
 * @module
 */

import { sql } from "kysely";
import { z } from "zod";
import { addDuration, isDuration } from "../domain/calendar.ts";
import { Refusal } from "../contract/errors.ts";
import type { Row } from "../store/tables.ts";
import { countDue, MOST_DUE, MOST_DUE_UNASKED } from "../ledger/due.ts";
import { cutShort } from "../ledger/batches.ts";
import { leftUntil } from "./progress.ts";
import type {
  AdvancedClock,
  AdvanceStart,
  ClockPreview,
  ClockProgress,
  ProjectClock,
} from "../../simulator/clock.ts";
import {
  advancedClock,
  advanceStart,
  cancelledAdvance,
  clock,
  clockPreview,
  clockProgress,
} from "./answers.ts";
import { type SimCall, simRoute } from "./route.ts";

/** The latest time of a clock: the end of the year 9999. */
const LAST = Date.UTC(10_000, 0, 1) - 1;

const duration = z.string().refine(isDuration, "must be an ISO 8601 duration such as P1M or P2W");
const milliseconds = z.int().min(0).max(LAST);

const confirmed = z.boolean().optional();
const advanceBody = z.union([
  z.strictObject({ to: milliseconds, confirmed }),
  z.strictObject({ by: z.union([duration, z.int().min(1).max(LAST)]), confirmed }),
]);
const arrivalQuery = z.strictObject({
  from: z.coerce.number().int().min(0).max(LAST),
  seq: z.coerce.number().int().min(0),
});

const getClock = simRoute({
  name: "getClock",
  summary: "Reads the clock.",
  method: "GET",
  path: "/clock",
  response: clock,
}, showClock);

const freezeClock = simRoute({
  name: "freezeClock",
  summary: "Stops the clock.",
  method: "POST",
  path: "/clock/freeze",
  response: clock,
}, async (call) => {
  await setClock(call, { clock_frozen_at: call.now });
  return await showClock(call);
});

const runClock = simRoute({
  name: "runClock",
  summary: "Starts the clock again from its current time.",
  method: "POST",
  path: "/clock/run",
  response: clock,
}, async (call) => {
  const clock_offset = call.now - call.wall();
  await setClock(call, { clock_frozen_at: null, clock_offset });
  return await showClock(call);
});

const previewAdvance = simRoute({
  name: "previewAdvance",
  summary: "Previews an advance. The clock does not move.",
  method: "POST",
  path: "/clock/preview",
  body: advanceBody,
  response: clockPreview,
}, async (call): Promise<ClockPreview> => {
  const to = checkedTarget(call);
  const due = await countUntil(call, to);
  return { object: "clock_preview", from: call.now, to, due, most_unasked: MOST_DUE_UNASKED };
});

const advanceClock = simRoute({
  name: "advanceClock",
  summary: "Advances the clock by a duration or to a time. Due steps run in order.",
  method: "POST",
  path: "/clock/advance",
  body: advanceBody,
  response: advancedClock,
  then: showAdvance,
}, beginAdvance);

const startAdvance = simRoute({
  name: "startAdvance",
  summary: "Starts to advance the clock. The response does not wait for the end.",
  method: "POST",
  path: "/clock/begin",
  body: advanceBody,
  response: advanceStart,
  catchesUp: true,
}, beginAdvance);

const showArrival = simRoute({
  name: "getArrival",
  summary: "Reads the clock and the number of events since an advance started.",
  method: "GET",
  path: "/clock/arrival",
  query: arrivalQuery,
  response: advancedClock,
}, (call) => showAdvance(call, call.query));

const showProgress = simRoute({
  name: "getClockProgress",
  summary: "Reads the progress of an advance.",
  method: "GET",
  path: "/clock/progress",
  response: clockProgress,
  still: true,
}, progressOf);

const cancelAdvance = simRoute({
  name: "cancelAdvance",
  summary: "Stops an advance at the time that it has reached.",
  method: "POST",
  path: "/clock/cancel",
  response: cancelledAdvance,
  still: true,
  catchesUp: true,
}, async (call) => {
  const cancelled = await cutShort(call, call.wall());
  return { cancelled, now: call.now };
});

/** The routes of the clock. */
export const clockRoutes = [
  getClock,
  freezeClock,
  runClock,
  previewAdvance,
  advanceClock,
  startAdvance,
  showArrival,
  showProgress,
  cancelAdvance,
];

/** The call of an advance. */
type AdvanceCall = SimCall<string, unknown, z.infer<typeof advanceBody>>;

/** Marks a project as advancing, unless the advance needs a confirmation. */
async function beginAdvance(call: AdvanceCall): Promise<AdvanceStart> {
  const { project, now } = call;
  const target = checkedTarget(call);
  const due = await countUntil(call, target);
  if (due > MOST_DUE_UNASKED && call.body().confirmed !== true) {
    const message = `${
      aboutDue(due, target)
    }. Send "confirmed": true to advance by more than ${MOST_DUE_UNASKED}`;
    throw new Refusal(422, "parameter_error", message, { param: "confirmed" });
  }
  await setClock(call, {
    clock_frozen_at: now,
    clock_advancing_to: target,
    clock_runs_after: project.clock_frozen_at === null ? 1 : 0,
  });
  return { from: now, seq: await latestEvent(call) };
}

/** The number of steps due by the end of an advance. */
async function countUntil(call: AdvanceCall, target: number): Promise<number> {
  const due = await countDue(call.tx, target);
  if (due <= MOST_DUE) return due;
  const message = `${aboutDue(due, target)}; one advance runs at most ${MOST_DUE}. ` +
    "Choose an earlier time";
  throw new Refusal(422, "parameter_error", message, { param: paramOf(call) });
}

function aboutDue(due: number, target: number): string {
  return `About ${due} steps of subscriptions are due by ${new Date(target).toISOString()}`;
}

/** The field with the end of an advance. */
function paramOf({ body }: AdvanceCall): "to" | "by" {
  return "to" in body() ? "to" : "by";
}

/** The end of an advance, if it is allowed. */
function checkedTarget(call: AdvanceCall): number {
  const { now } = call;
  const target = targetOf(call.body(), now);
  const param = paramOf(call);
  if (target < now) {
    const message = `The clock is at ${new Date(now).toISOString()} and only moves forward`;
    throw new Refusal(422, "parameter_error", message, { param });
  }
  if (target > LAST) {
    const message = "The clock stops at the end of the year 9999";
    throw new Refusal(422, "parameter_error", message, { param });
  }
  return target;
}

/** The progress of an advance in an answer. */
async function progressOf({ tx, project, now, progress }: SimCall): Promise<ClockProgress> {
  const to = project.clock_advancing_to ?? progress?.to ?? null;
  const left = to === null ? undefined : await leftUntil(tx, to, progress);
  return {
    object: "clock_progress",
    moving: to !== null,
    now: progress?.now ?? now,
    to,
    done: progress?.done ?? 0,
    left: left?.left ?? 0,
    left_ms: left?.left_ms ?? null,
  };
}

/** The end of an advance. */
function targetOf(body: z.infer<typeof advanceBody>, now: number): number {
  if ("to" in body) return body.to;
  return typeof body.by === "number" ? now + body.by : addDuration(now, body.by);
}

async function setClock(
  { tx }: Pick<SimCall, "tx" | "project">,
  changes: Partial<
    Pick<
      Row<"projects">,
      "clock_frozen_at" | "clock_offset" | "clock_advancing_to" | "clock_runs_after"
    >
  >,
): Promise<void> {
  await tx.updateTable("projects").set(changes).execute();
}

async function showClock({ tx, project, now, wall }: SimCall): Promise<ProjectClock> {
  const { clock_frozen_at } = await tx.selectFrom("projects").select("clock_frozen_at")
    .executeTakeFirstOrThrow();
  return {
    object: "clock",
    project_id: project.id,
    now,
    frozen: clock_frozen_at !== null,
    offset_ms: now - wall(),
  };
}

async function showAdvance(call: SimCall, { from, seq }: AdvanceStart): Promise<AdvancedClock> {
  const { tx } = call;
  const counts = await tx.selectFrom("events").select(["type", sql<number>`count(*)`.as("count")])
    .where("seq", ">", seq).groupBy("type").orderBy("type").execute();
  const events = Object.fromEntries(counts.map(({ type, count }) => [type, count]));
  return { ...await showClock(call), from, events };
}

/** The number of a project's latest event, or 0. */
async function latestEvent({ tx }: SimCall): Promise<number> {
  const latest = await tx.selectFrom("events").select("seq")
    .orderBy("seq", "desc").limit(1).executeTakeFirst();
  return latest?.seq ?? 0;
}
