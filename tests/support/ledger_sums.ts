/**
 * What must hold of the rows that a ledger leaves behind, whatever has happened.
 *
 * @module
 */

import { deepEqual, equal, ok } from "node:assert/strict";
import { levelsOf } from "../../lib/service/domain/movements.ts";
import { acrossProjects, type Store } from "../../lib/service/store/mod.ts";

/** The columns that the sums of days and months add up. */
const SUMMED = [
  ...["gross_usd_micros", "commission_usd_micros", "tax_usd_micros", "mrr_delta_micros"] as const,
  ...["actives_delta", "trials_delta", "renewing_delta", "payments_delta"] as const,
  "refunds_delta" as const,
];

/** Checks the sums of days and months, the levels and the money of all projects, up to a moment. */
export async function checkSums(store: Store, now: number): Promise<void> {
  const { subscriptions, purchases, transactions, movements, days, months, events } =
    await readRows(store);
  for (const column of SUMMED) {
    const total = sum(movements.map((row) => row[column]));
    equal(sum(days.map((row) => row[column])), total, `${column} of days`);
    equal(sum(months.map((row) => row[column])), total, `${column} of months`);
  }
  const levels = subscriptions.map(levelsOf);
  equal(sum(movements.map((row) => row.mrr_delta_micros)), sum(levels.map(({ mrr }) => mrr)));
  equal(sum(movements.map((row) => row.actives_delta)), sum(levels.map((one) => one.actives)));
  equal(sum(movements.map((row) => row.trials_delta)), sum(levels.map((one) => one.trials)));
  const owned = purchases.filter(({ status }) => status === "owned");
  equal(
    sum(movements.map((row) => row.gross_usd_micros)),
    sum([...subscriptions, ...owned].map((row) => row.gross_usd_micros)),
  );
  checkPayments(subscriptions, transactions);
  deepEqual(subscriptions.filter(({ due_at }) => due_at !== null && due_at <= now), []);
  ok(
    [...events, ...movements.map(({ at }) => ({ created_at: at }))]
      .every(({ created_at }) => created_at <= now),
    "something happens in the future",
  );
}

type Rows = Awaited<ReturnType<typeof readRows>>;

/** Checks that no period is paid for twice, and that each subscription has what was paid for it. */
function checkPayments(
  subscriptions: Rows["subscriptions"],
  transactions: Rows["transactions"],
): void {
  const paid = Map.groupBy(transactions, (row) => row.subscription_id);
  for (const { id, gross_usd_micros, ownership } of subscriptions) {
    const rows = paid.get(id) ?? [];
    const kept = rows.filter(({ status }) => status === "completed");
    equal(sum(kept.map((row) => row.gross_usd_micros)), gross_usd_micros, id);
    ok(ownership === "purchased" || gross_usd_micros === 0, id);
    for (const [i, row] of kept.entries()) {
      const before = kept[i - 1]?.expires_at;
      ok(before === undefined || before === null || row.purchased_at >= before - 1, id);
    }
  }
}

async function readRows(store: Store) {
  return await store.read(async (tx) => {
    const all = acrossProjects(tx);
    return {
      subscriptions: await all.selectFrom("subscriptions").selectAll().execute(),
      purchases: await all.selectFrom("purchases").selectAll().execute(),
      transactions: await all.selectFrom("transactions").selectAll().orderBy("seq").execute(),
      movements: await all.selectFrom("movements").selectAll().execute(),
      days: await all.selectFrom("movements_daily").selectAll().execute(),
      months: await all.selectFrom("movements_monthly").selectAll().execute(),
      events: await all.selectFrom("events").select(["type", "created_at"]).execute(),
    };
  });
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
