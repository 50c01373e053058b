/**
 * Faults that somebody makes in a database past the service, for each invariant.
 *
 * @module
 */

/** The time of the database. */
export const NOW = Date.UTC(2026, 10, 28, 12);

const YEAR = 365 * 24 * 3_600_000;

/** Stands for the project that has a fault. */
export const FAULTY = "the faulty project";

/** The first row of a table in the project, as a condition. */
function first(table: string, where = "1 = 1", key = "id"): string {
  return `project_id = '${FAULTY}' and ${key} = (
    select min(${key}) from ${table} where ${where} and project_id = '${FAULTY}')`;
}

/** The statements that give the first customer of a project a balance without a transaction. */
function balanceIn(project: string, balance: number): string[] {
  return [
    `insert into virtual_currencies (project_id, id, seq, name, created_at)
    select id, 'GLD', 0, 'Gold', 0 from projects where id = '${project}' on conflict do nothing`,
    `insert into currency_balances (project_id, customer_id, currency_id, balance)
    select project_id, min(id), 'GLD', ${balance} from customers where project_id = '${project}'
    group by project_id on conflict (project_id, customer_id, currency_id)
    do update set balance = excluded.balance`,
  ];
}

/** The statements of a fault in a project. */
export function statementsFor(project: string, statements: readonly string[]): string[] {
  return statements.map((statement) => statement.replaceAll(FAULTY, project));
}

/** For each kind of fault, the statements that make it, and what else is then broken. */
export const FAULTS: readonly (readonly [name: string, statements: string[], also?: string[]])[] = [
  ["references", [`delete from accounts`]],
  ["references", [
    `update transactions set subscription_id = 'none' where ${
      first("transactions", "status = 'completed' and gross_usd_micros > 0")
    }`,
  ], [
    "payments",
  ]],
  ["keys", [
    "drop index deliveries_first",
    `update deliveries set ready_at = 0 where state = 'pending' and project_id = '${FAULTY}'`,
  ], ["deliveries"]],
  ["daily-sums", [
    `update movements_daily set refunds_delta = refunds_delta + 1 where ${
      first("movements_daily", "1 = 1", "day")
    }`,
  ]],
  ["daily-sums", [`delete from movements_daily where ${first("movements_daily", "1 = 1", "day")}`]],
  ["daily-totals", [
    `update movement_totals set payments_delta = payments_delta + 1 where ${
      first("movement_totals", "1 = 1", "day")
    }`,
  ]],
  ["daily-totals", [
    `delete from movement_totals where ${first("movement_totals", "1 = 1", "day")}`,
  ]],
  ["monthly-sums", [
    `update movements_monthly set tax_usd_micros = tax_usd_micros - 1 where ${
      first("movements_monthly", "1 = 1", "day")
    }`,
  ]],
  ["monthly-sums", [
    `update movements_monthly set day = day + 86400000 where ${
      first("movements_monthly", "gross_usd_micros <> 0", "day")
    } and gross_usd_micros <> 0`,
  ]],
  ["levels", [
    `update subscriptions set price_micros = price_micros + 5000000 where ${
      first(
        "subscriptions",
        "status = 'active' and period_type = 'normal' and ownership = 'purchased'",
      )
    }`,
  ]],
  ["levels", [
    `delete from movements where kind = 'start' and ${first("movements", "kind = 'start'", "seq")}`,
  ], ["daily-sums", "daily-totals", "monthly-sums", "money", "cohort-sums"]],
  ["cohort-sums", [
    `update cohort_payments set tax_usd_micros = tax_usd_micros + 1 where ${
      first("cohort_payments", "1 = 1", "day")
    }`,
  ]],
  ["cohort-sums", [
    `delete from cohort_payments where ${first("cohort_payments", "1 = 1", "day")}`,
  ]],
  ["cohort-sums", [
    `update cohort_payments set week = week + 1 where ${first("cohort_payments", "1 = 1", "day")}`,
  ]],
  ["first-days", [
    `update movements set customer_since = customer_since + 1 where ${
      first("movements", "customer_id is not null", "seq")
    }`,
  ]],
  ["payers", [`update customers set paid_in = 0 where ${first("customers", "paid_in = 1")}`]],
  ["payers", [`update customers set paid_in = 3 where ${first("customers", "paid_in = 0")}`]],
  ["money", [
    `update purchases set gross_usd_micros = gross_usd_micros + 1 where ${
      first("purchases", "status = 'owned'")
    }`,
  ]],
  ["payments", [
    `update transactions set gross_usd_micros = gross_usd_micros + 1 where ${
      first("transactions", "status = 'completed'")
    }`,
  ]],
  ["periods", [
    `insert into transactions (project_id, id, seq, subscription_id, product_store_identifier,
      period_type, purchased_at, expires_at, status, currency, gross_micros, commission_micros,
      tax_micros, gross_usd_micros, commission_usd_micros, tax_usd_micros)
    select project_id, 'twice', seq, subscription_id, product_store_identifier, period_type,
      purchased_at, expires_at, status, currency, 0, 0, 0, 0, 0, 0 from transactions
    where ${first("transactions", "status = 'completed' and expires_at is not null")}`,
  ]],
  ["overdue", [
    `update subscriptions set due_at = ${NOW - 1} where ${
      first("subscriptions", "due_at is not null")
    }`,
  ]],
  ["future", [`update events set created_at = ${NOW + YEAR + 1} where ${first("events")}`]],
  ["order", [`update projects set last_seq = last_seq - 10 where id = '${FAULTY}'`]],
  ["aliases", [
    `delete from customer_aliases where alias = customer_id and ${
      first("customer_aliases", "alias = customer_id", "customer_id")
    }`,
  ]],
  ["balances", balanceIn(FAULTY, 5)],
  ["family-shares", [
    `update subscriptions set share_count = share_count + 1 where ${first("subscriptions")}`,
  ]],
  ["listeners", [
    `insert into listeners (project_id, name, acknowledged, secret, created_at)
    select id, 'one', last_seq + 1, 'whsec_', 0 from projects where id = '${FAULTY}'`,
  ]],
  ["deliveries", [
    `update deliveries set ready_at = null where ${first("deliveries", "ready_at is not null")}`,
  ]],
  ["attempts", [
    `insert into attempts (project_id, delivery_id, number, started_at, url, request_headers,
      response_cut, timing)
    select project_id, id, attempts + 2, 0, 'https://example.com', '{}', 0, '{}' from deliveries
    where ${first("deliveries")}`,
  ]],
  ["tokens", [
    `update grants set rotates = 1`,
    `insert into refresh_tokens (hash, grant_id, created_at, expires_at)
    select 'other', grant_id, created_at, expires_at from refresh_tokens`,
  ]],
  ["json", [`update events set payload = '{"cut":' where ${first("events")}`]],
];

/** Changes that break nothing, so that the second project differs from the first in what is joined. */
export function differencesBetween(one: string, other: string): string[] {
  const own = `where project_id = '${other}'`;
  const share = (project: string, member: string) => [
    `update subscriptions set shared_from_id = (select min(id) from subscriptions)
    where project_id = '${project}' and id = (select ${member} from subscriptions)`,
    `update subscriptions set share_count = share_count + 1
    where project_id = '${project}' and id = (select min(id) from subscriptions)`,
  ];
  return [
    `update customers set first_seen_at = first_seen_at + 1 ${own}`,
    `update movements set customer_since = customer_since + 1 ${own}`,
    `update projects set clock_frozen_at = clock_frozen_at + ${YEAR}, last_seq = last_seq + 9
    where id = '${other}'`,
    `update subscriptions set due_at = due_at + ${YEAR} ${own}`,
    `update events set created_at = created_at + ${YEAR} ${own}`,
    `insert into listeners (project_id, name, acknowledged, secret, created_at)
    select id, 'far', last_seq, 'whsec_', 0 from projects where id = '${other}'`,
    `update deliveries set attempts = attempts + 5 ${own}`,
    ...[...share(one, "max(id)"), ...share(other, "max(id)")],
    ...share(other, "max(case when id < (select max(id) from subscriptions) then id end)"),
    ...[one, other].flatMap((project) => balanceIn(project, 0)),
  ];
}
