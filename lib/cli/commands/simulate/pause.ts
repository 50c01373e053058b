/**
 * `cli simulate pause`.
 *
 * @module
 */

import { act } from "./action.ts";
import { moment, period } from "../../local/simulator.ts";
import { pauseSubscription } from "../../../simulator/subscriptions.ts";

/** Pauses a subscription at the end of its period. */
export const pause = act("Pause a subscription at the end of its period", {
  send: pauseSubscription,
  details: "The pause lasts until you resume it, or until the given end.",
  examples: ["cli simulate pause sub1ab2c3d4e5 --for P2M"],
  flags: {
    until: moment("The end of the pause", "--until"),
    for: period("The length of the pause", "--for"),
  },
  body: (input) => ({ until: input.until, for: input.for }),
  done: () => "It will pause",
});
