import { deepEqual, equal, match, notEqual, ok } from "node:assert/strict";
import { fc } from "../../support/properties.ts";
import { accessEnd, furthestEnds, givesAccess } from "../../../lib/service/domain/access.ts";
import * as deeds from "../../../lib/service/domain/actions.ts";
import { passDue } from "../../../lib/service/domain/due.ts";
import { grant } from "../../../lib/service/domain/grants.ts";
import { purchase, refundPurchase, subscribe } from "../../../lib/service/domain/purchase.ts";
import { IllegalStep, type Step, type Subscription } from "../../../lib/service/domain/step.ts";
import { type Held, showSubscriber } from "../../../lib/service/sdk/view.ts";

const DAY = 86_400_000;
const START = 1_800_000_000_123;

/** The products: store, store identifier and entitlements. */
const PRODUCTS = [
  ["app_store", "monthly", ["pro"]],
  ["play_store", "sub:monthly", ["pro", "plus"]],
  ["play_store", "sub:annual", ["plus"]],
  ["test_store", "annual", ["pro"]],
  ["app_store", "lifetime", ["pro"]],
] as const;

const products: Held["products"] = new Map(
  PRODUCTS.map(([, store_identifier, entitlements]) => [
    store_identifier,
    { store_identifier, display_name: null, entitlements },
  ]),
);

/** Terms of any sale. */
const terms = (n: number, at: number, [store, product_id]: typeof PRODUCTS[number]) => ({
  project_id: "p",
  id: `s${n}`,
  customer_id: "ada",
  app_id: "a",
  store,
  environment: "sandbox",
  ownership: "purchased",
  currency: "USD",
  country: "US",
  platform: "iOS",
  offering_id: null,
  product_id,
  price_micros: 1_000_000,
  duration: "P1M",
  grace_duration: n % 2 === 0 ? "P6D" : null,
  starts_at: at + (n % 5 === 0 ? DAY : 0),
  paid: true,
} as const);

/** The actions on a subscription. */
const DEEDS: readonly ((state: Subscription, at: number) => Step)[] = [
  (state, at) => deeds.cancel(state, at, "UNSUBSCRIBE"),
  deeds.uncancel,
  deeds.renewNow,
  (state, at) => deeds.failNext(state, at, null),
  (state, at) => deeds.failNow(state, at, "P3D"),
  deeds.recover,
  (state, at) => deeds.pause(state, at, at + 90 * DAY),
  (state, at) => deeds.pause(state, at, null),
  deeds.resume,
  (state, at) => deeds.extend(state, at, (state.period_ends_at ?? at) + DAY),
  (state, at) => deeds.expireNow(state, at, "UNKNOWN"),
];

/** A history: actions, their subscriptions and the times between them. */
const history = fc.array(
  fc.tuple(fc.nat(14), fc.nat(9), fc.integer({ min: 0, max: 40 * DAY })),
  { minLength: 1, maxLength: 12 },
);

/** Runs a history. */
function live(moves: readonly [number, number, number][]): Held & { now: number } {
  const subscriptions: Subscription[] = [];
  const purchases: Held["purchases"][number][] = [];
  let now = START;
  for (const [what, which, later] of moves) {
    now += later;
    subscriptions.forEach((state, i) => {
      let next = state;
      for (let n = 0; n < 50 && next.due_at !== null && next.due_at <= now; n++) {
        next = passDue(next).at(-1)?.after ?? next;
      }
      subscriptions[i] = next;
    });
    const n = subscriptions.length + purchases.length;
    const product = PRODUCTS[which % 4] ?? PRODUCTS[0];
    const trial_duration = which > 6 ? "P1W" : null;
    const at = which % Math.max(subscriptions.length, 1);
    const state = subscriptions[at];
    const deed = DEEDS[what - 4];
    if (what < 2) {
      subscriptions.push(subscribe({ ...terms(n, now, product), trial_duration }, now).after);
    } else if (what === 2) {
      const ids = { project_id: "p", id: `g${n}`, customer_id: "ada", entitlement_id: "e" };
      subscriptions.push(grant({ ...ids, expires_at: now + which * DAY + 1 }, now).after);
    } else if (what === 3) {
      const bought = purchase({ ...terms(n, now, PRODUCTS[4]), quantity: 1 }, now).after;
      purchases.push(which % 2 === 0 ? bought : refundPurchase(bought, now).after);
    } else if (state && deed && state.store !== "promotional") {
      try {
        subscriptions[at] = deed(state, now).after;
      } catch (error) {
        if (!(error instanceof IllegalStep)) throw error;
      }
    }
  }
  return {
    now,
    customer: { id: "ada", first_seen_at: START, last_seen_at: null },
    subscriptions,
    purchases,
    products,
    granted: new Map([["e", "vip"]]),
    payments: new Map(),
  };
}

/** The lookup keys of the service's active entitlements. */
function served({ subscriptions, purchases, now }: Held & { now: number }): string[] {
  const open = subscriptions.filter((row) => givesAccess(row, now)).flatMap((row) => {
    const keys = row.product_id === null
      ? ["vip"]
      : products.get(row.product_id)?.entitlements ?? [];
    return keys.map((entitlement_id) => ({ entitlement_id, expires_at: accessEnd(row) }));
  });
  const owned = purchases.filter(({ status }) => status === "owned")
    .map(() => ({ entitlement_id: "pro", expires_at: null }));
  return [...furthestEnds([...open, ...owned]).keys()].sort();
}

Deno.test("in 2,000 random histories an app sees the access that the service gives", () => {
  let active = 0;
  let ended = 0;
  fc.assert(
    fc.property(history, fc.integer({ min: -400 * DAY, max: 0 }), (moves, shift) => {
      const held = live(moves);
      const { now } = held;
      const look = { now, shift, dialect: "public" } as const;
      const { subscriber, request_date_ms } = showSubscriber(held, look);
      equal(request_date_ms, now + shift);
      const { entitlements, subscriptions, non_subscriptions } = subscriber;
      const keys = Object.entries(entitlements).filter(([, one]) => {
        const { product_identifier: product, expires_date } = one;
        ok(product in subscriptions || product in non_subscriptions, product);
        // The SDK's own rule, with the clock of the device.
        const isOpen = expires_date === null || Date.parse(expires_date) > now + shift;
        return product in subscriptions ? isOpen : true;
      }).map(([key]) => key).sort();
      deepEqual(keys, served(held));
      for (
        const [, date] of JSON.stringify(subscriber).matchAll(
          /"(?:\w+_date|\w+_at|\w+_seen)":"([^"]*)"/g,
        )
      ) {
        match(date ?? "", /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
      }
      active += keys.length;
      ended += Object.keys(entitlements).length - keys.length;
    }),
    { numRuns: 2000 },
  );
  ok(active > 500 && ended > 200, `${active} active and ${ended} ended entitlements`);
});

Deno.test("the end of a subscription stays the same after it, also for one that was ended early", () => {
  const sold = subscribe({ ...terms(1, START, PRODUCTS[0]), trial_duration: null }, START).after;
  const early = deeds.expireNow(sold, START + 3 * DAY, "UNKNOWN").after;
  const late = deeds.expireNow(sold, sold.period_ends_at ?? 0, "UNKNOWN").after;
  for (const [row, end] of [[early, START + 3 * DAY], [late, sold.period_ends_at ?? 0]] as const) {
    for (const now of [end, end + DAY, end + 365 * DAY]) {
      const look = { now, shift: 0, dialect: "public" } as const;
      const { subscriber } = showSubscriber({ ...live([]), subscriptions: [row] }, look);
      const date = subscriber.subscriptions["monthly"]?.expires_date ?? "";
      equal(Date.parse(date), Math.floor(end / 1000) * 1000);
      equal(subscriber.entitlements["pro"]?.expires_date, date);
    }
  }
});

Deno.test("of two subscriptions to one product that end together, the later one is shown", () => {
  const sold = { ...terms(1, START, PRODUCTS[0]), trial_duration: null };
  const subscriptions = ["s1", "s2"].map((id) => subscribe({ ...sold, id }, START).after);
  const [first, second] = subscriptions;
  notEqual(first?.transaction_id, second?.transaction_id);
  const look = { now: START, shift: 0, dialect: "public" } as const;
  const { subscriber } = showSubscriber({ ...live([]), subscriptions }, look);
  const shown = subscriber.subscriptions["monthly"];
  equal(shown?.store_transaction_id, second?.transaction_id);
});

Deno.test("a store has the name of the dialect, in subscriptions and purchases", () => {
  const billed = { ...terms(1, START, PRODUCTS[0]), store: "svc_billing" } as const;
  const subscription = subscribe({ ...billed, trial_duration: null }, START).after;
  const bought = purchase({ ...billed, product_id: "lifetime", quantity: 1 }, START).after;
  const held = { ...live([]), subscriptions: [subscription], purchases: [bought] };
  for (const [dialect, name] of [["public", "rc_billing"], ["specified", "svc_billing"]] as const) {
    const { subscriber } = showSubscriber(held, { now: START, shift: 0, dialect });
    equal(subscriber.subscriptions["monthly"]?.store, name);
    equal(subscriber.non_subscriptions["lifetime"]?.[0]?.store, name);
  }
});

Deno.test("a grant is named after the shortest length that covers it", () => {
  const named = (days: number) => {
    const expires_at = START + days * DAY;
    const ids = { project_id: "p", id: "g", customer_id: "ada", entitlement_id: "e" };
    const { after } = grant({ ...ids, expires_at }, START);
    const held = { ...live([]), subscriptions: [after] };
    const look = { now: START, shift: 0, dialect: "specified" } as const;
    return Object.keys(showSubscriber(held, look).subscriber.subscriptions).join();
  };
  const names = ["daily", "three_day", "weekly", "two_week", "monthly", "two_month"];
  const all = [...names, "three_month", "six_month", "yearly", "lifetime"];
  const most = [1, 3, 7, 14, 31, 62, 92, 184, 366];
  deepEqual(most.map(named), all.slice(0, -1).map((name) => `svc_promo_vip_${name}`));
  deepEqual(
    most.map((days) => named(days + 1 / DAY)),
    all.slice(1).map((name) => `svc_promo_vip_${name}`),
  );
});
