/**
 * Random ledgers: rows that could stand in the ledger, in any order, with sums that fit them.
 *
 * @module
 */

import { fc } from "./properties.ts";
import { type RawBuilder, sql } from "kysely";
import type { MovementKind } from "../../lib/service/domain/movements.ts";
import { acrossProjects, type Tx } from "../../lib/service/store/mod.ts";
import { ENGINE } from "./engine.ts";
import type { Row } from "../../lib/service/store/tables.ts";
import type { Desk } from "./harness.ts";
import { DAY } from "./simulation.ts";

/** The moment up to which things happen. */
export const NOW = Date.UTC(2026, 4, 13, 15, 30);

/** Kinds, and the levels that rows of each may move: actives, trials, renewing, billing issues. */
const MOVES: Record<MovementKind, number[][]> = {
  trial_start: [[0, 1, 0, 0]],
  trial_conversion: [[1, -1, 1, 0], [1, 0, 1, 0]],
  trial_expiration: [[0, -1, 0, 0]],
  start: [[1, 0, 1, 0]],
  resubscription: [[1, 0, 1, 0]],
  renewal: [[0, 0, 0, 0]],
  recovery: [[1, 0, 1, 0], [0, 0, 1, -1]],
  resumption: [[1, 0, 1, 0]],
  billing_issue: [[0, 0, -1, 1]],
  lapse: [[-1, 0, 0, -1], [0, -1, 0, 0]],
  pause: [[-1, 0, -1, 0]],
  expiration: [[-1, 0, 0, 0], [-1, 0, -1, 0]],
  cancellation: [[0, 0, -1, 0]],
  uncancellation: [[0, 0, 1, 0]],
  upgrade: [[1, 0, 1, 0], [-1, 0, -1, 0]],
  downgrade: [[1, 0, 1, 0], [-1, 0, -1, 0]],
  trial_change: [[0, 1, 0, 0], [0, -1, 0, 0]],
  refund: [[-1, 0, -1, 0], [0, 0, 0, 0]],
  refund_reversal: [[1, 0, 0, 0], [0, 0, 0, 0]],
  purchase: [[0, 0, 0, 0]],
  deletion: [[-1, 0, -1, 0], [0, -1, 0, 0]],
};

const kinds = Object.keys(MOVES).filter((kind): kind is MovementKind => kind in MOVES);
const moment = fc.integer({ min: NOW - 420 * DAY, max: NOW });
const country = fc.constantFrom("US", "DE", "GB", "JP", null);

/** A random ledger: customers, and moves of theirs. */
export interface Ledger {
  people: { first: number; last: number | null; country: string | null; platform: string | null }[];
  moves: {
    person: number;
    kind: MovementKind;
    at: number;
    before: number;
    paidBefore: number | null;
    pick: number;
    gross: number;
    mrr: number;
    environment: "production" | "sandbox";
    store: string;
    product: number;
    duration: string | null;
    offering: boolean;
    country: string | null;
    platform: string;
  }[];
}

/** Any such ledger. */
export const ledgers: fc.Arbitrary<Ledger> = fc.record({
  people: fc.array(
    fc.record({
      first: moment,
      last: fc.option(moment),
      country,
      platform: fc.constantFrom("iOS", "android", "WEB", "Tizen", null),
    }),
    { minLength: 1, maxLength: 12 },
  ),
  moves: fc.array(
    fc.record({
      person: fc.nat(),
      kind: fc.constantFrom(...kinds),
      at: moment,
      before: fc.nat({ max: 90 * DAY }),
      paidBefore: fc.option(fc.nat({ max: 60 * DAY })),
      pick: fc.nat(),
      gross: fc.integer({ min: 1, max: 200_000_000 }),
      mrr: fc.integer({ min: 1, max: 50_000_000 }),
      environment: fc.constantFrom("production", "production", "sandbox"),
      store: fc.constantFrom("app_store", "play_store", "svc_billing"),
      product: fc.nat(),
      duration: fc.constantFrom("P1M", "P1Y", "P1W", null),
      offering: fc.boolean(),
      country,
      platform: fc.constantFrom("iOS", "Android", "Web", "Other"),
    }),
    { maxLength: 60 },
  ),
});

/** Puts a random ledger into the demonstration project. Its sums are what the rows add up to. */
export async function insertLedger(desk: Desk, { people, moves }: Ledger): Promise<void> {
  const { projectId: project_id } = desk;
  await desk.service.store.write(async (tx) => {
    const products = await acrossProjects(tx).selectFrom("products").selectAll().execute();
    for (const [i, { first, last, country, platform }] of people.entries()) {
      await acrossProjects(tx).insertInto("customers").values({
        project_id,
        id: `someone ${i}`,
        seq: 1_000_000 + i,
        first_seen_at: first,
        last_seen_at: last,
        last_seen_app_version: null,
        last_seen_country: country,
        last_seen_platform: platform,
        last_seen_platform_version: null,
      }).execute();
    }
    for (const [i, move] of moves.entries()) {
      const product = products[move.product % products.length];
      await acrossProjects(tx).insertInto("movements").values({
        project_id,
        seq: 2_000_000 + i,
        ...partsOf(move),
        ...ownerOf(move, people),
        app_id: product?.app_id ?? "",
        product_id: product?.id ?? "",
      }).execute();
    }
    await addUp(tx, "movements_daily", sql`at - at % 86400000`);
    await addUp(tx, "movements_monthly", startOfMonth);
    await addUpTotals(tx);
    await addUpCohorts(tx);
  });
}

/** The first millisecond of a movement's month. */
const startOfMonth = ENGINE === "sqlite"
  ? sql`unixepoch(at / 1000, 'unixepoch', 'start of month') * 1000`
  : sql`cast(extract(epoch from date_trunc('month', to_timestamp(at / 1000))) * 1000 as bigint)`;

/** The first millisecond of a movement's week, or of its month if that begins later. */
const startOfWeek = sql`case
  when at - (at + 259200000) % 604800000 < ${startOfMonth} then ${startOfMonth}
  else at - (at + 259200000) % 604800000 end`;

/** Fills a table of sums with what all movements add up to. */
async function addUp(
  tx: Tx,
  table: "movements_daily" | "movements_monthly",
  day: RawBuilder<unknown>,
): Promise<void> {
  await acrossProjects(tx).deleteFrom(table).execute();
  await sql`
    insert into ${sql.table(table)}
    select project_id, ${day}, kind, environment, store, app_id, product_id,
      coalesce(product_duration, ''), coalesce(offering_id, ''), coalesce(country, ''), platform,
      count(*), sum(gross_usd_micros), sum(commission_usd_micros), sum(tax_usd_micros),
      sum(payments_delta), sum(refunds_delta), sum(mrr_delta_micros), sum(actives_delta),
      sum(trials_delta), sum(renewing_delta), sum(billing_issues_delta)
    from movements group by 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11`.execute(tx);
}

/** Fills the totals of days with the sums of days. */
async function addUpTotals(tx: Tx): Promise<void> {
  await acrossProjects(tx).deleteFrom("movement_totals").execute();
  await sql`
    insert into movement_totals
    select project_id, day, kind, environment, sum(movements), sum(gross_usd_micros),
      sum(commission_usd_micros), sum(tax_usd_micros), sum(payments_delta), sum(refunds_delta),
      sum(mrr_delta_micros), sum(actives_delta), sum(trials_delta), sum(renewing_delta),
      sum(billing_issues_delta)
    from movements_daily group by 1, 2, 3, 4`.execute(tx);
}

/** Fills the sums of cohorts, and where customers have paid, from all movements. */
async function addUpCohorts(tx: Tx): Promise<void> {
  await acrossProjects(tx).deleteFrom("cohort_payments").execute();
  const counts = sql`customer_id is not null and gross_usd_micros <> 0`;
  await sql`
    insert into cohort_payments
    select project_id, customer_since - customer_since % 86400000, ${startOfWeek}, environment,
      count(*), sum(gross_usd_micros), sum(commission_usd_micros), sum(tax_usd_micros)
    from movements where ${counts} group by 1, 2, 3, 4`.execute(tx);
  await sql`
    update customers set paid_in = (
      select coalesce(sum(distinct case environment when 'production' then 1 else 2 end), 0)
      from movements where movements.project_id = customers.project_id
        and customer_id = customers.id and payments_delta > 0 and ${counts})`.execute(tx);
}

type Owned = Pick<Row<"movements">, "customer_id" | "customer_since">;

/** Whose a move is. Of those who were deleted only the day is left. */
function ownerOf({ person, kind }: Ledger["moves"][number], people: Ledger["people"]): Owned {
  const number = person % people.length;
  const customer_since = people[number]?.first ?? 0;
  return { customer_id: kind === "deletion" ? null : `someone ${number}`, customer_since };
}

type Parts = Omit<Row<"movements">, keyof Owned | "project_id" | "seq" | "app_id" | "product_id">;

/** What a move is worth. */
function partsOf(move: Ledger["moves"][number]): Parts {
  const { kind, at, before, paidBefore, pick, gross, environment, store, country } = move;
  const choices = MOVES[kind];
  const [actives = 0, trials = 0, renewing = 0, issues = 0] = choices[pick % choices.length] ?? [];
  const pays =
    ["trial_conversion", "start", "resubscription", "renewal", "recovery", "resumption", "purchase"]
      .includes(kind) || (kind === "upgrade" && actives > 0);
  const back = kind === "refund" ? 1 : kind === "refund_reversal" ? -1 : 0;
  const sign = pays ? 1 : -back;
  return {
    at,
    kind,
    subscription_id: kind === "purchase" ? null : "sub",
    purchase_id: kind === "purchase" ? "pur" : null,
    transaction_id: sign === 0 ? null : "tx",
    transaction_at: pays ? at : back === 0 ? null : at - before,
    started_at: at - before,
    paid_since: paidBefore === null ? null : at - paidBefore,
    renewal_number: 1,
    period_type: "normal",
    environment,
    store,
    product_duration: move.duration,
    offering_id: move.offering ? "offering" : null,
    country,
    platform: move.platform,
    currency: "USD",
    gross_usd_micros: sign * gross,
    commission_usd_micros: sign * Math.floor(gross * 0.3),
    tax_usd_micros: sign * Math.floor(gross * 0.1),
    payments_delta: pays ? 1 : 0,
    refunds_delta: back,
    mrr_delta_micros: actives * move.mrr,
    actives_delta: actives,
    trials_delta: trials,
    renewing_delta: renewing,
    billing_issues_delta: issues,
  };
}
