/**
 * Charts of money: their measures and the ledger sums behind them.
 *
 * Gap: the figures have no published definition; these are ours. Money, refunds included, counts on
 * the day when it moves; only the refund rate uses the day of the payment. Recurring revenue is the
 * price per month before commission and tax.
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
    description: "Payments less refunds",
    subject: "ledger",
    measures: () => [
      money("Revenue", "Payments less refunds", moved("money")),
      money(
        "Refunds",
        "Refunds less reversed refunds",
        times(moved("money", REFUNDS), -1),
        {
          chartable: false,
        },
      ),
      count("Transactions", "Payments greater than zero", payments, { chartable: false }),
    ],
  },
  {
    name: "mrr",
    category: "revenue",
    display_type: "line",
    display_name: "Monthly Recurring Revenue",
    description: "Revenue per month from active subscriptions, at the end of each period",
    subject: "ledger",
    measures: () => [money("MRR", "At the end of the period", level("mrr_delta_micros"), whole)],
  },
  {
    name: "mrr_movement",
    category: "revenue",
    display_type: "bar",
    display_name: "Monthly Recurring Revenue Movement",
    description: "Changes of the monthly recurring revenue, by cause",
    subject: "ledger",
    measures: () => [
      money("New MRR", "New paid subscriptions", moved("mrr_delta_micros", NEW)),
      money("Returned MRR", "Returning subscriptions", moved("mrr_delta_micros", RETURNED)),
      money("Expansion MRR", "Changes to a higher price", upgrade ?? []),
      money("Contraction MRR", "Changes to a lower price", downgrade ?? []),
      money(
        "Churned MRR",
        "Ended subscriptions, as a negative number",
        moved("mrr_delta_micros", ENDED),
      ),
      money("Movement", "The sum of all causes", moved("mrr_delta_micros"), { chartable: false }),
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
    description: "The share of a period's payments refunded to date",
    subject: "ledger",
    measures: () => [
      count("Transactions", "Payments greater than zero", payments, { chartable: false }),
      count("Refunds", "Payments refunded to date", refunds, { chartable: false }),
      share("Refund Rate", "Refunds per transaction", refunds, payments),
    ],
  },
];
