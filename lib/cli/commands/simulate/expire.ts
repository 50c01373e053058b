/**
 * `cli simulate expire`.
 *
 * @module
 */

import { act } from "./action.ts";
import { choice } from "../../words/command.ts";
import { EXPIRATION_REASONS } from "../../../event_types.ts";
import { expireSubscription } from "../../../simulator/subscriptions.ts";

/** Ends a subscription at once. */
export const expire = act("End a subscription at once", {
  send: expireSubscription,
  flags: {
    reason: choice(
      "The reason in events (default: the reason for its cancellation)",
      EXPIRATION_REASONS,
    ),
  },
  body: ({ reason }) => ({ reason }),
  done: () => "Ended",
});
