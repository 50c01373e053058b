import { deepEqual } from "node:assert/strict";
import { type NewRow, openLawless, verdictOn } from "../../support/lawless.ts";
import { type Values, VIOLATIONS } from "../../support/violations.ts";

const NOW = 1_000_000;
const { good = {} } = VIOLATIONS["subscriptions"] ?? {};

/** A subscription in the project p. */
function subscription(id: string, values: Values = {}): NewRow {
  return ["subscriptions", good, {
    project_id: "p",
    id,
    ...values,
  }];
}

/** A project whose clock is as told. */
function project(clock: Values = {}): NewRow {
  return ["projects", { id: "p", ...clock }];
}

Deno.test("an event may be a minute ahead of this machine's clock while a service runs", async () => {
  const empty = openLawless();
  const founds = async (at: number, clock: Values, settled: boolean) => {
    const rows: NewRow[] = [project(clock), ["events", {
      project_id: "p",
      seq: 3,
      created_at: at,
    }]];
    return (await verdictOn(empty, "future", rows, { now: NOW, settled })).rows;
  };
  const found = (at: number) => [{ found_in: "events", project_id: "p", seq: 3, at }];
  deepEqual(await founds(NOW, {}, true), []);
  deepEqual(await founds(NOW + 1, {}, true), found(NOW + 1));
  deepEqual(await founds(NOW + 60_000, {}, false), []);
  deepEqual(await founds(NOW + 60_001, {}, false), found(NOW + 60_001));
  // The project's own clock decides.
  deepEqual(await founds(NOW + 9, { clock_offset: 9 }, true), []);
  deepEqual(await founds(NOW, { clock_frozen_at: NOW - 1 }, true), found(NOW));
  deepEqual(await founds(NOW, { clock_frozen_at: NOW - 1, clock_advancing_to: NOW }, true), []);
});

Deno.test("a movement after the project's time is found", async () => {
  const rows: NewRow[] = [project(), ["movements", { project_id: "p", seq: 3, at: NOW + 1 }]];
  deepEqual((await verdictOn(openLawless(), "future", rows, { now: NOW })).rows, [
    { found_in: "movements", project_id: "p", seq: 3, at: NOW + 1 },
  ]);
});

Deno.test("what is due may wait while a service runs, unless the project's clock stands", async () => {
  const empty = openLawless();
  const founds = async (due_at: number, clock: Values, settled: boolean) => {
    const rows = [project(clock), subscription("s", { due_at })];
    return (await verdictOn(empty, "overdue", rows, { now: NOW, settled })).rows;
  };
  const found = (due_at: number) => [{ project_id: "p", id: "s", due_at }];
  deepEqual(await founds(NOW, {}, true), found(NOW));
  deepEqual(await founds(NOW + 1, {}, true), []);
  deepEqual(await founds(NOW, {}, false), []);
  deepEqual(await founds(NOW + 9, { clock_offset: 9 }, true), found(NOW + 9));
  deepEqual(await founds(NOW, { clock_frozen_at: NOW }, false), found(NOW));
  deepEqual(await founds(NOW, { clock_frozen_at: NOW, clock_advancing_to: NOW }, true), []);
});

/** A movement of the subscription s with these levels. */
function moved(values: Values, subscription_id = "s"): NewRow {
  const none = {
    mrr_delta_micros: 0,
    actives_delta: 0,
    trials_delta: 0,
    renewing_delta: 0,
    billing_issues_delta: 0,
  };
  return ["movements", none, { project_id: "p", subscription_id, ...values }];
}

Deno.test("levels that differ are shown with those of the movements, and the others are not", async () => {
  const empty = openLawless();
  const oddIn = async (...rows: NewRow[]) => (await verdictOn(empty, "levels", rows)).rows;
  const paid = { price_micros: 12_000_000, currency: "USD", duration: "P1Y" };
  const active = subscription("s", paid);
  const start = moved({ mrr_delta_micros: 1_000_000, actives_delta: 1, renewing_delta: 1 });
  const own = { project_id: "p", id: "s" };
  deepEqual(await oddIn(active, start), []);
  const counts = { actives: 1, moved_actives: 0, renewing: 1, moved_renewing: 0 };
  deepEqual(await oddIn(active), [{ ...own, mrr: 1_000_000, moved_mrr: 0, ...counts }]);
  const levels = [
    ["mrr", "mrr_delta_micros", 1_000_000],
    ["actives", "actives_delta", 1],
    ["trials", "trials_delta", 0],
    ["renewing", "renewing_delta", 1],
    ["billing_issues", "billing_issues_delta", 0],
  ] as const;
  for (const [level, column, wanted] of levels) {
    deepEqual(await oddIn(active, start, moved({ seq: 2, [column]: 7 })), [
      { ...own, [level]: wanted, [`moved_${level}`]: wanted + 7 },
    ]);
  }
  // Movements of a subscription that is not there.
  deepEqual(await oddIn(active, start, moved({ at: 2, trials_delta: 1 }, "gone")), [
    { project_id: "p", id: "gone", mrr: 0, actives: 0, trials: 1, renewing: 0, billing_issues: 0 },
  ]);
});

Deno.test("the levels of every subscription are compared, however many there are", async () => {
  const ids = Array.from({ length: 1001 }, (_, i) => String(1000 + i));
  const last = ids.length - 1;
  const expired = { status: "expired", auto_renewal_status: "will_not_renew" };
  const rows = ids.map((id, i) => subscription(id, { seq: i, ...i === last ? {} : expired }));
  const found = (await verdictOn(openLawless(), "levels", rows)).rows;
  deepEqual(found.map(({ id }) => id), [ids[last]]);
});
