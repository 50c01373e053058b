/**
 * What is known of a delivery when its attempts are over.
 *
 * @module
 */

import type { DeliveryState } from "../store/delivery_tables.ts";
import type { Attempt } from "./attempts.ts";
import type { Claim } from "./claims.ts";

/** The next state of a delivery. */
export interface Outcome {
  /** Its state. */
  state: DeliveryState;
  /** The time of the next attempt, while it is pending. */
  ready_at: number | null;
  /** Whether the attempt counts towards the limit of attempts. */
  counts: boolean;
  /** Whether the receiver answered that it is gone. */
  disables: boolean;
}

/** Attempts that are over. */
export interface Ended {
  /** The claim that they were made with. */
  claim: Claim;
  /** The attempts. */
  attempts: readonly Attempt[];
  /** The next state of the delivery. */
  outcome: Outcome;
}
