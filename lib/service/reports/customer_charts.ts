/**
 * Charts of customers, each as what it measures and from which sums.
 *
 * Gap: nobody publishes how the figures are defined; these definitions are ours. But for the active
 * customers, a customer belongs to the period in which it was first seen. Deleted customers are not
 * counted, and what they have paid is not counted here either; the charts of money keep it.
 *
 * @module
 */

import { count, type Definition, followed, money, share } from "./definition.ts";
import { customers } from "./sums.ts";

const newCustomers = count("New Customers", "First seen in the period", customers("new"));
const paying = count("Paying Customers", "Those who have paid until now", customers("paying"), {
  chartable: false,
});
const revenue = money(
  "Revenue",
  "What they have paid until now, less refunds",
  customers("money"),
  {
    chartable: false,
  },
);

/** The end of a description, for figures that the charts of money do not agree with. */
const DELETED = "Deleted customers are left out; charts of revenue keep what they have paid";

/** The charts. */
export const customerCharts: readonly Definition[] = [
  {
    name: "customers_new",
    category: "customers",
    display_type: "bar",
    display_name: "New Customers",
    description: "Customers who were first seen in each period",
    subject: "customers",
    measures: () => [newCustomers],
  },
  {
    name: "customers_active",
    category: "customers",
    display_type: "bar",
    display_name: "Active Customers",
    // Gap: visits are not logged, so all that is known is the first, the last, and what was bought.
    description: "Customers who were first seen, last seen, or bought something in each period",
    subject: "customers",
    measures: () => [
      count("Active Customers", "Seen or buying in the period", customers("active")),
    ],
  },
  {
    name: "conversion_to_paying",
    category: "customers",
    display_type: "line",
    display_name: "Conversion to Paying",
    description: "The share of the customers first seen in a period who have paid until now. " +
      DELETED,
    subject: "payers",
    measures: () => [
      { ...newCustomers, chartable: false },
      paying,
      share(
        "Conversion Rate",
        "Paying customers per new customer",
        customers("paying"),
        customers("new"),
      ),
    ],
  },
  {
    name: "ltv_per_customer",
    category: "customers",
    display_type: "line",
    display_name: "Realized LTV per Customer",
    description: "What the customers first seen in a period have paid until now, per customer. " +
      DELETED,
    subject: "payers",
    measures: () => [
      { ...newCustomers, chartable: false },
      revenue,
      money("LTV per Customer", "Revenue per customer", customers("money"), {
        per: customers("new"),
      }),
    ],
  },
  {
    name: "ltv_per_paying_customer",
    category: "customers",
    display_type: "line",
    display_name: "Realized LTV per Paying Customer",
    description: "What the customers first seen in a period have paid until now, per customer " +
      `who has paid. ${DELETED}`,
    subject: "payers",
    measures: () => [
      paying,
      revenue,
      money("LTV per Paying Customer", "Revenue per paying customer", customers("money"), {
        per: customers("paying"),
      }),
    ],
  },
  {
    name: "cohort_explorer",
    category: "retention",
    display_type: "cohort",
    display_name: "Cohort Explorer",
    description:
      "What the customers first seen in a period paid in that period and in later ones. " +
      DELETED,
    subject: "payers",
    measures: (offsets) => [
      { ...newCustomers, chartable: false },
      ...followed("money", "$", offsets),
    ],
  },
];
