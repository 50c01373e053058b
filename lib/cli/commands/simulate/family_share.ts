/**
 * `cli simulate family-share`.
 *
 * @module
 */

import { act } from "./action.ts";
import { argument } from "../../words/command.ts";
import { userId } from "../../local/simulator.ts";
import { shareSubscription } from "../../../simulator/subscriptions.ts";

/** Shares a subscription with a family member. */
export const familyShare = act("Share a subscription with a family member", {
  send: shareSubscription,
  details: "The member gets a subscription that costs nothing and follows this one.",
  args: { user_id: argument("The member's app user id; an unknown id is created") },
  body: ({ user_id }) => ({ customer_id: userId(user_id) }),
  done: ({ user_id }) => `Shared with ${user_id}`,
});
