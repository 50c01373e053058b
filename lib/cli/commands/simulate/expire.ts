/**
 * `cli simulate expire`.
 *
 * @module
 */

import { act } from "./action.ts";
import { choice } from "../../words/command.ts";
import { expireSubscription } from "../../../simulator/subscriptions.ts";

const REASONS = [
  "UNSUBSCRIBE",
  "BILLING_ERROR",
  "DEVELOPER_INITIATED",
  "PRICE_INCREASE",
  "CUSTOMER_SUPPORT",
  "UNKNOWN",
] as const;

/** Ends a subscription at once. */
export const expire = act("End a subscription at once", {
  send: expireSubscription,
  flags: {
    reason: choice("The reason in events (default: the reason for its cancellation)", REASONS),
  },
  body: ({ reason }) => ({ reason }),
  told: () => "Ended",
});
