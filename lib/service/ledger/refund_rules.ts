/**
 * The rules for refunds through the API. They depend on the store and the payment's age.
 *
 * @module
 */

import { DAY_MS } from "../domain/calendar.ts";
import { refundsByApi } from "../domain/stores.ts";
import { unprocessable } from "../contract/errors.ts";
import type { Call } from "../contract/route.ts";

/** Refuses an action on a purchase that was not made through web billing. */
export function checkWebBilling(
  what: "subscription" | "purchase",
  action: "cancelled" | "refunded",
  store: string,
): void {
  if (store === "svc_billing") return;
  throw unprocessable(
    `Only web-billing ${what}s can be ${action} here; this one is from the store "${store}"`,
  );
}

/** Refuses a payment that only its store can refund, or that is too old. */
export function checkRefundable(
  { project, now }: Pick<Call, "project" | "now">,
  payment: { store: string; purchased_at: number },
): void {
  const { store, purchased_at } = payment;
  if (!refundsByApi(store)) {
    throw unprocessable(
      `Payments of the store "${store}" can only be refunded by the store`,
    );
  }
  const days = project.refund_window_days;
  if (now - purchased_at <= days * DAY_MS) return;
  throw unprocessable(`The payment is more than ${days} days old and can no longer be refunded`);
}
