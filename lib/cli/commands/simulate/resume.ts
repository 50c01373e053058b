/**
 * `cli simulate resume`.
 *
 * @module
 */

import { act } from "./action.ts";
import { resumeSubscription } from "../../../simulator/subscriptions.ts";

/** End a pause, or take back one that has not begun. */
export const resume = act("End a pause, or cancel a pending one", {
  send: resumeSubscription,
  told: () => "Resumed",
});
