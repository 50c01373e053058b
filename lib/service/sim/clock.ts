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

/** The furthest that a clock goes: the end of the year 9999. */
const LAST = Date.UTC(10_000, 0, 1) - 1;

const duration = z.string().refine(isDuration, "must be an ISO 8601 duration such as P1M or P2W");
const milliseconds = z.int().min(0).max(LAST);

const advanceBody = z.union([
  z.strictObject({ to: milliseconds }),
  z.strictObject({ by: z.union([duration, z.int().min(1).max(LAST)]) }),
]);

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
  summary: "Lets the clock run on from where it stands.",
  method: "POST",
  path: "/clock/run",
}, async (call) => {
  const clock_offset = call.now - call.wall();
  await setClock(call, { clock_frozen_at: null, clock_offset });
  return await showClock(call);
});

const advanceClock = simRoute({
  summary: "Moves the clock ahead, by a duration or to a moment. What is due happens in order.",
  method: "POST",
  path: "/clock/advance",
  body: advanceBody,
  then: showAdvance,
}, async (call) => {
  const { project, now } = call;
  const target = targetOf(call.body(), now);
  if (project.clock_advancing_to !== null) {
    throw new Refusal(423, "resource_locked_error", "The clock is being advanced already", {
      backoff_ms: 1000,
    });
  }
  if (target < now) {
    const message = `The clock is at ${new Date(now).toISOString()} and only goes forward`;
    throw new Refusal(422, "parameter_error", message, { param: "to" });
  }
  if (target > LAST) {
    const message = "The clock goes no further than the end of the year 9999";
    throw new Refusal(422, "parameter_error", message, { param: "by" });
  }
  await setClock(call, {
    clock_frozen_at: now,
    clock_advancing_to: target,
    clock_runs_after: project.clock_frozen_at === null ? 1 : 0,
  });
  return { from: now, seq: await latestEvent(call) };
});

/** The routes of the clock. */
export const clockRoutes = [getClock, freezeClock, runClock, advanceClock];

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
