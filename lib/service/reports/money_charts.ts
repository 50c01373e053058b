/**
 * Charts of money, each as what it measures and from which sums of the ledger.
 *
 * Gap: nobody publishes how the figures are defined; these definitions are ours. Money counts for the
 * day on which it moves, refunds as well; only the refund rate looks at the day of the payment.
 * Recurring revenue is what is paid per month before commission and tax.
 *
 * @module
 */

import type { MovementKind } from "../domain/movements.ts";
import { count, type Definition, money, share } from "./definition.ts";
import { CHANGED, ENDED, NEW, RETURNED } from "./subscription_charts.ts";
import { level, moved, movedOf, times } from "./sums.ts";

const REFUNDS: readonly MovementKind[] = ["refund", "refund_reversal"];

const payments = moved("payments_delta");
const refunds = movedOf("transaction_at", "refunds_delta");
const [upgrade, downgrade] = CHANGED.map((kind) => moved("mrr_delta_micros", [kind]));
const whole = { decimal_precision: 0 };

/** The charts. */
export const moneyCharts: readonly Definition[] = [
  {
    name: "revenue",
    category: "revenue",
    display_type: "bar",
    display_name: "Revenue",
    description: "Money that was paid, less refunds",
    subject: "ledger",
    measures: () => [
      money("Revenue", "Payments less refunds", moved("money")),
      money(
        "Refunds",
        "Given back, less what was taken back again",
        times(moved("money", REFUNDS), -1),
        {
          chartable: false,
        },
      ),
      count("Transactions", "Payments of more than nothing", payments, { chartable: false }),
    ],
  },
  {
    name: "mrr",
    category: "revenue",
    display_type: "line",
    display_name: "Monthly Recurring Revenue",
    description: "What the active subscriptions bring per month, at the end of each period",
    subject: "ledger",
    measures: () => [money("MRR", "At the end of the period", level("mrr_delta_micros"), whole)],
  },
  {
    name: "mrr_movement",
    category: "revenue",
    display_type: "bar",
    display_name: "Monthly Recurring Revenue Movement",
    description: "Why the monthly recurring revenue went up or down",
    subject: "ledger",
    measures: () => [
      money("New MRR", "Of subscriptions newly paid for", moved("mrr_delta_micros", NEW)),
      money("Returned MRR", "Of those paid for again", moved("mrr_delta_micros", RETURNED)),
      money("Expansion MRR", "From a change to what costs more", upgrade ?? []),
      money("Contraction MRR", "From a change to what costs less", downgrade ?? []),
      money(
        "Churned MRR",
        "Of subscriptions paid for no longer, as a negative number",
        moved("mrr_delta_micros", ENDED),
      ),
      money("Movement", "All of it together", moved("mrr_delta_micros"), { chartable: false }),
    ],
  },
  {
    name: "arr",
    category: "revenue",
    display_type: "line",
    display_name: "Annual Recurring Revenue",
    description: "Twelve times the monthly recurring revenue, at the end of each period",
    subject: "ledger",
    measures: () => [
      money("ARR", "At the end of the period", times(level("mrr_delta_micros"), 12), whole),
    ],
  },
  {
    name: "refund_rate",
    category: "revenue",
    display_type: "line",
    display_name: "Refund Rate",
    description: "The share of the payments of a period that was given back until now",
    subject: "ledger",
    measures: () => [
      count("Transactions", "Payments of more than nothing", payments, { chartable: false }),
      count("Refunds", "Those that were given back", refunds, { chartable: false }),
      share("Refund Rate", "Refunds per transaction", refunds, payments),
    ],
  },
];
