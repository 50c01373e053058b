/**
 * A ledger to measure with: two years of customers who try, buy, renew, cancel and are refunded, in the
 * order of time, as the journal would have left it behind.
 *
 * @module
 */

import { DAY_MS } from "../../lib/service/domain/calendar.ts";
import { PAID_IN } from "../../lib/service/domain/cohorts.ts";
import {
  addToTotals,
  monthsOf,
  type Movement,
  type MovementTotals,
  newTotals,
  totalsOf,
} from "../../lib/service/domain/ledger.ts";
import type { MovementKind } from "../../lib/service/domain/movements.ts";
import { connect, type Connection } from "../../lib/service/store/sqlite/connection.ts";
import { openStore } from "../../lib/service/store/mod.ts";
import type { Row } from "../../lib/service/store/tables.ts";

/** The project that the ledger belongs to. */
export const PROJECT = "projledger00";

/** The first day, and how many days follow. */
const FIRST = Date.UTC(2025, 0, 1);
const DAYS = 730;

/** The moment at which everything has happened. */
export const NOW: number = FIRST + DAYS * DAY_MS - 1;

/** A subscription on its way. */
interface Subscriber {
  /** Its number. */
  readonly number: number;
  /** When its customer was first seen. */
  readonly since: number;
  /** Its place among the stores. */
  readonly store: number;
  /** Where the customer lives. */
  readonly country: string | null;
  /** When it was first paid for. */
  paid: number | null;
  /** How often it has been paid for. */
  renewals: number;
}

const STORES = [
  { store: "app_store", platform: "iOS", app_id: "appios" },
  { store: "play_store", platform: "Android", app_id: "appandroid" },
  { store: "svc_billing", platform: "Web", app_id: "appweb" },
];
const COUNTRIES = "US US US US DE DE GB GB JP FR BR IN CA AU MX SE PL".split(" ");
const PRICE = 9_990_000;

/** Writes a database with about this many rows in its ledger. Returns how many there are. */
export async function writeLedger(file: string, rows: number): Promise<number> {
  await openStore({ file }).close();
  const connection = connect(file);
  try {
    connection.run("BEGIN");
    connection.run(
      `INSERT INTO projects (id, seq, name, created_at) VALUES ('${PROJECT}', 1, 'Bench', 0)`,
    );
    const count = fill(connection, rows);
    connection.run("COMMIT");
    return count;
  } finally {
    connection.close();
  }
}

/** Lives through all days. */
function fill(connection: Connection, rows: number): number {
  const random = randomNumbers();
  const due = Array.from({ length: DAYS + 400 }, () => [] as Subscriber[]);
  const totals = newTotals();
  // A customer leaves about six rows behind.
  const perDay = Math.max(1, rows / 6.15 / DAYS);
  const write = writerTo(connection, totals);
  let born = 0;
  for (let day = 0; day < DAYS; day++) {
    const at = () => FIRST + day * DAY_MS + Math.floor(random() * DAY_MS);
    for (; born < perDay * (day + 1); born++) {
      const since = at();
      const country = random() < 0.1
        ? null
        : COUNTRIES[Math.floor(random() * COUNTRIES.length)] ?? null;
      const store = Math.floor(random() * STORES.length);
      const one = { number: born, since, store, country, paid: null, renewals: 0 };
      insert(connection, "customers", customerOf(one));
      // Not everybody buys.
      if (random() < 0.7) due[day]?.push(one);
    }
    for (const one of due[day] ?? []) {
      const next = live(one, at(), random, write);
      if (next > 0) due[day + next]?.push(one);
    }
  }
  for (const row of totals.days.values()) insert(connection, "movements_daily", row);
  for (const row of monthsOf(totals)) insert(connection, "movements_monthly", row);
  for (const row of totalsOf(totals)) insert(connection, "movement_totals", row);
  for (const row of totals.cohorts.values()) insert(connection, "cohort_payments", row);
  return write.count();
}

/** What a day brings to a subscription. Returns the days until the next one; 0 when it has ended. */
function live(
  one: Subscriber,
  at: number,
  random: () => number,
  write: Writer,
): number {
  if (one.paid === null) {
    const kind = one.renewals === 0 ? "start" : "trial_conversion";
    if (one.renewals === 0 && random() < 0.3) {
      one.renewals = 1;
      write.row(one, at, "trial_start", { trials_delta: 1 });
      return 7;
    }
    one.paid = at;
    const trials_delta = kind === "start" ? 0 : -1;
    write.row(one, at, kind, { ...PAID, ...BEGUN, trials_delta });
    return 30;
  }
  one.renewals++;
  if (random() < 0.08) {
    write.row(one, at - 3_600_000, "cancellation", { renewing_delta: -1 });
    write.row(one, at, "expiration", { actives_delta: -1, mrr_delta_micros: -PRICE });
    return 0;
  }
  write.row(one, at, "renewal", PAID);
  if (random() < 0.01) {
    write.row(one, at, "refund", { ...moneyOf(-PRICE), refunds_delta: 1 });
  }
  return 30;
}

type Sums = Partial<
  Pick<
    Movement,
    | "gross_usd_micros"
    | "commission_usd_micros"
    | "tax_usd_micros"
    | "payments_delta"
    | "refunds_delta"
    | "mrr_delta_micros"
    | "actives_delta"
    | "trials_delta"
    | "renewing_delta"
  >
>;

const PAID: Sums = { ...moneyOf(PRICE), payments_delta: 1 };
const BEGUN: Sums = { actives_delta: 1, renewing_delta: 1, mrr_delta_micros: PRICE };

function moneyOf(gross: number): Sums {
  return {
    gross_usd_micros: gross,
    commission_usd_micros: gross * 0.3,
    tax_usd_micros: gross * 0.1,
  };
}

/** Writes rows of the ledger. */
interface Writer {
  /** Writes one. */
  row(one: Subscriber, at: number, kind: MovementKind, sums: Sums): void;
  /** How many were written. */
  count(): number;
}

function writerTo(connection: Connection, totals: MovementTotals): Writer {
  let seq = 0;
  return {
    count: () => seq,
    row(one, at, kind, sums) {
      const movement = movementOf(one, at, kind, sums);
      insert(connection, "movements", { ...movement, seq: ++seq });
      addToTotals(totals, movement);
      if (kind === "start" || kind === "trial_conversion") markPayer(connection, movement);
    },
  };
}

/** Notes on a customer where its first payment was. */
function markPayer(connection: Connection, { customer_id, environment }: Movement): void {
  connection.rows(
    "UPDATE customers SET paid_in = ? WHERE project_id = ? AND id = ?",
    PAID_IN[environment],
    PROJECT,
    customer_id,
  );
}

/** The row for something that happens to a subscription. */
function movementOf(one: Subscriber, at: number, kind: MovementKind, sums: Sums): Movement {
  const store = STORES[one.store] ?? { store: "", platform: "Other", app_id: "" };
  return {
    project_id: PROJECT,
    at,
    kind,
    customer_id: `customer ${one.number}`,
    customer_since: one.since,
    subscription_id: `sub${one.number}`,
    purchase_id: null,
    transaction_id: `tx${one.number}.${one.renewals}`,
    transaction_at: at,
    started_at: one.since,
    paid_since: one.paid,
    renewal_number: one.renewals,
    period_type: "normal",
    environment: one.number % 50 === 0 ? "sandbox" : "production",
    ...store,
    product_id: `prod${store.store}${one.number % 3}`,
    product_duration: "P1M",
    offering_id: one.number % 2 === 0 ? "ofrngdefault" : null,
    country: one.country,
    currency: "USD",
    ...NOTHING,
    ...sums,
  };
}

const NOTHING = {
  gross_usd_micros: 0,
  commission_usd_micros: 0,
  tax_usd_micros: 0,
  payments_delta: 0,
  refunds_delta: 0,
  mrr_delta_micros: 0,
  actives_delta: 0,
  trials_delta: 0,
  renewing_delta: 0,
  billing_issues_delta: 0,
};

function customerOf(one: Subscriber): Row<"customers"> {
  return {
    project_id: PROJECT,
    id: `customer ${one.number}`,
    seq: one.number + 1,
    first_seen_at: one.since,
    last_seen_at: one.since + one.number % 90 * DAY_MS,
    last_seen_app_version: "2.1.0",
    last_seen_country: one.country,
    last_seen_platform: STORES[one.store]?.platform ?? null,
    last_seen_platform_version: null,
    paid_in: 0,
  };
}

/** Inserts a row by the names of its columns. */
function insert(connection: Connection, table: string, row: object): void {
  const names = Object.keys(row);
  const marks = names.map(() => "?").join(", ");
  connection.rows(
    `INSERT INTO ${table} (${names.join(", ")}) VALUES (${marks})`,
    ...Object.values(row),
  );
}

/** Numbers from 0 to 1, the same ones each time. */
function randomNumbers(): () => number {
  let state = 1;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}
