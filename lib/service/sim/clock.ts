/**
 * A project's clock: it runs with wall time, stands still, or is moved ahead, and what is due on the
 * way happens. It never goes back.
 *
 * @module
 */

import { sql } from "kysely";
import { z } from "zod";
import { addDuration, isDuration } from "../domain/calendar.ts";
import { Refusal } from "../contract/errors.ts";
import type { Row } from "../store/tables.ts";
import { countDue, MOST_DUE, MOST_DUE_UNASKED } from "../ledger/due.ts";
import { cutShort } from "../ledger/settle.ts";
import { type Left, leftUntil } from "./progress.ts";
import { type SimCall, simRoute } from "./route.ts";

/** A project's clock, as it is shown. */
export interface ProjectClock {
  /** Always `clock`. */
  object: "clock";
  /** The project. */
  project_id: string;
  /** The project's time, in milliseconds since 1970. */
  now: number;
  /** Whether it stands still. */
  frozen: boolean;
  /** Milliseconds that it is ahead of wall time. */
  offset_ms: number;
}

/** A clock that was advanced, and what happened on the way. */
export interface AdvancedClock extends ProjectClock {
  /** The project's time before, in milliseconds since 1970. */
  from: number;
  /** How many events of each type there were. */
  events: Record<string, number>;
}

/** Where an advance began. */
interface Start {
  /** The project's time, in milliseconds since 1970. */
  from: number;
  /** The number of the latest event. */
  seq: number;
}

/** What an advance would bring. */
export interface ClockPreview {
  /** Always `clock_preview`. */
  object: "clock_preview";
  /** The project's time, in milliseconds since 1970. */
  from: number;
  /** The time that the clock would be moved to. */
  to: number;
  /** About how many steps of subscriptions are due by then. */
  due: number;
  /** Above so many steps an advance must be confirmed. */
  most_unasked: number;
}

/** How far an advance is. */
export interface ClockProgress extends Left {
  /** Always `clock_progress`. */
  object: "clock_progress";
  /** Whether the project is on the way. */
  moving: boolean;
  /** The time that has been reached, in milliseconds since 1970. */
  now: number;
  /** The time that the project is on the way to; null when it is not. */
  to: number | null;
  /** How many steps have been made. */
  done: number;
}

/** The furthest that a clock goes: the end of the year 9999. */
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
  summary: "Reads the clock.",
  method: "GET",
  path: "/clock",
}, showClock);

const freezeClock = simRoute({
  summary: "Stops the clock.",
  method: "POST",
  path: "/clock/freeze",
}, async (call) => {
  await setClock(call, { clock_frozen_at: call.now });
  return await showClock(call);
});

const runClock = simRoute({
  summary: "Starts the clock again from its current time.",
  method: "POST",
  path: "/clock/run",
}, async (call) => {
  const clock_offset = call.now - call.wall();
  await setClock(call, { clock_frozen_at: null, clock_offset });
  return await showClock(call);
});

const previewAdvance = simRoute({
  summary: "Previews an advance. The clock does not move.",
  method: "POST",
  path: "/clock/preview",
  body: advanceBody,
}, async (call): Promise<ClockPreview> => {
  const to = checkedTarget(call);
  const due = await countDue(call.tx, to);
  return { object: "clock_preview", from: call.now, to, due, most_unasked: MOST_DUE_UNASKED };
});

const advanceClock = simRoute({
  summary: "Advances the clock by a duration or to a time. Due steps run in order.",
  method: "POST",
  path: "/clock/advance",
  body: advanceBody,
  then: showAdvance,
}, beginAdvance);

const startAdvance = simRoute({
  summary: "Starts to advance the clock. The response does not wait for the end.",
  method: "POST",
  path: "/clock/begin",
  body: advanceBody,
  settles: true,
}, beginAdvance);

const showArrival = simRoute({
  summary: "Reads the clock and the number of events since an advance started.",
  method: "GET",
  path: "/clock/arrival",
  query: arrivalQuery,
}, (call) => showAdvance(call, call.query));

const showProgress = simRoute({
  summary: "Reads the progress of an advance.",
  method: "GET",
  path: "/clock/progress",
  still: true,
}, progressOf);

const cancelAdvance = simRoute({
  summary: "Stops an advance at the time that it has reached.",
  method: "POST",
  path: "/clock/cancel",
  still: true,
  settles: true,
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

/** A call with the body of an advance. */
type AdvanceCall = SimCall<string, unknown, z.infer<typeof advanceBody>>;

/** Marks a project as being advanced, unless that takes too long for something unasked. */
async function beginAdvance(call: AdvanceCall): Promise<Start> {
  const { project, now } = call;
  const target = checkedTarget(call);
  const due = await countDue(call.tx, target);
  const param = "to" in call.body() ? "to" : "by";
  const about = `About ${due} steps of subscriptions are due by ${new Date(target).toISOString()}`;
  if (due > MOST_DUE) {
    const message = `${about}; one advance runs at most ${MOST_DUE}. Choose an earlier time`;
    throw new Refusal(422, "parameter_error", message, { param });
  }
  if (due > MOST_DUE_UNASKED && call.body().confirmed !== true) {
    const message = `${about}. Send "confirmed": true to advance by more than ${MOST_DUE_UNASKED}`;
    throw new Refusal(422, "parameter_error", message, { param: "confirmed" });
  }
  await setClock(call, {
    clock_frozen_at: now,
    clock_advancing_to: target,
    clock_runs_after: project.clock_frozen_at === null ? 1 : 0,
  });
  return { from: now, seq: await latestEvent(call) };
}

/** Where an advance is to end, if it may. */
function checkedTarget({ body, now }: AdvanceCall): number {
  const target = targetOf(body(), now);
  if (target < now) {
    const message = `The clock is at ${new Date(now).toISOString()} and only moves forward`;
    throw new Refusal(422, "parameter_error", message, { param: "to" });
  }
  if (target > LAST) {
    const message = "The clock stops at the end of the year 9999";
    throw new Refusal(422, "parameter_error", message, { param: "by" });
  }
  return target;
}

/** How far an advance is, as it is shown. */
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

/** When an advance shall end. */
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

async function showAdvance(call: SimCall, { from, seq }: Start): Promise<AdvancedClock> {
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
