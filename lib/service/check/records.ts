/**
 * The invariants of records, deliveries and sign-ins.
 *
 * @module
 */

import { isJson } from "../../json_text.ts";
import {
  bySql,
  type Invariant,
  type Moment,
  MOST_FOUND,
  rowsOf,
  type Violation,
} from "./invariant.ts";

/** The tables whose rows have a place in their project's order. */
const NUMBERED = [
  ...["collaborators", "apps", "app_keys", "products", "entitlements", "entitlement_products"],
  ...["offerings", "packages", "package_products", "paywalls", "virtual_currencies", "audit_logs"],
  ...["tombstones", "customers", "customer_aliases", "currency_entries", "subscriptions"],
  ...["transactions", "purchases", "invoices", "movements", "events", "webhook_integrations"],
];

/** The columns with JSON, by their tables, with the keys of these. */
const JSON_COLUMNS: readonly (readonly [table: string, key: string, columns: readonly string[]])[] =
  [
    ["apps", "project_id, id", ["settings", "secrets"]],
    ["offerings", "project_id, id", ["metadata"]],
    ["paywalls", "project_id, id", ["content"]],
    ["virtual_currencies", "project_id, id", ["product_grants"]],
    ["audit_logs", "project_id, id", ["additional_data"]],
    ["receipts", "project_id, token", ["sale"]],
    ["events", "project_id, id", ["payload"]],
    ["webhook_integrations", "project_id, id", ["event_types"]],
    ["deliveries", "project_id, id", ["payload"]],
    ["attempts", "project_id, delivery_id, number", [
      "request_headers",
      "response_headers",
      "timing",
    ]],
  ];

/** The invariants. */
export const records: readonly Invariant[] = [
  bySql(
    "order",
    "No row is numbered higher than its project has counted",
    `select found_in, project_id, highest, last_seq from (
      ${
      NUMBERED.map((table) =>
        `select '${table}' as found_in, project_id, max(seq) as highest from ${table}
        group by project_id`
      ).join(" union all ")
    }) as numbered join projects on projects.id = numbered.project_id where highest > last_seq`,
  ),
  bySql(
    "aliases",
    "Each customer is found by its own id",
    `select project_id, id from customers where not exists (
      select 1 from customer_aliases as own where own.project_id = customers.project_id
        and own.alias = customers.id and own.customer_id = customers.id)`,
  ),
  bySql(
    "balances",
    "Each balance is the sum of its transactions",
    `select project_id, customer_id, currency_id, sum(balance) as balance, sum(moved) as moved from (
      select project_id, customer_id, currency_id, balance, 0 as moved from currency_balances
      union all select project_id, customer_id, currency_id, 0 as balance, amount as moved
        from currency_entries) as merged
    group by project_id, customer_id, currency_id having sum(balance) <> sum(moved)`,
  ),
  bySql(
    "family-shares",
    "Each subscription knows how many members of the family share it",
    `select owner.project_id, owner.id, owner.share_count, coalesce(shares, 0) as shares
    from subscriptions as owner left join (
      select project_id, shared_from_id, count(*) as shares from subscriptions
      where shared_from_id is not null group by project_id, shared_from_id) as members
    on members.project_id = owner.project_id and members.shared_from_id = owner.id
    where owner.share_count <> coalesce(shares, 0)`,
  ),
  bySql(
    "listeners",
    "No listener has acknowledged more than there is",
    `select project_id, listeners.name, acknowledged, last_seq from listeners
    join projects on projects.id = listeners.project_id where acknowledged > last_seq`,
  ),
  bySql(
    "deliveries",
    "Of each customer's pending deliveries to a webhook, one is ready",
    `select project_id, integration_id, customer_id, count(*) as pending, count(ready_at) as ready
    from deliveries where state = 'pending'
    group by project_id, integration_id, customer_id having count(ready_at) <> 1`,
  ),
  bySql(
    "attempts",
    "No delivery has more attempts than it has counted",
    `select attempts.project_id, delivery_id, max(number) as highest, max(deliveries.attempts) as counted
    from attempts join deliveries on deliveries.project_id = attempts.project_id
      and deliveries.id = delivery_id
    group by attempts.project_id, delivery_id having max(number) > max(deliveries.attempts)`,
  ),
  bySql(
    "tokens",
    "A sign-in with rotating refresh tokens has at most one current token",
    `select grant_id, count(*) as tokens from refresh_tokens join grants on grants.id = grant_id
    where rotates = 1 and rotated_at is null group by grant_id having count(*) > 1`,
  ),
  { name: "json", says: "JSON columns contain valid JSON", find: findOddJson },
];

/** Rows that are read at a time. */
const PAGE = 500;

async function findOddJson(moment: Moment): Promise<Violation[]> {
  const found: Violation[] = [];
  for (const [table, key, columns] of JSON_COLUMNS) {
    const names = key.split(", ");
    const select = `select ${key}, ${columns.join(", ")} from ${table}`;
    const order = `order by ${key} limit ${PAGE}`;
    let rows = await rowsOf(moment, `${select} ${order}`);
    while (rows.length > 0 && found.length < MOST_FOUND) {
      for (const row of rows) {
        const column = columns.find((name) => row[name] !== null && !isJson(String(row[name])));
        if (column === undefined) continue;
        const own = Object.fromEntries(names.map((name) => [name, row[name]]));
        found.push({ found_in: `${table}.${column}`, ...own });
      }
      const last = rows.at(-1);
      const behind = `where (${key}) > (${names.map(() => "?").join(", ")})`;
      const values = names.map((name) => last?.[name]);
      rows = rows.length < PAGE ? [] : await rowsOf(moment, `${select} ${behind} ${order}`, values);
    }
  }
  return found.slice(0, MOST_FOUND);
}
