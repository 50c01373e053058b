import { deepEqual, equal, ok } from "node:assert/strict";
import { DAY_MS } from "../../../lib/service/domain/calendar.ts";
import { migrations } from "../../../lib/service/store/migrations/mod.ts";
import { schemaAfter } from "../../../lib/service/store/move/tables.ts";
import { type NewRow, openLawless, verdictOn } from "../../support/lawless.ts";
import { type Values, VIOLATIONS } from "../../support/violations.ts";

const DAY = Date.UTC(2026, 10, 28);

const { tables } = schemaAfter(migrations);

/** The names of a table's columns. */
function columnsOf(table: string): Set<string> {
  return new Set(tables.find(({ name }) => name === table)?.columns.map(({ name }) => name));
}

Deno.test("every table with a place in its project's order is compared with the project's count", async () => {
  const empty = openLawless();
  // A delivery has the place of its event, and faults have an order of their own.
  const numbered = tables.map(({ name }) => name)
    .filter((name) =>
      !["projects", "deliveries", "delivery_faults", "request_faults"].includes(name) &&
      columnsOf(name).has("seq")
    );
  ok(numbered.length > 20);
  const project: NewRow = ["projects", { id: "p", last_seq: 7 }];
  for (const table of numbered) {
    const row = (seq: number): NewRow => [table, { project_id: "p", seq }];
    deepEqual((await verdictOn(empty, "order", [project, row(7)])).rows, [], table);
    const { rows } = await verdictOn(empty, "order", [project, row(8)]);
    deepEqual(rows, [{ found_in: table, project_id: "p", highest: 8, last_seq: 7 }]);
  }
});

/** The columns that are kept as JSON. */
const JSON_COLUMNS = [
  ...["apps.settings", "apps.secrets", "offerings.metadata", "paywalls.content"],
  ...["virtual_currencies.product_grants", "audit_logs.additional_data", "receipts.sale"],
  ...["events.payload", "webhook_integrations.event_types", "deliveries.payload"],
  ...["attempts.request_headers", "attempts.response_headers", "attempts.timing"],
];

/** A row of a table whose columns with JSON are good but for one. */
function jsonRow(broken: string, key: Values = {}): NewRow {
  const [table = "", column = ""] = broken.split(".");
  const own = JSON_COLUMNS.filter((name) => name.startsWith(`${table}.`));
  const good = Object.fromEntries(own.map((name) => [name.slice(table.length + 1), "{}"]));
  return [table, good, { [column]: '{"cut":' }, key];
}

Deno.test("every column with JSON is read, and a broken one is shown with its row's key", async () => {
  const empty = openLawless();
  for (const column of JSON_COLUMNS) {
    const [table = ""] = column.split(".");
    const { rows } = await verdictOn(empty, "json", [jsonRow(column)]);
    const { columns = [], key = [] } = tables.find(({ name }) => name === table) ?? {};
    const own = columns.filter(({ name }) => key.includes(name));
    const values = own.map(({ name, type }) => [name, type === "TEXT" ? "x" : 1]);
    deepEqual(rows, [{ found_in: column, ...Object.fromEntries(values) }]);
  }
});

Deno.test("rows are read until the last one, in as many queries as it takes", async () => {
  const empty = openLawless();
  const good = Array.from({ length: 1000 }, (_, i): NewRow => [
    "audit_logs",
    { id: `log${1000 + i}`, seq: i, additional_data: "{}" },
  ]);
  for (const count of [999, 1000]) {
    const rows = [
      ...good.slice(0, count),
      jsonRow("audit_logs.additional_data", {
        id: "logs",
        seq: 1000,
      }),
    ];
    const found = [{ found_in: "audit_logs.additional_data", project_id: "x", id: "logs" }];
    deepEqual((await verdictOn(empty, "json", rows)).rows, found);
  }
});

const SUMMED = [
  ...["gross_usd_micros", "commission_usd_micros", "tax_usd_micros", "payments_delta"],
  ...["refunds_delta", "mrr_delta_micros", "actives_delta", "trials_delta", "renewing_delta"],
  "billing_issues_delta",
];

/** No sums. */
const NOTHING: Values = Object.fromEntries(["movements", ...SUMMED].map((name) => [name, 0]));

const SUMS = [
  ["daily-sums", "movements_daily"],
  ["daily-totals", "movement_totals"],
  ["monthly-sums", "movements_monthly"],
  ["cohort-sums", "cohort_payments"],
] as const;

/** The sums of a table that are nothing, but for some. */
function sumsOf(table: string, values: Values): NewRow {
  const columns = columnsOf(table);
  const all = { ...NOTHING, ...values, day: DAY, ...columns.has("week") && { week: DAY } };
  return [table, Object.fromEntries(Object.entries(all).filter(([name]) => columns.has(name)))];
}

Deno.test("every sum of days, months and cohorts is compared with the movements", async () => {
  const empty = openLawless();
  for (const [name, table] of SUMS) {
    deepEqual((await verdictOn(empty, name, [sumsOf(table, {})])).rows, [], name);
    for (const column of Object.keys(NOTHING).filter((one) => columnsOf(table).has(one))) {
      const { rows: [row, ...more] } = await verdictOn(empty, name, [
        sumsOf(table, { [column]: 5 }),
      ]);
      deepEqual([row?.[column], more], [-5, []], `${name} ${column}`);
    }
  }
});

/** A movement that adds up to nothing, but counts. */
function movementOf(values: Values): NewRow {
  const { movements: _, ...nothing } = NOTHING;
  return ["movements", nothing, { at: DAY + 5, customer_since: DAY + 3, ...values }];
}

Deno.test("movements are compared with the sums of their own kind, whatever is unknown of them", async () => {
  const empty = openLawless();
  const unknown = ["product_duration", "offering_id", "country"];
  for (const [name, table] of SUMS.slice(0, 3)) {
    const own = unknown.filter((column) => columnsOf(table).has(column));
    const sums = { movements: 1, ...Object.fromEntries(own.map((column) => [column, ""])) };
    const day = name === "monthly-sums" ? Date.UTC(2026, 10) : DAY;
    const [, values = {}] = sumsOf(table, sums);
    const fits: NewRow = [table, { ...values, day }];
    deepEqual((await verdictOn(empty, name, [movementOf({}), fits])).rows, [], name);
    const kinds = [...columnsOf(table)].filter((column) => !(column in NOTHING));
    for (const kind of kinds.filter((column) => column !== "day" && column !== "project_id")) {
      const { rows } = await verdictOn(empty, name, [movementOf({ [kind]: "other" }), fits]);
      equal(rows.length, 2, `${name} ${kind}`);
    }
  }
});

Deno.test("a month's sums on another day than its first are found with both days", async () => {
  const empty = openLawless();
  const unknown = { product_duration: "", offering_id: "", country: "" };
  const [table, values = {}] = sumsOf("movements_monthly", { ...unknown, movements: 1 });
  const { rows } = await verdictOn(empty, "monthly-sums", [movementOf({}), [table, values]]);
  const sums = { gross_usd_micros: 0 };
  deepEqual(rows, [
    { project_id: "x", day: Date.UTC(2026, 10), ...sums, movements: 1 },
    { project_id: "x", day: DAY, ...sums, movements: -1 },
  ]);
  const paid = await verdictOn(empty, "monthly-sums", [
    movementOf({ gross_usd_micros: 9 }),
    [table, { ...values, day: Date.UTC(2026, 10), gross_usd_micros: 9 }],
  ]);
  deepEqual(paid.rows, []);
});

Deno.test("payments are compared with the sums of their cohort: day, week in the month, environment", async () => {
  const empty = openLawless();
  // A Saturday: its week began on Monday the 23rd. The last one began in the month before.
  const cases = [[DAY, Date.UTC(2026, 10, 23)], [Date.UTC(2026, 10, 1), Date.UTC(2026, 10, 1)]];
  for (const [at = 0, week = 0] of cases) {
    const money = { gross_usd_micros: 9, commission_usd_micros: 2, tax_usd_micros: 1 };
    const payment = movementOf({ at, ...money, customer_id: "c", customer_since: DAY + 3 });
    const sums = (values: Values): NewRow => [
      "cohort_payments",
      { day: DAY, week, environment: "x", movements: 1, ...money, ...values },
    ];
    deepEqual((await verdictOn(empty, "cohort-sums", [payment, sums({})])).rows, []);
    for (const odd of [{ day: DAY - DAY_MS }, { week: week + DAY_MS }, { environment: "y" }]) {
      equal((await verdictOn(empty, "cohort-sums", [payment, sums(odd)])).rows.length, 2);
    }
    // Neither a deleted customer nor what brings no money counts.
    for (const none of [{ customer_id: null }, { gross_usd_micros: 0 }]) {
      const [table, ...values] = payment;
      const { rows } = await verdictOn(empty, "cohort-sums", [[table, ...values, none]]);
      deepEqual(rows, []);
    }
  }
});

Deno.test("ten broken rows are shown, and the eleventh only as more", async () => {
  const empty = openLawless();
  const { good = {} } = VIOLATIONS["subscriptions"] ?? {};
  const number = (i: number) => String(100 + i);
  const makers: Record<string, (i: number) => NewRow> = {
    conditions: (i) =>
      i < 6
        ? ["accounts", { id: number(i), email: number(i), has_mfa: 2 }]
        : ["sign_in_tries", { subject: number(i), tries: 0 }],
    aliases: (i) => ["customers", { id: number(i), seq: i }],
    json: (i) => jsonRow("events.payload", { id: number(i), seq: i }),
    levels: (i) => ["subscriptions", good, {
      id: number(i),
      seq: i,
      price_micros: 5_000_000,
    }],
    "cohort-sums": (i) => sumsOf("cohort_payments", { movements: 1, environment: number(i) }),
    "monthly-sums": (i) => sumsOf("movements_monthly", { movements: 1, country: number(i) }),
  };
  for (const [name, make] of Object.entries(makers)) {
    for (const count of [10, 11, 30]) {
      const broken = Array.from({ length: count }, (_, i) => make(i));
      const { rows, more } = await verdictOn(empty, name, broken);
      deepEqual([rows.length, more], [10, count > 10], `${count} ${name}`);
    }
  }
});
