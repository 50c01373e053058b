/**
 * The common parts of granting and revoking an entitlement.
 *
 * @module
 */

import { answeredAt } from "../../../client.ts";
import { argument } from "../../words/command.ts";
import type { Context } from "../../context.ts";

/** The arguments of both commands. */
export const args = {
  user_id: argument("The subscriber's app user id"),
  entitlement: argument("The entitlement's lookup key or id"),
};

/** A clock with the service's time: its project may live in simulated time. */
export function clockOf({ around }: Context, answer: object): () => number {
  const told = answeredAt(answer);
  // A smaller difference is the time of the answer, and the fraction of a second that it omits.
  const ahead = told === undefined ? 0 : told - around.now();
  return () => around.now() + (Math.abs(ahead) < 3000 ? 0 : ahead);
}
