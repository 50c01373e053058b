/**
 * `cli simulate fail`.
 *
 * @module
 */

import { act } from "./action.ts";
import { toggle } from "../../words/command.ts";
import { orNull, periodOrNone } from "../../local/simulator.ts";
import { failCharge } from "../../../simulator/subscriptions.ts";

const GRACE = periodOrNone("The grace period (default: the product's own)", "--grace");

/** Makes a charge fail. */
export const fail = act("Make a charge fail", {
  send: failCharge,
  details:
    "The period ends now without payment. Access continues through the grace period, if there " +
    "is one. All further charges fail until: cli simulate recover <subscription-id>",
  examples: ["cli simulate fail sub1ab2c3d4e5 --grace 16d"],
  flags: { at_renewal: toggle("Let the next renewal fail instead"), grace: GRACE },
  body: ({ at_renewal, grace }) => ({
    when: at_renewal ? "renewal" : "now",
    grace: orNull(grace),
  }),
  done: ({ at_renewal }) => at_renewal ? "The next charge will fail" : "The charge failed",
});
