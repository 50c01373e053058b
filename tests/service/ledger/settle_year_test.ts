import { deepEqual, equal, ok } from "node:assert/strict";
import { addDuration } from "../../../lib/service/domain/calendar.ts";
import { levelsOf } from "../../../lib/service/domain/movements.ts";
import type { Row } from "../../../lib/service/store/tables.ts";
import { acrossProjects, type Store } from "../../../lib/service/store/mod.ts";
import { openForTests } from "../../support/engine.ts";
import {
  fateOf,
  passYear,
  sellSubscriptions,
  startOf,
  YEAR_ENDS,
} from "../../../scripts/bench/year.ts";

/** More than fit into one batch. */
const COUNT = Deno.env.has("LONG_TESTS") ? 1000 : 300;

Deno.test(`a year of ${COUNT} subscriptions has every renewal once, and sums that add up`, async () => {
  const store = await openForTests({ file: ":memory:" });
  await sellSubscriptions(store, COUNT);
  await passYear(store);
  const { subscriptions, transactions, movements, days, months, invoices, events } =
    await readEverything(store);
  await store.close();
  equal(subscriptions.length, COUNT);
  const paid = transactions.filter(({ status }) => status !== "failed");
  const bySubscription = Map.groupBy(paid, (row) => row.subscription_id);
  for (let number = 0; number < COUNT; number++) {
    const rows = bySubscription.get(`sub${number}`) ?? [];
    if (fateOf(number) === undefined) {
      const start = startOf(number, COUNT);
      const expected = Array.from({ length: 20 }, (_, i) => addDuration(start, "P1M", i))
        .filter((at) => at <= YEAR_ENDS);
      deepEqual(rows.map((row) => row.purchased_at), expected, `sub${number}`);
    }
    for (const [i, row] of rows.entries()) {
      const before = rows[i - 1]?.expires_at;
      ok(before === undefined || before === null || row.purchased_at >= before, "one at a time");
    }
  }
  equal(invoices.length, paid.length);
  const renewals = events.filter(({ type }) => type === "RENEWAL").length;
  equal(renewals, paid.length - COUNT);
  const refunds = transactions.filter(({ status }) => status === "refunded");
  equal(refunds.length, COUNT / 100);

  const gross = sum(movements.map((row) => row.gross_usd_micros));
  equal(gross, sum(subscriptions.map((row) => row.gross_usd_micros)));
  equal(
    gross,
    sum(paid.map((row) => row.gross_usd_micros)) - sum(refunds.map((row) => row.gross_usd_micros)),
  );
  for (
    const column of [
      "gross_usd_micros",
      "mrr_delta_micros",
      "actives_delta",
      "payments_delta",
    ] as const
  ) {
    equal(sum(days.map((row) => row[column])), sum(movements.map((row) => row[column])), column);
  }
  checkMonths(months, movements);
  const levels = subscriptions.map(levelsOf);
  equal(sum(movements.map((row) => row.mrr_delta_micros)), sum(levels.map(({ mrr }) => mrr)));
  equal(sum(movements.map((row) => row.actives_delta)), sum(levels.map((level) => level.actives)));
});

/** Checks the sums by month against the movements of each month. */
function checkMonths(
  months: readonly Row<"movements_monthly">[],
  movements: readonly Row<"movements">[],
): void {
  const byMonth = Map.groupBy(movements, ({ at }) => new Date(at).toISOString().slice(0, 7));
  for (const [month, rows] of byMonth) {
    const own = months.filter(({ day }) => day === Date.parse(`${month}-01T00:00:00Z`));
    equal(sum(own.map((row) => row.movements)), rows.length, month);
    const gross = (all: { gross_usd_micros: number }[]) =>
      sum(all.map((row) => row.gross_usd_micros));
    equal(gross(own), gross(rows), month);
  }
  equal(sum(months.map((row) => row.movements)), movements.length);
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

/** All rows of a year. */
async function readEverything(store: Store) {
  return await store.read(async (tx) => {
    const all = acrossProjects(tx);
    return {
      subscriptions: await all.selectFrom("subscriptions").selectAll().execute(),
      transactions: await all.selectFrom("transactions").selectAll().orderBy("seq").execute(),
      movements: await all.selectFrom("movements").selectAll().execute(),
      days: await all.selectFrom("movements_daily").selectAll().execute(),
      totals: await all.selectFrom("movement_totals").selectAll().execute(),
      months: await all.selectFrom("movements_monthly").selectAll().execute(),
      invoices: await all.selectFrom("invoices").selectAll().execute(),
      events: await all.selectFrom("events").select("type").execute(),
    };
  });
}
