/**
 * Charts of subscriptions and trials: their measures and the ledger sums behind them.
 *
 * Gap: the figures have no published definition; these are ours. A subscription is active while it is
 * paid for, grace included; see `domain/movements.ts`.
 *
 * @module
 */

import type { MovementKind } from "../domain/movements.ts";
import { count, type Definition, followed, share } from "./definition.ts";
import { gainedOf, level, levelBefore, minus, moved, movedOf, plus, times } from "./sums.ts";

/** The first payment of a subscription. */
export const NEW: readonly MovementKind[] = ["start", "trial_conversion"];

/** A payment after the subscription had ended. */
export const RETURNED: readonly MovementKind[] = [
  "resubscription",
  "recovery",
  "resumption",
  "refund_reversal",
];

/** A change of product. */
export const CHANGED: readonly MovementKind[] = ["upgrade", "downgrade"];

/** The end of a paid subscription, or of a trial without a payment. */
export const ENDED: readonly MovementKind[] = [
  "expiration",
  "lapse",
  "pause",
  "refund",
  "deletion",
  "trial_expiration",
];

const actives = level("actives_delta");
const activesBefore = levelBefore("actives_delta");
const churned = moved("actives_delta", ENDED);

const newlyPaid = [
  count("Direct", "Bought without a trial", moved("actives_delta", ["start"])),
  count("From Trials", "Converted trials", moved("actives_delta", ["trial_conversion"])),
  count(
    "Resubscriptions",
    "Bought by customers with an earlier paid subscription",
    moved("actives_delta", ["resubscription"]),
  ),
];

const paidCohort = gainedOf("paid_since", "actives_delta", [...NEW, "resubscription", ...CHANGED]);

const trialStarts = movedOf("started_at", "trials_delta", ["trial_start", "trial_change"]);
const trialsPaid = movedOf("started_at", "actives_delta", ["trial_conversion"]);
const trialsPending = movedOf("started_at", "trials_delta");

/** The charts. */
export const subscriptionCharts: readonly Definition[] = [
  {
    name: "actives",
    category: "subscriptions",
    display_type: "line",
    display_name: "Active Subscriptions",
    description: "Paid subscriptions at the end of each period",
    subject: "ledger",
    measures: () => [count("Active Subscriptions", "At the end of the period", actives)],
  },
  {
    name: "actives_movement",
    category: "subscriptions",
    display_type: "bar",
    display_name: "Active Subscriptions Movement",
    description: "Changes in the number of active subscriptions, by cause",
    subject: "ledger",
    measures: () => [
      count("New", "Paid for the first time", moved("actives_delta", NEW)),
      count("Returned", "Paid again after an end", moved("actives_delta", RETURNED)),
      count(
        "Product Changes",
        "Changes to this product less changes from it, which matters for single products only",
        moved("actives_delta", CHANGED),
        { chartable: false },
      ),
      count("Churned", "Ended, as a negative number", churned),
      count("Movement", "The sum of all causes", moved("actives_delta"), { chartable: false }),
    ],
  },
  {
    name: "actives_new",
    category: "subscriptions",
    display_type: "bar",
    display_name: "New Paid Subscriptions",
    description: "Subscriptions paid for the first time",
    subject: "ledger",
    measures: () => [
      count("New Paid Subscriptions", "In total", plus(...newlyPaid.map((m) => m.value))),
      ...newlyPaid.map((one) => ({ ...one, chartable: false })),
    ],
  },
  {
    name: "churn",
    category: "subscriptions",
    display_type: "line",
    display_name: "Subscription Churn",
    description: "The share of subscriptions active at the start of a period that ended during it",
    subject: "ledger",
    measures: () => [
      count("Actives", "Active at the start of the period", activesBefore, { chartable: false }),
      count("Churned Actives", "Ended in the period", times(churned, -1), { chartable: false }),
      share("Churn Rate", "Churned actives per active", times(churned, -1), activesBefore),
    ],
  },
  {
    name: "subscription_retention",
    category: "retention",
    display_type: "cohort",
    display_name: "Subscription Retention",
    description: "Of the subscriptions first paid for in a period, the share that was still paid " +
      "for at the end of that period and of later ones; another product is another subscription",
    subject: "ledger",
    measures: (offsets) => [
      count("Subscriptions", "First paid for in the period", paidCohort, { chartable: false }),
      ...followed("actives", "%", offsets, paidCohort),
    ],
  },
  {
    name: "subscription_status",
    category: "subscriptions",
    display_type: "line",
    display_name: "Subscription Status",
    description: "Active subscriptions by renewal status at the end of each period",
    subject: "ledger",
    measures: () => [
      count("Set to Renew", "Will renew", level("renewing_delta")),
      count(
        "Set to Cancel",
        "Will end",
        minus(actives, level("renewing_delta"), level("billing_issues_delta")),
      ),
      count("Billing Issue", "With an outstanding payment", level("billing_issues_delta")),
    ],
  },
  {
    name: "trials",
    category: "trials",
    display_type: "line",
    display_name: "Active Trials",
    description: "Trials running at the end of each period",
    subject: "ledger",
    measures: () => [count("Active Trials", "At the end of the period", level("trials_delta"))],
  },
  {
    name: "trials_movement",
    category: "trials",
    display_type: "bar",
    display_name: "Active Trials Movement",
    description: "Changes in the number of active trials, by cause",
    subject: "ledger",
    measures: () => [
      count("New", "Started", moved("trials_delta", ["trial_start"])),
      count(
        "Product Changes",
        "Changes to this product less changes from it, which matters for single products only",
        moved("trials_delta", ["trial_change"]),
        { chartable: false },
      ),
      count(
        "Converted",
        "Converted, as a negative number",
        moved("trials_delta", ["trial_conversion"]),
      ),
      count("Expired", "Ended unpaid, as a negative number", moved("trials_delta", ENDED)),
      count("Movement", "The sum of all causes", moved("trials_delta"), { chartable: false }),
    ],
  },
  {
    name: "trials_new",
    category: "trials",
    display_type: "bar",
    display_name: "New Trials",
    description: "Trials started in each period",
    subject: "ledger",
    measures: () => [
      count("New Trials", "Started in the period", moved("trials_delta", ["trial_start"])),
    ],
  },
  {
    name: "trial_conversion_rate",
    category: "trials",
    display_type: "line",
    display_name: "Trial Conversion",
    description: "The outcome to date of trials started in a period",
    subject: "ledger",
    measures: () => [
      count("Trial Starts", "Started in the period", trialStarts, { chartable: false }),
      count("Conversions", "Converted to paid", trialsPaid, { chartable: false }),
      count("Expirations", "Ended unpaid", minus(trialStarts, trialsPaid, trialsPending), {
        chartable: false,
      }),
      count("Pending", "Still running", trialsPending, { chartable: false }),
      share("Conversion Rate", "Conversions per start", trialsPaid, trialStarts),
    ],
  },
];
