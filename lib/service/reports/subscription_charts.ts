/**
 * Charts of subscriptions and trials, each as what it measures and from which sums of the ledger.
 *
 * Gap: nobody publishes how the figures are defined; these definitions are ours. A subscription
 * counts as active while it is paid for, grace included; `domain/movements.ts` says when it is.
 *
 * @module
 */

import type { MovementKind } from "../domain/movements.ts";
import { count, type Definition, followed, share } from "./definition.ts";
import { gainedOf, level, levelBefore, minus, moved, movedOf, plus, times } from "./sums.ts";

/** A subscription is paid for that was not before. */
export const NEW: readonly MovementKind[] = ["start", "trial_conversion"];

/** Somebody who had stopped paying pays again. */
export const RETURNED: readonly MovementKind[] = [
  "resubscription",
  "recovery",
  "resumption",
  "refund_reversal",
];

/** One product takes the place of another. */
export const CHANGED: readonly MovementKind[] = ["upgrade", "downgrade"];

/** A subscription is paid for no longer, or a trial ends unpaid. */
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
  count("Direct", "Bought without a trial before", moved("actives_delta", ["start"])),
  count("From Trials", "Trials that were paid for", moved("actives_delta", ["trial_conversion"])),
  count(
    "Resubscriptions",
    "Bought by customers who had paid for a subscription before",
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
    description: "Subscriptions that are paid for at the end of each period",
    subject: "ledger",
    measures: () => [count("Active Subscriptions", "At the end of the period", actives)],
  },
  {
    name: "actives_movement",
    category: "subscriptions",
    display_type: "bar",
    display_name: "Active Subscriptions Movement",
    description: "Why the number of active subscriptions went up or down",
    subject: "ledger",
    measures: () => [
      count("New", "Paid for, for the first time", moved("actives_delta", NEW)),
      count("Returned", "Paid for again", moved("actives_delta", RETURNED)),
      count(
        "Product Changes",
        "Came from another product less went to one, which matters for single products only",
        moved("actives_delta", CHANGED),
        { chartable: false },
      ),
      count("Churned", "Paid for no longer, as a negative number", churned),
      count("Movement", "All of it together", moved("actives_delta"), { chartable: false }),
    ],
  },
  {
    name: "actives_new",
    category: "subscriptions",
    display_type: "bar",
    display_name: "New Paid Subscriptions",
    description: "Subscriptions that were paid for, for the first time",
    subject: "ledger",
    measures: () => [
      count("New Paid Subscriptions", "All of them", plus(...newlyPaid.map((m) => m.value))),
      ...newlyPaid.map((one) => ({ ...one, chartable: false })),
    ],
  },
  {
    name: "churn",
    category: "subscriptions",
    display_type: "line",
    display_name: "Subscription Churn",
    description: "The share of the subscriptions active at the start of a period that ended in it",
    subject: "ledger",
    measures: () => [
      count("Actives", "Active at the start of the period", activesBefore, { chartable: false }),
      count("Churned Actives", "Paid for no longer", times(churned, -1), { chartable: false }),
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
    description: "What the active subscriptions were about to do at the end of each period",
    subject: "ledger",
    measures: () => [
      count("Set to Renew", "Going to renew", level("renewing_delta")),
      count(
        "Set to Cancel",
        "Going to end",
        minus(actives, level("renewing_delta"), level("billing_issues_delta")),
      ),
      count("Billing Issue", "With a payment outstanding", level("billing_issues_delta")),
    ],
  },
  {
    name: "trials",
    category: "trials",
    display_type: "line",
    display_name: "Active Trials",
    description: "Trials that run at the end of each period",
    subject: "ledger",
    measures: () => [count("Active Trials", "At the end of the period", level("trials_delta"))],
  },
  {
    name: "trials_movement",
    category: "trials",
    display_type: "bar",
    display_name: "Active Trials Movement",
    description: "Why the number of active trials went up or down",
    subject: "ledger",
    measures: () => [
      count("New", "Started", moved("trials_delta", ["trial_start"])),
      count(
        "Product Changes",
        "Came from another product less went to one, which matters for single products only",
        moved("trials_delta", ["trial_change"]),
        { chartable: false },
      ),
      count(
        "Converted",
        "Paid for, as a negative number",
        moved("trials_delta", ["trial_conversion"]),
      ),
      count("Expired", "Ended unpaid, as a negative number", moved("trials_delta", ENDED)),
      count("Movement", "All of it together", moved("trials_delta"), { chartable: false }),
    ],
  },
  {
    name: "trials_new",
    category: "trials",
    display_type: "bar",
    display_name: "New Trials",
    description: "Trials that were started",
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
    description: "What became until now of the trials that were started in a period",
    subject: "ledger",
    measures: () => [
      count("Trial Starts", "Started in the period", trialStarts, { chartable: false }),
      count("Conversions", "Paid for since", trialsPaid, { chartable: false }),
      count("Expirations", "Ended unpaid", minus(trialStarts, trialsPaid, trialsPending), {
        chartable: false,
      }),
      count("Pending", "Running still", trialsPending, { chartable: false }),
      share("Conversion Rate", "Conversions per start", trialsPaid, trialStarts),
    ],
  },
];
