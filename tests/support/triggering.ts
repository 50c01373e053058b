/**
 * Events that are triggered from the command line.
 *
 * @module
 */

import { equal } from "node:assert/strict";
import { type Desk, type DeskOptions, openDesk } from "./harness.ts";

/** A desk whose command line may use the simulator. */
export function openTriggering(options: DeskOptions = {}): Promise<Desk> {
  return openDesk({ isAdmin: true, ...options });
}

/** An event that came about. */
export interface Triggered {
  /** Its type. */
  type: string;
  /** To whom it happened. */
  customer_id: string;
  /** What is sent. */
  delivery: { event: Record<string, unknown> };
}

/** Triggers an event that must come about. */
export async function trigger(desk: Desk, ...words: string[]): Promise<Triggered> {
  const { code, err, json } = await desk.run("events", "trigger", ...words, "--output", "json");
  equal(code, 0, `${words}: ${err}`);
  return json() as Triggered;
}
