import { deepEqual, ok } from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { acrossProjects } from "../../../lib/service/store/mod.ts";
import { testOnSqlite } from "../../support/engine.ts";
import { type Desk, openDesk } from "../../support/harness.ts";

/** Requests whose tables grow with the project. */
const GROWING = [
  "/customers",
  "/customers?starting_after={customer}",
  "/customers?search=somebody%40example.com",
  "/customers?search=somebody%40example.com&starting_after={customer}",
  "/customers/{customer}",
  "/customers/{customer}/subscriptions",
  "/customers/{customer}/purchases",
  "/customers/{customer}/invoices",
  "/customers/{customer}/active_entitlements",
  "/audit_logs",
];

const REASON = "reads the plans of SQLite's driver";

const NAME = "requests find the rows of large tables by an index, and walk none of them";

testOnSqlite(NAME, REASON, async () => {
  for (const path of GROWING) {
    // Each has a database of its own, on which no statement is prepared yet.
    await using desk = await openDesk();
    const plans = await plansOf(desk, path);
    ok(plans.length > 0, path);
    const walks = plans.filter((step) => /^SCAN|TEMP B-TREE/.test(step));
    // The few customers of one e-mail address are sorted.
    const sorts = path.includes("search=") ? ["USE TEMP B-TREE FOR ORDER BY"] : [];
    deepEqual(walks, sorts, path);
    // An index without a further column would lead to all rows of the project.
    const wide = plans.filter((step) => /\(project_id=\?\)$/.test(step));
    deepEqual(wide, isPlainList(path) ? wide : [], path);
  }
});

/** Whether a request asks for all rows in their order. */
function isPlainList(path: string): boolean {
  return path === "/customers" || path === "/audit_logs";
}

/** The steps by which SQLite runs the queries of a request, and its changes of rows. */
async function plansOf(desk: Desk, template: string, method = "GET"): Promise<string[]> {
  const { id } = await desk.service.store.read((tx) =>
    acrossProjects(tx).selectFrom("customers").select("id").executeTakeFirstOrThrow()
  );
  const path = template.replaceAll("{customer}", encodeURIComponent(id));
  const plans: string[] = [];
  const { prepare } = DatabaseSync.prototype;
  DatabaseSync.prototype.prepare = function (sql) {
    if (/^\s*(select|update|delete)/i.test(sql)) {
      const steps = prepare.call(this, `EXPLAIN QUERY PLAN ${sql}`).all();
      for (const step of steps) plans.push(String(Object.values(step).at(-1)));
    }
    return prepare.call(this, sql);
  };
  try {
    const response = await desk.send(method, `/v2/projects/${desk.projectId}${path}`);
    ok(response.ok, `${path}: ${response.status}`);
    await response.body?.cancel();
  } finally {
    DatabaseSync.prototype.prepare = prepare;
  }
  return plans;
}

/** Charts that read no single payment. */
const BY_SUMS = [
  "cohort_explorer",
  "conversion_to_paying",
  "customers_new",
  "ltv_per_customer",
  "ltv_per_paying_customer",
];

testOnSqlite("charts of customers read sums and whole indexes", REASON, async () => {
  for (const name of [...BY_SUMS, "customers_active"]) {
    await using desk = await openDesk();
    const plans = [
      ...await plansOf(desk, `/charts/${name}?period=month`),
      ...await plansOf(desk, `/charts/${name}?period=week`),
    ];
    const ofLedger = plans.filter((step) => /\bmovements(_by|\b(?!_))/.test(step));
    const ofCustomers = plans.filter((step) => step.includes("customers_by_"));
    deepEqual(ofLedger.length === 0, BY_SUMS.includes(name), `${name}: ${ofLedger}`);
    // What is not in an index would be looked up row by row.
    const looked = [...ofLedger, ...ofCustomers].filter((step) => !step.includes("COVERING INDEX"));
    deepEqual(looked, [], name);
  }
});

/** Charts that assign movements to the time of a payment, a subscription or a trial. */
const BY_OTHER_TIMES = ["refund_rate", "subscription_retention", "trial_conversion_rate"];

testOnSqlite(
  "charts of what becomes of payments and trials read whole indexes",
  REASON,
  async () => {
    for (const name of BY_OTHER_TIMES) {
      await using desk = await openDesk();
      const plans = await plansOf(desk, `/charts/${name}?period=month`);
      const ofLedger = plans.filter((step) => /\bmovements_by/.test(step));
      ok(ofLedger.length > 0, name);
      deepEqual(ofLedger.filter((step) => !step.includes("COVERING INDEX")), [], name);
      deepEqual(plans.filter((step) => step.includes("TEMP B-TREE")), [], `${name} sorts`);
    }
  },
);

testOnSqlite("charts and headline numbers of all movements read totals", REASON, async () => {
  await using desk = await openDesk();
  const paths = [
    "/metrics/overview",
    "/charts/mrr?period=week",
    "/charts/churn?segment=environment",
  ];
  for (const path of paths) {
    const plans = await plansOf(desk, path);
    ok(plans.some((step) => step.includes("movement_totals")), path);
    deepEqual(plans.filter((step) => /\bmovements_(daily|monthly)\b/.test(step)), [], path);
  }
});

testOnSqlite("payments by country look each customer up by its id", REASON, async () => {
  for (const name of ["cohort_explorer", "ltv_per_customer"]) {
    await using desk = await openDesk();
    const plans = await plansOf(desk, `/charts/${name}?period=month&segment=country`);
    const ofCustomers = plans.filter((step) => /\bcustomers\b/.test(step));
    const byId = ofCustomers.filter((step) => step.includes("(project_id=? AND id=?)"));
    ok(byId.length > 0, `${name}: ${ofCustomers}`);
    deepEqual(plans.filter((step) => step.includes("AUTOMATIC")), [], name);
  }
});

testOnSqlite("a customer is deleted without a walk over the ledger", REASON, async () => {
  await using desk = await openDesk();
  const plans = await plansOf(desk, "/customers/{customer}", "DELETE");
  const ofLedger = plans.filter((step) => /\bmovements(_by|\b(?!_))/.test(step));
  ok(ofLedger.some((step) => step.includes("movements_by_customer_since")), `${ofLedger}`);
  deepEqual(ofLedger.filter((step) => /\(project_id=\?\)$/.test(step)), []);
});
