/**
 * Charts of customers: their measures and the sums behind them.
 *
 * Gap: the figures have no published definition; these are ours. Except for active customers, a
 * customer belongs to the period in which it was first seen. Deleted customers and their payments do
 * not count here; the charts of money keep the payments.
 *
 * @module
 */

import { count, type Definition, followed, money, share } from "./definition.ts";
import { customers } from "./sums.ts";

const newCustomers = count("New Customers", "First seen in the period", customers("new"));
const paying = count("Paying Customers", "Customers with a payment to date", customers("paying"), {
  chartable: false,
});
const revenue = money(
  "Revenue",
  "Their payments to date, less refunds",
  customers("money"),
  {
    chartable: false,
  },
);

/** The end of descriptions whose figures differ from the charts of money. */
const DELETED = "Deleted customers are not counted; revenue charts keep their payments";

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
    // Gap: visits are not logged; only the first and last visit and the purchases are known.
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
    description: "The share of customers first seen in a period who have paid to date. " +
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
    description: "Payments to date by customers first seen in a period, per customer. " +
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
    description: "Payments to date by customers first seen in a period, per customer " +
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
      "Payments by customers first seen in a period, in that period and in later ones. " +
      DELETED,
    subject: "payers",
    measures: (offsets) => [
      { ...newCustomers, chartable: false },
      ...followed("money", "$", offsets),
    ],
  },
];
