/**
 * What happens to subscriptions in the model: by what is done, and by time alone.
 *
 * @module
 */

import {
  DAY,
  isOpen,
  type Model,
  type ModelSubscription,
  nextSeq,
  type ProductName,
  PRODUCTS,
  refuseIf,
} from "./subscription_model.ts";

/** Lets time pass. */
export function pass(model: Model, until: number): void {
  for (;;) {
    const due = model.subscriptions.filter((one) => (dueOf(one) ?? Infinity) <= until)
      .sort((a, b) => (dueOf(a) ?? 0) - (dueOf(b) ?? 0) || a.seq - b.seq)[0];
    if (!due) break;
    happen(model, due, dueOf(due) ?? 0);
  }
  for (const [key, end] of model.grants) if (end <= until) model.grants.delete(key);
  model.now = until;
}

/** Buys a subscription. */
export function buy(model: Model, customer: string, product: ProductName, trial: boolean): void {
  const { now } = model;
  const live = model.subscriptions.some((one) =>
    one.customer === customer && one.product === product && one.status !== "expired"
  );
  refuseIf(live);
  refuseIf(trial && !mayTry(model, customer, product));
  const one = start(model, customer, product, now);
  if (!trial) return;
  one.status = "trialing";
  one.trial = true;
  one.end = now + 7 * DAY;
  one.latest = { at: now, money: false, refunded: false, ends: one.end };
}

/** Whether a store still gives a customer a free trial. */
function mayTry(model: Model, customer: string, product: ProductName): boolean {
  const own = model.subscriptions.filter((one) => one.customer === customer);
  const { store } = PRODUCTS[product];
  const beside = store === "app_store" &&
    own.some((one) =>
      PRODUCTS[one.product].store === store && one.status !== "expired" && !one.trial
    );
  return !beside && own.every((one) => one.product !== product);
}

/** What can be done to a subscription, by the simulator's name. */
export const ACTIONS: Record<string, (model: Model, one: ModelSubscription, days: number) => void> =
  {
    cancel: ({ now }, one) => cancel(one, now),
    uncancel(_model, one) {
      refuseIf(one.auto !== "will_not_renew" || one.status === "expired");
      one.auto = "will_renew";
    },
    renew({ now }, one) {
      refuseIf(one.auto !== "will_renew" || one.fails);
      refuseIf(one.status !== "trialing" && one.status !== "active");
      if (one.status === "trialing") return renew(one, now);
      one.anchor.count++;
      one.paidUntil = later(one.anchor.at, months(one) * one.anchor.count);
      one.auto = "has_already_renewed";
      one.latest = { at: now, money: true, refunded: false, ends: one.paidUntil };
    },
    recover({ now }, one) {
      refuseIf(!one.fails);
      refuseIf(one.status === "in_grace_period" && one.auto === "will_not_renew");
      one.fails = false;
      if (one.status === "in_billing_retry") renew(one, now);
      if (one.status !== "in_grace_period") return;
      const late = structuredClone(one);
      renew(one, one.end ?? now, now);
      if ((one.end ?? 0) > now) return;
      Object.assign(one, late);
      renew(one, now);
    },
    pause({ now }, one, days) {
      refuseIf(PRODUCTS[one.product].store !== "play_store" || one.status !== "active");
      refuseIf(!["will_renew", "will_pause"].includes(one.auto));
      const resumes = days % 3 === 0 ? null : now + days * DAY;
      refuseIf(resumes !== null && resumes <= (one.end ?? 0));
      one.auto = "will_pause";
      one.resumes = resumes;
    },
    resume({ now }, one) {
      if (one.status === "paused") return one.fails ? failCharge(one, now) : renew(one, now);
      refuseIf(one.auto !== "will_pause");
      one.auto = "will_renew";
      one.resumes = null;
    },
    extend(_model, one, days) {
      refuseIf(PRODUCTS[one.product].store === "svc_billing");
      refuseIf(one.status !== "trialing" && one.status !== "active");
      refuseIf(one.auto === "has_already_renewed");
      const end = (one.end ?? 0) + days * DAY;
      refuseIf(one.resumes !== null && one.resumes <= end);
      one.end = end;
      one.anchor = { at: end, count: 0 };
      one.latest.ends = end;
    },
    expire({ now }, one) {
      refuseIf(one.status === "expired");
      expire(one, now);
      one.endedByRefund = false;
    },
    refund({ now }, one) {
      refuseIf(one.latest.refunded || !one.latest.money);
      one.latest.refunded = true;
      if (one.status === "expired") return;
      expire(one, now);
      one.endedByRefund = true;
    },
    reverse_refund({ now }, one) {
      refuseIf(PRODUCTS[one.product].store !== "app_store" || !one.latest.refunded);
      one.latest.refunded = false;
      if (one.status !== "expired" || !one.endedByRefund || (one.latest.ends ?? 0) <= now) return;
      one.status = "active";
      one.end = one.latest.ends;
      one.endedByRefund = false;
    },
  };

/** Lets a charge fail, now or later. */
export function fail(
  model: Model,
  one: ModelSubscription,
  now: boolean,
  grace: number | null,
): void {
  refuseIf(one.status !== "trialing" && one.status !== "active");
  refuseIf(one.fails || !["will_renew", "will_change_product"].includes(one.auto));
  one.fails = true;
  one.grace = grace;
  if (!now) return;
  one.end = model.now;
  one.anchor = { at: model.now, count: 0 };
  failCharge(one, model.now);
}

/** Changes the product, now or at the end of the period. */
export function change(model: Model, one: ModelSubscription, to: ProductName, now: boolean): void {
  const { store } = PRODUCTS[one.product];
  refuseIf(store === "svc_billing");
  refuseIf(one.status !== "trialing" && one.status !== "active" || one.fails);
  refuseIf(["has_already_renewed", "will_pause"].includes(one.auto));
  if (to === one.product) {
    refuseIf(one.next === null);
    one.next = null;
    one.auto = "will_renew";
  } else if (!now) {
    one.next = to;
    one.auto = "will_change_product";
  } else if (one.trial) {
    one.product = to;
    one.next = null;
    one.auto = "will_renew";
  } else {
    succeed(model, one, to, model.now);
  }
}

/** Grants an entitlement for some days, or gives the grant another end. */
export function grant(model: Model, customer: string, entitlement: string, days: number): void {
  model.grants.set(`${customer}/${entitlement}`, model.now + days * DAY);
}

/** Shares a subscription with another customer. */
export function share(model: Model, source: ModelSubscription, customer: string): void {
  refuseIf(PRODUCTS[source.product].store !== "app_store" || !isOpen(source));
  refuseIf(source.status === "in_grace_period" || source.customer === customer);
  refuseIf(model.shares.some((one) => one.source === source && one.customer === customer));
  model.shares.push({ seq: nextSeq(model), customer, source });
}

/** Moves everything from one customer to another. */
export function transfer(model: Model, from: string, to: string): void {
  for (const one of [...model.subscriptions, ...model.shares, ...model.purchases]) {
    if (one.customer === from) one.customer = to;
  }
  for (const name of ["pro", "sync"]) {
    const moved = model.grants.get(`${from}/${name}`);
    if (moved === undefined) continue;
    model.grants.delete(`${from}/${name}`);
    model.grants.set(`${to}/${name}`, Math.max(moved, model.grants.get(`${to}/${name}`) ?? 0));
  }
}

function cancel(one: ModelSubscription, now: number): void {
  refuseIf(one.auto === "will_not_renew");
  if (!isOpen(one)) return expire(one, now);
  one.auto = "will_not_renew";
  one.end = one.paidUntil ?? one.end;
  one.paidUntil = null;
  one.resumes = null;
  one.next = null;
}

/** The moment at which time alone does something. */
function dueOf(one: ModelSubscription): number | null {
  if (one.status === "expired") return null;
  return ["trialing", "active"].includes(one.status) ? one.end : one.until;
}

/** What happens at that moment. */
function happen(model: Model, one: ModelSubscription, at: number): void {
  if (one.status === "in_billing_retry") return expire(one, at);
  if (one.status === "paused") return one.fails ? failCharge(one, at) : renew(one, at);
  if (one.status === "in_grace_period") {
    if (one.auto === "will_not_renew") return expire(one, at);
    one.status = "in_billing_retry";
    one.until = at + 30 * DAY;
    return;
  }
  if (one.auto === "will_not_renew") return expire(one, at);
  if (one.auto === "has_already_renewed") {
    one.end = one.paidUntil;
    one.paidUntil = null;
    one.auto = "will_renew";
  } else if (one.auto === "will_pause") {
    one.status = "paused";
    one.auto = "will_renew";
    one.end = one.until = one.resumes;
  } else if (one.fails) {
    failCharge(one, at);
  } else if (one.next === null) {
    renew(one, at);
  } else if (one.trial) {
    one.product = one.next;
    renew(one, at);
  } else {
    succeed(model, one, one.next, at);
  }
}

/** A paid period begins. Days of the month are kept while one period follows another. */
function renew(one: ModelSubscription, from: number, at = from): void {
  const follows = isOpen(one) && !one.trial && one.end === from;
  one.anchor = follows
    ? { at: one.anchor.at, count: one.anchor.count + 1 }
    : { at: from, count: 1 };
  one.end = later(one.anchor.at, months(one) * one.anchor.count);
  calm(one);
  one.status = "active";
  one.auto = "will_renew";
  one.trial = false;
  one.fails = false;
  one.latest = { at, money: true, refunded: false, ends: one.end };
}

function failCharge(one: ModelSubscription, at: number): void {
  const graced = one.grace !== null && one.status !== "paused";
  if (one.status === "paused") one.end = at;
  calm(one);
  one.status = graced ? "in_grace_period" : "in_billing_retry";
  one.auto = "will_renew";
  one.until = at + (graced ? one.grace ?? 0 : 30) * DAY;
}

function expire(one: ModelSubscription, at: number): void {
  one.end = Math.min(one.end ?? at, at);
  calm(one);
  one.status = "expired";
  one.auto = "will_not_renew";
  one.fails = false;
}

/** Forgets what was set for later. */
function calm(one: ModelSubscription): void {
  one.paidUntil =
    one.until =
    one.resumes =
    one.next =
      null;
}

/** Another product takes the place of a paid one. */
function succeed(model: Model, one: ModelSubscription, to: ProductName, at: number): void {
  expire(one, at);
  one.endedByRefund = false;
  const next = start(model, one.customer, to, at);
  next.grace = 3;
  const family = model.shares.filter(({ source }) => source === one);
  for (const customer of new Set(family.map(({ customer }) => customer))) {
    if (customer === next.customer) continue;
    model.shares.push({ seq: nextSeq(model), customer, source: next });
  }
}

function start(
  model: Model,
  customer: string,
  product: ProductName,
  at: number,
): ModelSubscription {
  const one: ModelSubscription = {
    seq: nextSeq(model),
    id: "",
    customer,
    product,
    status: "active",
    auto: "will_renew",
    trial: false,
    end: later(at, PRODUCTS[product].months),
    paidUntil: null,
    anchor: { at, count: 1 },
    fails: false,
    grace: 3,
    until: null,
    resumes: null,
    next: null,
    latest: { at, money: true, refunded: false, ends: later(at, PRODUCTS[product].months) },
    endedByRefund: false,
  };
  model.subscriptions.push(one);
  return one;
}

function months(one: ModelSubscription): number {
  return PRODUCTS[one.product].months;
}

/** So many months later, on the same day or on the last one of a shorter month. */
function later(at: number, count: number): number {
  const date = new Date(at);
  const day = date.getUTCDate();
  date.setUTCDate(1);
  date.setUTCMonth(date.getUTCMonth() + count);
  const length = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate();
  date.setUTCDate(Math.min(day, length));
  return date.getTime();
}
