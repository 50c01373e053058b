import { deepEqual, equal, ok } from "node:assert/strict";
import { fc } from "../../support/properties.ts";
import {
  agreeToPrice,
  cancel,
  expireNow,
  extend,
  failNext,
  failNow,
  pause,
  raisePrice,
  recover,
  renewNow,
  resume,
  uncancel,
} from "../../../lib/service/domain/actions.ts";
import { passDue } from "../../../lib/service/domain/due.ts";
import { movementsOf } from "../../../lib/service/domain/ledger.ts";
import { levelsOf } from "../../../lib/service/domain/movements.ts";
import {
  changeAtEnd,
  changeNow,
  checkChangeable,
} from "../../../lib/service/domain/product_change.ts";
import { subscribe } from "../../../lib/service/domain/purchase.ts";
import { IllegalStep, type Step, type Subscription } from "../../../lib/service/domain/step.ts";
import { ANNUAL, DAY, SALE, START } from "../../support/subscription_sale.ts";

/** `DOMAIN_RUNS` is the number of random histories. */
const RUNS = Number(Deno.env.get("DOMAIN_RUNS") ?? 500);

/** All actions, with a length of time. */
const ACTIONS: Record<string, (state: Subscription, at: number, days: number) => Step[]> = {
  renew: (state, at) => [renewNow(state, at)],
  failNow: (state, at, days) => [failNow(state, at, days % 2 === 0 ? null : `P${days}D`)],
  failNext: (state, at, days) => [failNext(state, at, days % 2 === 0 ? null : `P${days}D`)],
  recover: (state, at) => [recover(state, at)],
  cancel: (state, at) => [cancel(state, at, "UNSUBSCRIBE")],
  uncancel: (state, at) => [uncancel(state, at)],
  pause: (state, at, days) => [pause(state, at, days % 2 === 0 ? null : at + days * DAY)],
  resume: (state, at) => [resume(state, at)],
  extend: (state, at, days) => [extend(state, at, (state.period_ends_at ?? at) + days * DAY)],
  expire: (state, at) => [expireNow(state, at, "UNKNOWN")],
  raisePrice: (state, at) => [raisePrice(state, at, state.price_micros + 1_000_000)],
  agreeToPrice: (state, at) => [agreeToPrice(state, at)],
  changeNow: (state, at) => {
    checkChangeable(state);
    return changeNow(state, at, ANNUAL);
  },
  changeAtEnd: (state, at) => {
    checkChangeable(state);
    return changeAtEnd(state, at, ANNUAL);
  },
};

Deno.test("after random actions states are valid, money adds up and levels match", () => {
  const happening = fc.record({
    action: fc.constantFrom(...Object.keys(ACTIONS), "wait", "wait", "wait"),
    days: fc.integer({ min: 1, max: 80 }),
  });
  const sale = fc.record({
    trial_duration: fc.constantFrom(null, "P1W", "P1M"),
    grace_duration: fc.constantFrom(null, "P3D", "P16D"),
    duration: fc.constantFrom("P1W", "P1M", "P1Y"),
    store: fc.constantFrom("play_store", "test_store", "app_store"),
    paid: fc.constant(true),
  });
  fc.assert(
    fc.property(sale, fc.array(happening, { maxLength: 25 }), (terms, happenings) => {
      const walk = walkFrom(subscribe({ ...SALE, ...terms }, START));
      for (const { action, days } of happenings) {
        if (action === "wait") walk.wait(days);
        else walk.act(ACTIONS[action] ?? (() => []), days);
      }
    }),
    { numRuns: RUNS },
  );
});

/** One subscription with its replacements, over time. */
function walkFrom(first: Step): {
  wait(days: number): void;
  act(make: (state: Subscription, at: number, days: number) => Step[], days: number): void;
} {
  let now = START;
  let current = first.after;
  const all = new Map<string, Subscription>();
  const sums = new Map<string, { money: number; levels: ReturnType<typeof levelsOf> }>();

  const take = (step: Step): void => {
    const { after, before, payment } = step;
    if (before) deepEqual(before, all.get(after.id), "steps follow each other");
    checkState(after, now);
    if (payment?.status === "completed") equal(payment.id, after.transaction_id);
    all.set(after.id, Object.freeze(after));
    current = after;
    const known = sums.get(after.id) ?? { money: 0, levels: levelsOf(undefined) };
    const levels = { ...known.levels };
    let money = known.money;
    for (const row of movementsOf(step, START)) {
      levels.mrr += row.mrr_delta_micros;
      levels.actives += row.actives_delta;
      levels.trials += row.trials_delta;
      levels.renewing += row.renewing_delta;
      levels.billing_issues += row.billing_issues_delta;
      money += row.gross_usd_micros;
    }
    deepEqual(levels, levelsOf(after), "levels add up to those of the state");
    equal(money, after.gross_usd_micros, "money adds up to the state's");
    sums.set(after.id, { money, levels });
  };

  take(first);
  return {
    wait(days) {
      const until = now + days * DAY;
      while (current.due_at !== null && current.due_at <= until) {
        ok(current.due_at >= now, "what is due lies ahead");
        now = current.due_at;
        for (const step of passDue(current, ANNUAL)) take(step);
      }
      now = until;
    },
    act(make, days) {
      try {
        for (const step of make(current, now, days)) take(step);
      } catch (error) {
        if (!(error instanceof IllegalStep)) throw error;
      }
    },
  };
}

/** The database's own rules, and that a state is not behind its time. */
function checkState(state: Subscription, now: number): void {
  const { status, auto_renewal_status: renewal } = state;
  equal(status === "in_grace_period", state.grace_ends_at !== null);
  equal(status === "in_billing_retry", state.retry_ends_at !== null);
  equal(renewal === "has_already_renewed", state.renewed_until !== null);
  equal(renewal === "will_change_product", state.pending_product_id !== null);
  ok(state.period_ends_at !== null || status === "paused");
  if (status === "expired") deepEqual([state.due_at, renewal], [null, "will_not_renew"]);
  else ok(state.due_at !== null || status === "paused", `${status} is due some time`);
  ok(state.due_at === null || state.due_at >= now, "nothing is overdue after a step");
  ok(state.period_ends_at === null || state.period_starts_at <= state.period_ends_at);
}
