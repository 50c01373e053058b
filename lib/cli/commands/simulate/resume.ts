/**
 * `cli simulate resume`.
 *
 * @module
 */

import { act } from "./action.ts";
import { resumeSubscription } from "../../../simulator/subscriptions.ts";

/** Ends a pause, or cancels one that has not started. */
export const resume = act("End or cancel a pause", {
  send: resumeSubscription,
  done: () => "Resumed",
});
