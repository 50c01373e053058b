/**
 * `cli simulate resume`.
 *
 * @module
 */

import { act } from "./action.ts";
import { resumeSubscription } from "../../../simulator/subscriptions.ts";

/** Ends a pause, or cancels a pending one. */
export const resume = act("End a pause, or cancel a pending one", {
  send: resumeSubscription,
  done: () => "Resumed",
});
