import { deepEqual, equal, ok, throws } from "node:assert/strict";
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
import { addDuration } from "../../../lib/service/domain/calendar.ts";
import { passDue } from "../../../lib/service/domain/due.ts";
import { changeAtEnd, changeNow, keepProduct } from "../../../lib/service/domain/product_change.ts";
import {
  believe,
  isBelieved,
  subscribe,
  type SubscriptionSale,
} from "../../../lib/service/domain/purchase.ts";
import { IllegalStep, type Step, type Subscription } from "../../../lib/service/domain/step.ts";
import { ANNUAL, DAY, SALE, START } from "../../support/subscription_sale.ts";

Deno.test("renewals stay on the anchor's day, through short months and leap years", () => {
  let state = subscribe(SALE, START).after;
  const ends: string[] = [];
  for (let i = 0; i < 26; i++) {
    ends.push(dateOf(state.period_ends_at));
    state = due(state).after;
  }
  deepEqual(ends.slice(0, 6), [
    "2026-02-28",
    "2026-03-31",
    "2026-04-30",
    "2026-05-31",
    "2026-06-30",
    "2026-07-31",
  ]);
  equal(ends[24], "2028-02-29");
  equal(ends[25], "2028-03-31");
});

Deno.test("a trial's first paid period counts from its end, and a recovered one from its own day", () => {
  const trial = subscribe({ ...SALE, trial_duration: "P1W" }, START).after;
  const paid = due(trial).after;
  equal(dateOf(paid.period_ends_at), "2026-03-07");

  const state = subscribe(SALE, START).after;
  const failing = due(failNext(state, START, "P16D").after).after;
  equal(failing.status, "in_grace_period");
  const inGrace = recover(failing, START + 35 * DAY).after;
  equal(dateOf(inGrace.period_starts_at), "2026-02-28");
  equal(dateOf(inGrace.period_ends_at), "2026-03-31");

  const retrying = due(failing).after;
  equal(retrying.status, "in_billing_retry");
  const late = recover(retrying, START + 50 * DAY).after;
  equal(dateOf(late.period_starts_at), "2026-03-22");
  equal(dateOf(late.period_ends_at), "2026-04-22");
});

Deno.test("a recovery after a grace longer than the period starts a new period", () => {
  const weekly = subscribe({ ...SALE, duration: "P1W" }, START).after;
  const failing = due(failNext(weekly, START, "P16D").after).after;
  const now = START + 20 * DAY;
  const after = recover(failing, now).after;
  equal(after.period_starts_at, now);
  equal(after.period_ends_at, now + 7 * DAY);
});

Deno.test("a failed charge after a pause starts a new period when it recovers at once", () => {
  const failing = failNext(subscribe({ ...SALE, duration: "P1W" }, START).after, START, null).after;
  const paused = due(pause(failing, START, null).after).after;
  const now = START + 15 * DAY;
  const retrying = resume(paused, now).after;
  equal(retrying.status, "in_billing_retry");
  equal(recover(retrying, now).after.period_ends_at, now + 7 * DAY);
});

Deno.test("an extension moves all later periods, a pause starts them anew", () => {
  const state = subscribe(SALE, START).after;
  const until = Date.UTC(2026, 2, 15, 12);
  equal(dateOf(due(extend(state, START, until).after).after.period_ends_at), "2026-04-15");

  const resumes = Date.UTC(2026, 3, 10, 12);
  const paused = due(pause(state, START, resumes).after).after;
  deepEqual([paused.status, paused.period_ends_at], ["paused", resumes]);
  const resumed = due(paused).after;
  deepEqual([resumed.status, dateOf(resumed.period_ends_at)], ["active", "2026-05-10"]);
  equal(dateOf(due(resumed).after.period_ends_at), "2026-06-10");
});

Deno.test("a renewal paid early counts once", () => {
  const { after: early, events } = renewNow(subscribe(SALE, START).after, START + DAY);
  deepEqual(events.map(({ type, extra }) => [type, extra?.is_trial_conversion]), [
    ["RENEWAL", false],
  ]);
  equal(early.renewal_number, 2);
  // It is paid when it is made, and not again when its period begins.
  equal(early.gross_usd_micros, 2 * SALE.price_micros);
  const started = due(early).after;
  deepEqual([started.renewal_number, due(started).after.renewal_number], [2, 3]);
  equal(started.gross_usd_micros, 2 * SALE.price_micros);
});

Deno.test("a cancelled subscription ends for the reason of its cancellation", () => {
  for (const reason of ["UNSUBSCRIBE", "PRICE_INCREASE", "BILLING_ERROR"] as const) {
    const { after, events } = due(cancel(subscribe(SALE, START).after, START, reason).after);
    equal(after.status, "expired");
    deepEqual(events.map(({ type, extra }) => [type, extra?.expiration_reason]), [
      ["EXPIRATION", reason],
    ]);
  }
});

Deno.test("an end at once is announced with its reason, unless access has ended before", () => {
  const active = subscribe(SALE, START).after;
  const ended = expireNow(active, START + DAY, "BILLING_ERROR");
  deepEqual(ended.events.map(({ type, extra }) => [type, extra?.expiration_reason]), [
    ["EXPIRATION", "BILLING_ERROR"],
  ]);
  equal(ended.after.cancel_reason, "BILLING_ERROR");
  const retrying = due(
    failNext(subscribe({ ...SALE, grace_duration: null }, START).after, START, null).after,
  );
  equal(retrying.after.status, "in_billing_retry");
  deepEqual(expireNow(retrying.after, START + 40 * DAY, "BILLING_ERROR").events, []);
});

Deno.test("temporary access is free, lasts a day and is told from bought periods", () => {
  const { after, events } = believe(SALE, START);
  deepEqual(
    [after.period_type, after.price_micros, after.period_ends_at, after.gross_usd_micros],
    ["promotional", 0, START + DAY, 0],
  );
  ok(isBelieved(after));
  ok(!isBelieved(subscribe(SALE, START).after));
  deepEqual(events.map(({ type }) => type), ["TEMPORARY_ENTITLEMENT_GRANT"]);
});

Deno.test("a sale keeps the transaction id that its store gave", () => {
  const sale = { ...SALE, transaction_id: "GPA.1" };
  equal(believe(sale, START).after.transaction_id, "GPA.1");
});

Deno.test("the test store's months take five minutes, and end after five renewals", () => {
  let state = subscribe({ ...SALE, store: "test_store", environment: "sandbox" }, START).after;
  for (let i = 1; i <= 5; i++) {
    equal(state.period_ends_at, START + i * 300_000);
    state = due(state).after;
  }
  const { after, events } = due(state);
  deepEqual([after.status, after.renewal_number], ["expired", 6]);
  deepEqual(events.map(({ type }) => type), ["EXPIRATION"]);
});

Deno.test("a product change is announced, then the first payment for the new product", () => {
  const announced = (sale: Partial<SubscriptionSale>) => {
    const bought = due(subscribe({ ...SALE, ...sale }, START).after).after;
    const steps = changeNow(bought, START + 40 * DAY, ANNUAL);
    const events = steps.flatMap((step) => step.events.map(({ type }) => type));
    return [events, steps.at(-1)?.after.renewal_number, steps.map(({ movement }) => movement)];
  };
  // A month of the year costs less. For Google it is a new subscription, for others the next period of the same one.
  deepEqual(announced({}), [["PRODUCT_CHANGE", "INITIAL_PURCHASE"], 1, ["downgrade", "downgrade"]]);
  const [events, number] = announced({ store: "app_store" });
  deepEqual([events, number], [["PRODUCT_CHANGE", "RENEWAL"], 3]);
  const trial = subscribe({ ...SALE, trial_duration: "P1W" }, START).after;
  const [step, ...others] = changeNow(trial, START + DAY, ANNUAL);
  deepEqual([step?.events.map(({ type }) => type), others.length], [["PRODUCT_CHANGE"], 0]);
  deepEqual([step?.after.product_id, step?.after.status], ["annual", "trialing"]);
});

Deno.test("a payment is booked as a renewal, a conversion, a recovery or a resumption", () => {
  const movementOf = (state: Subscription) => due(state).movement;
  const active = subscribe(SALE, START).after;
  equal(movementOf(active), "renewal");
  equal(movementOf(subscribe({ ...SALE, trial_duration: "P1W" }, START).after), "trial_conversion");
  const retrying = due(failNext(active, START, null).after).after;
  equal(recover(retrying, START + 40 * DAY).movement, "recovery");
  const paused = due(pause(active, START, null).after).after;
  equal(paused.status, "paused");
  equal(resume(paused, START + 60 * DAY).movement, "resumption");
});

Deno.test("a planned product change that is cancelled leaves nothing", () => {
  const state = subscribe(SALE, START).after;
  const changing = changeAtEnd(state, START, ANNUAL)[0]?.after;
  ok(changing);
  deepEqual([changing.pending_product_id, changing.auto_renewal_status], [
    "annual",
    "will_change_product",
  ]);
  const kept = keepProduct(changing, START)[0]?.after;
  deepEqual(kept, state);
});

Deno.test("periods after a charge that fails now are counted from that day", () => {
  const old = due(due(subscribe(SALE, START).after).after).after;
  const at = Date.UTC(2026, 3, 10, 12);
  const failed = failNow(old, at, "P3D").after;
  const recovered = recover(failed, at + DAY).after;
  equal(recovered.period_ends_at, Date.UTC(2026, 4, 10, 12));
});

Deno.test("a failed charge cancels a planned product change", () => {
  const state = subscribe(SALE, START).after;
  const changing = changeAtEnd(failNext(state, START, null).after, START, ANNUAL)[0]?.after;
  ok(changing);
  const [step] = passDue(changing, ANNUAL);
  deepEqual([step?.after.status, step?.after.product_id], ["in_billing_retry", "monthly"]);
  equal(step?.after.pending_product_id, null);
});

Deno.test("an action that the state does not allow is refused with a reason, and changes nothing", () => {
  const active = subscribe(SALE, START).after;
  const expired = expireNow(active, START, "UNKNOWN").after;
  const refused: [string, () => unknown][] = [
    ["expired", () => cancel(expired, START, "UNSUBSCRIBE")],
    ["already cancelled", () => cancel(cancel(active, START, "UNKNOWN").after, START, "UNKNOWN")],
    ["not cancelled", () => uncancel(active, START)],
    ["buy it again", () => uncancel(expired, START)],
    ["no failing charge", () => recover(active, START)],
    ["expired", () => renewNow(expired, START)],
    ["cannot be paused", () => pause(expired, START, null)],
    ["before the current period", () => pause(active, START, START + DAY)],
    ["later than the end", () => extend(active, START, START + DAY)],
    ["not paused", () => resume(active, START)],
    ["already failing", () => failNext(failNext(active, START, null).after, START, null)],
    ["that is expired cannot be extended", () => extend(expired, START, START + 99 * DAY)],
    ["must be higher", () => raisePrice(active, START, 1)],
    ["must be higher", () => raisePrice(active, START, active.price_micros)],
    ["no price increase", () => agreeToPrice(active, START)],
    ["already expired", () => expireNow(expired, START, "UNKNOWN")],
    ["later than the end", () => extend(active, START, active.period_ends_at ?? 0)],
    ["that is active and will not renew cannot", () => {
      renewNow(cancel(active, START, "UNKNOWN").after, START);
    }],
    ["that is expired is not charged", () => failNext(expired, START, null)],
    ["recover it instead", () => renewNow(failNext(active, START, null).after, START)],
    ["invoice is unpaid", () => recover(subscribe({ ...SALE, paid: false }, START).after, START)],
    ["The pause would end before the current period does", () => {
      const pausing = pause(active, START, START + 40 * DAY).after;
      extend(pausing, START, START + 50 * DAY);
    }],
  ];
  for (const [reason, act] of refused) {
    throws(act, (error: unknown) => error instanceof IllegalStep && error.message.includes(reason));
  }
});

/** The single due step. */
function due(state: Subscription): Step {
  const [step, ...more] = passDue(state);
  if (!step || more.length > 0) throw new Error("One step was expected");
  return step;
}

function dateOf(at: number | null): string {
  return new Date(at ?? 0).toISOString().slice(0, 10);
}

Deno.test("steps are due at the end of the paid period", () => {
  const state = subscribe(SALE, START).after;
  equal(state.due_at, addDuration(START, "P1M"));
  equal(cancel(state, START, "UNSUBSCRIBE").after.due_at, state.due_at);
  equal(expireNow(state, START, "UNKNOWN").after.due_at, null);
});
