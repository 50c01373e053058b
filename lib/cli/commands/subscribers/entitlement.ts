/**
 * What granting and revoking an entitlement have in common.
 *
 * @module
 */

import { answeredAt } from "../../../client.ts";
import { argument } from "../../words/command.ts";
import type { Context } from "../../context.ts";
import { time } from "../../screen/display.ts";

/** What both commands take by position. */
export const args = {
  user_id: argument("The subscriber's app user id"),
  entitlement: argument("The entitlement's lookup key or id"),
};

/** A clock that shows the service's time: its project may live in simulated time. */
export function clockOf({ around }: Context, answer: object): () => number {
  const told = answeredAt(answer);
  // Less than that is the time that the answer took, and what it leaves out of the second.
  const ahead = told === undefined ? 0 : told - around.now();
  return () => around.now() + (Math.abs(ahead) < 3000 ? 0 : ahead);
}

/** A time for people. */
export function utc(ms: number): string {
  return time(ms);
}
