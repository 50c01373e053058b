/**
 * `cli simulate extend`.
 *
 * @module
 */

import { act } from "./action.ts";
import { UsageError } from "../../../errors.ts";
import { moment, period } from "../../local/simulator.ts";
import { extendSubscription, type Extension } from "../../../simulator/subscriptions.ts";

/** Extends a subscription's period. */
export const extend = act("Extend a subscription's period", {
  send: extendSubscription,
  details: "Needs --by or --until.",
  examples: [
    "cli simulate extend sub1ab2c3d4e5 --by 30d",
    "cli simulate extend sub1ab2c3d4e5 --until 2027-01-31T12:00:00Z",
  ],
  flags: {
    by: period("The time to add", "--by"),
    until: moment("The new end", "--until"),
  },
  body: extensionOf,
  done: () => "Extended",
});

/** The body of an extension, which is given in one of two ways. */
function extensionOf({ by, until }: {
  by: string | undefined;
  until: number | undefined;
}): Extension {
  if ((by === undefined) === (until === undefined)) {
    const why = by === undefined
      ? "--by or --until is missing"
      : "--by and --until exclude each other";
    throw new UsageError(`Cannot extend a subscription's period: ${why}`, {
      hint: "Pass one of them: --by 30d, or --until 2027-01-31",
    });
  }
  return { by, until };
}
