import { deepEqual } from "node:assert/strict";
import { connect, type Connection } from "../../../lib/service/store/connection.ts";
import { migrate } from "../../../lib/service/store/migrate.ts";
import { migrations } from "../../../lib/service/store/migrations/mod.ts";

Deno.test("what was sold before terms were kept has the term that is known", () => {
  const connection = connect(":memory:");
  const options = { file: ":memory:", now: 0 };
  migrate(connection, migrations.slice(0, 8), options);
  connection.run("PRAGMA foreign_keys = OFF");
  insert(connection, "products", {
    project_id: "p",
    id: "yearly",
    seq: 1,
    app_id: "a",
    store_identifier: "yearly",
    type: "subscription",
    duration: "P1Y",
    created_at: 0,
  });
  const sold = [["yearly", "s1", null], ["other", "s2", null], ["coins", null, "b1"]];
  for (const [i, [product_id, subscription_id, purchase_id]] of [...sold, ...sold].entries()) {
    insert(connection, "movements", { ...ROW, seq: i, product_id, subscription_id, purchase_id });
  }
  migrate(connection, migrations, options);
  const columns = "product_id, product_duration, gross_usd_micros AS gross";
  const found = (table: string) =>
    connection.rows(`SELECT ${columns} FROM ${table} ORDER BY product_id DESC`)
      .map(({ product_id, product_duration, gross }) => [product_id, product_duration, gross]);
  const expected = [["yearly", "P1Y"], ["other", "P1M"], ["coins", null]];
  deepEqual(found("movements"), expected.flatMap((row) => [[...row, 5], [...row, 5]]));
  deepEqual(found("movements_daily"), expected.map(([id, term]) => [id, term ?? "", 10]));
  connection.close();
});

const ROW = {
  project_id: "p",
  at: 86_400_001,
  kind: "renewal",
  customer_since: 0,
  started_at: 0,
  environment: "production",
  store: "app_store",
  app_id: "a",
  platform: "iOS",
  currency: "USD",
  gross_usd_micros: 5,
  commission_usd_micros: 0,
  tax_usd_micros: 0,
  payments_delta: 1,
  refunds_delta: 0,
  mrr_delta_micros: 0,
  actives_delta: 0,
  trials_delta: 0,
  renewing_delta: 0,
  billing_issues_delta: 0,
};

/** Inserts a row by the names of its columns. */
function insert(
  connection: Connection,
  table: string,
  row: Record<string, string | number | null | undefined>,
): void {
  const entries = Object.entries(row);
  const names = entries.map(([name]) => name).join(", ");
  const marks = entries.map(() => "?").join(", ");
  const values = entries.map(([, value]) => value ?? null);
  connection.rows(`INSERT INTO ${table} (${names}) VALUES (${marks})`, ...values);
}
