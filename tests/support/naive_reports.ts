/**
 * Charts and headline numbers once more, in the slowest and plainest way: every figure straight from
 * all rows of the ledger and all customers, day by day, with nothing of the service's own reports.
 *
 * @module
 */

import { acrossProjects, type Store } from "../../lib/service/store/mod.ts";
import type { Row } from "../../lib/service/store/tables.ts";

/** A row of the ledger. */
export type Move = Row<"movements">;

/** A customer. */
export type Person = Row<"customers">;

/** All that reports are made of. */
export interface World {
  /** The ledger. */
  moves: Move[];
  /** The customers. */
  people: Person[];
  /** The project's time. */
  now: number;
}

/** Reads it. */
export async function readWorld(store: Store, projectId: string, now: number): Promise<World> {
  return await store.read(async (tx) => {
    const moves = await acrossProjects(tx).selectFrom("movements").selectAll()
      .where("project_id", "=", projectId).execute();
    const people = await acrossProjects(tx).selectFrom("customers").selectAll()
      .where("project_id", "=", projectId).execute();
    return { moves, people, now };
  });
}

/** A period. */
export interface Span {
  /** Its first millisecond. */
  start: number;
  /** The first millisecond after it. */
  end: number;
}

const DAY = 86_400_000;

/** The calendar's names of days, by the length of periods: the same are asked for again and again. */
const names = new Map<string, Map<number, string>>();

/** The days from one to another, cut where the calendar's name for them changes. */
export function spans(from: number, until: number, length: string): Span[] {
  const known = names.get(length) ?? new Map<number, string>();
  names.set(length, known);
  const name = (day: number): string => {
    const found = known.get(day) ?? nameOf(day, length);
    known.set(day, found);
    return found;
  };
  let start = from;
  while (name(start - DAY) === name(from)) start -= DAY;
  const found: Span[] = [];
  while (start <= until) {
    let end = start + DAY;
    while (name(end) === name(start)) end += DAY;
    found.push({ start, end });
    start = end;
  }
  return found;
}

/** The calendar's name of the period in which a day is. */
function nameOf(day: number, length: string): string {
  const text = new Date(day).toISOString();
  if (length === "month") return text.slice(0, 7);
  if (length === "year") return text.slice(0, 4);
  if (length === "quarter") return text.slice(0, 4) + Math.floor((+text.slice(5, 7) - 1) / 3);
  if (length === "day") return text.slice(0, 10);
  let monday = day;
  while (new Date(monday).getUTCDay() !== 1) monday -= DAY;
  return String(monday);
}

/** One number before it is shown: what is counted, and what it is divided by. */
export interface Part {
  /** What is counted; micros of US dollars where it is money. */
  part: number;
  /** What it is divided by, if anything. */
  whole?: number;
  /** Its unit. */
  unit: "$" | "#" | "%";
  /** Whether periods must not be added up. */
  level?: boolean;
  /** How many periods later it is known. */
  offset?: number;
}

/** What is left of the world after filtering, and how to look at it. */
export interface Scene {
  /** The moves that count. */
  moves: Move[];
  /** The people that count. */
  people: Person[];
  /** What of a payment is revenue. */
  money(move: Move): number;
  /** The project's time. */
  now: number;
  /** The periods from the chart's first one on, far enough. */
  spans: Span[];
}

type Kind = readonly string[];
const NEW: Kind = ["start", "trial_conversion"];
const BACK: Kind = ["resubscription", "recovery", "resumption", "refund_reversal"];
const CHANGE: Kind = ["upgrade", "downgrade"];
const END: Kind = ["expiration", "lapse", "pause", "refund", "deletion", "trial_expiration"];
const BUY: Kind = [
  "trial_start",
  "start",
  "resubscription",
  "purchase",
  "upgrade",
  "downgrade",
  "trial_change",
];

const inside = (at: number | null, { start, end }: Span) => at !== null && at >= start && at < end;
const add = (moves: Move[], value: (move: Move) => number) =>
  moves.reduce((sum, move) => sum + value(move), 0);
const actives = (move: Move) => move.actives_delta;
const trials = (move: Move) => move.trials_delta;
const mrr = (move: Move) => move.mrr_delta_micros;
const count = (part: number): Part => ({ part, unit: "#" });
const stock = (part: number): Part => ({ part, unit: "#", level: true });
const cash = (part: number): Part => ({ part, unit: "$" });
const share = (part: number, whole: number): Part => ({ part, whole, unit: "%" });

/** The figures of each chart in the period of a number. */
export const NAIVE: Record<string, (scene: Scene, i: number) => Part[]> = {
  actives: (s, i) => [stock(add(upTo(s, i), actives))],
  actives_movement: (s, i) => [
    ...[NEW, BACK, CHANGE, END].map((kinds) => count(add(of(s, i, kinds), actives))),
    count(add(of(s, i), actives)),
  ],
  actives_new: (s, i) => [
    count(add(of(s, i, ["start", "trial_conversion", "resubscription"]), actives)),
    count(add(of(s, i, ["start"]), actives)),
    count(add(of(s, i, ["trial_conversion"]), actives)),
    count(add(of(s, i, ["resubscription"]), actives)),
  ],
  arr: (s, i) => [{ part: 12 * add(upTo(s, i), mrr), unit: "$", level: true }],
  churn: (s, i) => {
    const before = add(s.moves.filter(({ at }) => at < spanAt(s, i).start), actives);
    const gone = -add(of(s, i, END), actives);
    return [stock(before), count(gone), share(gone, before)];
  },
  cohort_explorer: (s, i) => [
    count(seenFirst(s, i).length),
    ...later(
      s,
      i,
      (span, n) =>
        cash(add(
          paidBy(s, seenFirst(s, i)).filter(({ at }) => n === 0 ? at < span.end : inside(at, span)),
          s.money,
        )),
    ),
  ],
  conversion_to_paying: (s, i) => {
    const [all, payers] = [seenFirst(s, i).length, paying(s, i).length];
    return [count(all), count(payers), share(payers, all)];
  },
  customers_active: (s, i) => [
    count(
      s.people.filter((person) =>
        inside(person.first_seen_at, spanAt(s, i)) || inside(person.last_seen_at, spanAt(s, i)) ||
        of(s, i, BUY).some(({ customer_id }) => customer_id === person.id)
      ).length,
    ),
  ],
  customers_new: (s, i) => [count(seenFirst(s, i).length)],
  ltv_per_customer: (s, i) => {
    const people = seenFirst(s, i);
    const paid = add(paidBy(s, people), s.money);
    return [count(people.length), cash(paid), { part: paid, whole: people.length, unit: "$" }];
  },
  ltv_per_paying_customer: (s, i) => {
    const payers = paying(s, i).length;
    const paid = add(paidBy(s, seenFirst(s, i)), s.money);
    return [count(payers), cash(paid), { part: paid, whole: payers, unit: "$" }];
  },
  mrr: (s, i) => [{ part: add(upTo(s, i), mrr), unit: "$", level: true }],
  mrr_movement: (s, i) => [
    ...[NEW, BACK, ["upgrade"], ["downgrade"], END].map((kinds) => cash(add(of(s, i, kinds), mrr))),
    cash(add(of(s, i), mrr)),
  ],
  refund_rate: (s, i) => {
    const payments = add(of(s, i), (move) => move.payments_delta);
    const back = s.moves.filter(({ transaction_at }) => inside(transaction_at, spanAt(s, i)));
    const refunds = add(back, (move) => move.refunds_delta);
    return [count(payments), count(refunds), share(refunds, payments)];
  },
  revenue: (s, i) => [
    cash(add(of(s, i), s.money)),
    cash(-add(of(s, i, ["refund", "refund_reversal"]), s.money)),
    count(add(of(s, i), (move) => move.payments_delta)),
  ],
  subscription_retention: (s, i) => {
    const cohort = s.moves.filter(({ paid_since }) => inside(paid_since, spanAt(s, i)));
    const begun = cohort.filter(({ kind, actives_delta }) =>
      [...NEW, ...CHANGE, "resubscription"].includes(kind) && actives_delta > 0
    );
    const size = add(begun, actives);
    return [
      count(size),
      ...later(s, i, ({ end }) => share(add(cohort.filter(({ at }) => at < end), actives), size)),
    ];
  },
  subscription_status: (s, i) => {
    const renewing = add(upTo(s, i), (move) => move.renewing_delta);
    const issues = add(upTo(s, i), (move) => move.billing_issues_delta);
    const all = add(upTo(s, i), actives);
    return [stock(renewing), stock(all - renewing - issues), stock(issues)];
  },
  trial_conversion_rate: (s, i) => {
    const cohort = s.moves.filter(({ started_at }) => inside(started_at, spanAt(s, i)));
    const kinds = (...wanted: string[]) => cohort.filter(({ kind }) => wanted.includes(kind));
    const starts = add(kinds("trial_start", "trial_change"), trials);
    const paid = add(kinds("trial_conversion"), actives);
    const running = add(cohort, trials);
    return [
      count(starts),
      count(paid),
      count(starts - paid - running),
      count(running),
      share(paid, starts),
    ];
  },
  trials: (s, i) => [stock(add(upTo(s, i), trials))],
  trials_movement: (s, i) => [
    ...[["trial_start"], ["trial_change"], ["trial_conversion"], END]
      .map((kinds) => count(add(of(s, i, kinds), trials))),
    count(add(of(s, i), trials)),
  ],
  trials_new: (s, i) => [count(add(of(s, i, ["trial_start"]), trials))],
};

function spanAt({ spans }: Scene, i: number): Span {
  const span = spans[i];
  if (!span) throw new RangeError(`There is no period ${i}`);
  return span;
}

function of(scene: Scene, i: number, kinds?: Kind): Move[] {
  const span = spanAt(scene, i);
  return scene.moves.filter(({ at, kind }) => inside(at, span) && (kinds?.includes(kind) ?? true));
}

function upTo(scene: Scene, i: number): Move[] {
  return scene.moves.filter(({ at }) => at < spanAt(scene, i).end);
}

function seenFirst(scene: Scene, i: number): Person[] {
  return scene.people.filter(({ first_seen_at }) => inside(first_seen_at, spanAt(scene, i)));
}

function paidBy({ moves }: Scene, people: Person[]): Move[] {
  const ids = new Set(people.map(({ id }) => id));
  return moves.filter(({ customer_id }) => customer_id !== null && ids.has(customer_id));
}

function paying(scene: Scene, i: number): Person[] {
  return seenFirst(scene, i).filter((person) =>
    paidBy(scene, [person]).some(({ payments_delta }) => payments_delta > 0)
  );
}

/** A figure for each of up to 12 later periods that the first period has got to by now. */
function later(scene: Scene, i: number, figure: (span: Span, n: number) => Part): Part[] {
  const begun = scene.spans.filter(({ start }) => start <= scene.now).length;
  const last = Math.max(0, Math.min(begun - 1, 12));
  return Array.from({ length: last + 1 }, (_, n) => ({
    ...figure(spanAt(scene, i + n), n),
    offset: n,
  }));
}

/** A value of a dimension as charts name it. */
export function dimensionOf(name: string, move: Move): string {
  switch (name) {
    case "store":
    case "app_id":
    case "product_id":
    case "environment":
      return move[name];
    case "offering_id":
      return move.offering_id ?? "none";
    case "country":
      return move.country ?? "unknown";
    case "product_duration":
      return move.product_duration ?? "P200Y";
    default:
      return platformName(move.platform);
  }
}

/** The same of a customer. */
export function dimensionOfPerson(name: string, person: Person): string {
  return name === "country"
    ? person.last_seen_country ?? "unknown"
    : platformName(person.last_seen_platform ?? "");
}

function platformName(text: string): string {
  const known = ["iOS", "Android", "macOS", "tvOS", "watchOS", "visionOS", "Web", "Roku"];
  return known.find((one) => one.toLowerCase() === text.toLowerCase()) ?? "Other";
}
