/**
 * A project's clock: it runs with wall time, stands still, or advances.
 *
 * @module
 */

import { path } from "../path.ts";
import type { Simulator } from "./simulator.ts";

/** A project's clock. */
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

/** An advanced clock, with the events on the way. */
export interface AdvancedClock extends ProjectClock {
  /** The project's time before, in milliseconds since 1970. */
  from: number;
  /** The number of events of each type. */
  events: Record<string, number>;
}

/** The start of an advance. */
export interface AdvanceStart {
  /** The project's time, in milliseconds since 1970. */
  from: number;
  /** The number of the latest event. */
  seq: number;
}

/** A preview of an advance. */
export interface ClockPreview {
  /** Always `clock_preview`. */
  object: "clock_preview";
  /** The project's time, in milliseconds since 1970. */
  from: number;
  /** The time that the clock would be moved to. */
  to: number;
  /** The approximate number of steps due by then. */
  due: number;
  /** An advance with more steps must be confirmed. */
  most_unasked: number;
}

/** The remaining steps of a project. */
export interface Left {
  /** The approximate number of steps left. */
  left: number;
  /** Their approximate duration, in milliseconds; null if unknown. */
  left_ms: number | null;
}

/** The progress of an advance. */
export interface ClockProgress extends Left {
  /** Always `clock_progress`. */
  object: "clock_progress";
  /** Whether the project is on the way. */
  moving: boolean;
  /** The time that has been reached, in milliseconds since 1970. */
  now: number;
  /** The time that the project is on the way to; null when it is not. */
  to: number | null;
  /** The number of steps so far. */
  done: number;
}

/** The result of stopping an advance. */
export interface CancelledAdvance {
  /** Whether there was one. */
  cancelled: boolean;
  /** The project's time, in milliseconds since 1970. */
  now: number;
}

/** The advance of a clock: by a duration or milliseconds, or to a time. */
export type ClockAdvance =
  & ({
    /** The time to move to, in milliseconds since 1970. */
    to: number;
  } | {
    /** An ISO 8601 duration such as `P1M`, or milliseconds. */
    by: string | number;
  })
  & {
    /** Whether an advance with very many steps is meant. */
    confirmed?: boolean;
  };

/** Reads the clock. `GET /_sim/projects/{project_id}/clock` */
export function getClock({ client, project }: Simulator): Promise<ProjectClock> {
  return client.get(path`/_sim/projects/${project}/clock`);
}

/** Stops the clock. `POST /_sim/projects/{project_id}/clock/freeze` */
export function freezeClock({ client, project }: Simulator): Promise<ProjectClock> {
  return client.post(path`/_sim/projects/${project}/clock/freeze`);
}

/** Starts the clock again from its current time. `POST /_sim/projects/{project_id}/clock/run` */
export function runClock({ client, project }: Simulator): Promise<ProjectClock> {
  return client.post(path`/_sim/projects/${project}/clock/run`);
}

/**
 * Previews an advance. The clock does not move. `POST /_sim/projects/{project_id}/clock/preview`
 */
export function previewAdvance(
  { client, project }: Simulator,
  body: ClockAdvance,
): Promise<ClockPreview> {
  return client.post(path`/_sim/projects/${project}/clock/preview`, body);
}

/**
 * Advances the clock, and waits for the end. `POST /_sim/projects/{project_id}/clock/advance`
 */
export function advanceClock(
  { client, project }: Simulator,
  body: ClockAdvance,
): Promise<AdvancedClock> {
  return client.post(path`/_sim/projects/${project}/clock/advance`, body);
}

/** Starts to advance the clock. `POST /_sim/projects/{project_id}/clock/begin` */
export function startAdvance(
  { client, project }: Simulator,
  body: ClockAdvance,
): Promise<AdvanceStart> {
  return client.post(path`/_sim/projects/${project}/clock/begin`, body);
}

/**
 * Reads the clock and the number of events since an advance started.
 * `GET /_sim/projects/{project_id}/clock/arrival`
 */
export function getArrival(
  { client, project }: Simulator,
  query: AdvanceStart,
): Promise<AdvancedClock> {
  return client.get(path`/_sim/projects/${project}/clock/arrival`, { query });
}

/** Reads the progress of an advance. `GET /_sim/projects/{project_id}/clock/progress` */
export function getClockProgress({ client, project }: Simulator): Promise<ClockProgress> {
  return client.get(path`/_sim/projects/${project}/clock/progress`);
}

/**
 * Stops an advance at the time that it has reached.
 * `POST /_sim/projects/{project_id}/clock/cancel`
 */
export function cancelAdvance({ client, project }: Simulator): Promise<CancelledAdvance> {
  return client.post(path`/_sim/projects/${project}/clock/cancel`);
}
