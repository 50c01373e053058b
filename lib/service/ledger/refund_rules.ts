/**
 * What the API may refund: that depends on the store, and on how long ago the payment was.
 *
 * @module
 */

import { DAY_MS } from "../domain/calendar.ts";
import { refundsByApi } from "../domain/stores.ts";
import { unprocessable } from "../contract/errors.ts";
import type { Call } from "../contract/route.ts";

/** Refuses what was not bought through web billing. */
export function checkWebBilling(what: string, store: string): void {
  if (store === "svc_billing") return;
  throw unprocessable(`Only web billing can do that; the ${what} is of the store "${store}"`);
}

/** Refuses payments whose store only refunds them itself, and those that are too old. */
export function checkRefundable(
  { project, now }: Pick<Call, "project" | "now">,
  payment: { store: string; purchased_at: number },
): void {
  const { store, purchased_at } = payment;
  if (!refundsByApi(store)) {
    throw unprocessable(
      `Payments of the store "${store}" can only be refunded by the store itself`,
    );
  }
  const days = project.refund_window_days;
  if (now - purchased_at <= days * DAY_MS) return;
  throw unprocessable(`The payment is more than ${days} days old and cannot be refunded any more`);
}
