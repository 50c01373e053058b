/**
 * What the test of states does: each deed to the model and to the service.
 *
 * @module
 */

import { fc } from "./properties.ts";
import type { Api } from "./api.ts";
import type { Simulation } from "./simulation.ts";
import {
  DAY,
  LIFETIME,
  type Model,
  type ModelSubscription,
  type ProductName,
  PRODUCTS,
  Refused,
  refuseIf,
} from "./subscription_model.ts";
import { ACTIONS, buy, change, fail, grant, pass, share, transfer } from "./subscription_moves.ts";

/** Who takes part. */
export const CUSTOMERS = [
  "ada",
  "grace",
  "$RCAnonymousID:5d2f7c1e9ab04c3f8e6d1b2a3c4d5e6f",
] as const;

/** The service, and what the model does not know of it. */
export interface Real {
  /** The simulator. */
  sim: Simulation;
  /** The API. */
  api: Api;
  /** Ids of products by name, and names by id. */
  products: Map<string, string>;
}

/** One thing to do, to the model and to the service. */
export interface Deed {
  /** How it is shown. */
  name: string;
  /** Does it to the model. Throws `Refused` by a rule. */
  model(model: Model): void;
  /** Does it to the service. */
  real(real: Real, model: Model): Promise<{ status: number }>;
  /** Whether it is only done when the model allows it. */
  valid: boolean;
}

/** A subscription of the model by any number, or a refusal when there is none. */
function pick(model: Model, n: number): ModelSubscription {
  const one = model.subscriptions[n % Math.max(1, model.subscriptions.length)];
  if (!one) throw new Refused();
  return one;
}

const idOf = (model: Model, n: number): string =>
  model.subscriptions[n % Math.max(1, model.subscriptions.length)]?.id ?? "subnope";

const bodyOf = (name: string, model: Model, n: number, days: number): unknown => {
  if (name === "extend") return { by: `P${days}D` };
  if (name !== "pause") return {};
  return days % 3 === 0 ? {} : { until: pickNow(model, n) + days * DAY };
};

const pickNow = ({ now }: Model, _n: number): number => now;

const customers = fc.constantFrom(...CUSTOMERS);
const names = fc.constantFrom(...Object.keys(PRODUCTS) as ProductName[]);
const numbers = fc.nat(50);
const days = fc.integer({ min: 1, max: 70 });
const valid = fc.constantFrom(true, true, false);

/** A subscription is bought. */
const purchase: fc.Arbitrary<Deed> = fc.record({ customers, names, trial: fc.boolean(), valid })
  .map((
    { customers: customer, names: name, trial, valid },
  ) => ({
    name: `${customer} buys ${name}${trial ? " on trial" : ""}`,
    valid,
    model: (model) => buy(model, customer, name, trial),
    real: ({ sim }) =>
      sim.send("POST", "/purchases", {
        customer_id: customer,
        product_id: name,
        trial: trial ? "P7D" : false,
      }),
  }));

/** Something is done to a subscription. */
const action: fc.Arbitrary<Deed> = fc.record({
  action: fc.constantFrom(...Object.keys(ACTIONS)),
  numbers,
  days,
  valid,
}).map((
  { action, numbers: n, days, valid },
) => ({
  name: `${action} ${n} ${days}`,
  valid,
  model: (model) => ACTIONS[action]?.(model, pick(model, n), days),
  real: ({ sim }, model) =>
    sim.send(
      "POST",
      `/subscriptions/${idOf(model, n)}/${action}`,
      bodyOf(action, model, n, days),
    ),
}));

/** A charge fails. */
const failure: fc.Arbitrary<Deed> = fc.record({
  numbers,
  days,
  now: fc.boolean(),
  graced: fc.boolean(),
  valid,
}).map((
  { numbers: n, days, now, graced, valid },
) => ({
  name: `fail ${n} ${now ? "now" : "later"} ${graced ? days : "without grace"}`,
  valid,
  model: (model) => fail(model, pick(model, n), now, graced ? days : null),
  real: ({ sim }, model) =>
    sim.send("POST", `/subscriptions/${idOf(model, n)}/fail`, {
      when: now ? "now" : "renewal",
      grace: graced ? `P${days}D` : null,
    }),
}));

/** A product is changed. */
const productChange: fc.Arbitrary<Deed> = fc.record({
  numbers,
  other: fc.boolean(),
  now: fc.boolean(),
  valid,
}).map((
  { numbers: n, other, now, valid },
) => ({
  name: `change ${n} to ${other ? "the other" : "the same"} ${now ? "now" : "later"}`,
  valid,
  model: (model) => {
    const one = pick(model, n);
    change(model, one, other ? otherOf(one.product) : one.product, now);
  },
  real: ({ sim }, model) => {
    const known = model.subscriptions[n % Math.max(1, model.subscriptions.length)];
    const product = known?.product ?? "notes.pro.monthly";
    return sim.send("POST", `/subscriptions/${idOf(model, n)}/change_product`, {
      product_id: other ? otherOf(product) : product,
      when: now ? "now" : "period_end",
    });
  },
}));

/** A subscription is shared in a family. */
const familyShare: fc.Arbitrary<Deed> = fc.record({ numbers, customers, valid }).map((
  { numbers: n, customers: customer, valid },
) => ({
  name: `share ${n} with ${customer}`,
  valid,
  model: (model) => share(model, pick(model, n), customer),
  real: ({ sim }, model) =>
    sim.send("POST", `/subscriptions/${idOf(model, n)}/family_share`, { customer_id: customer }),
}));

/** A subscription is cancelled or refunded through the API. */
const apiAction: fc.Arbitrary<Deed> = fc.record({
  numbers,
  action: fc.constantFrom("cancel", "refund"),
  valid,
}).map((
  { numbers: n, action, valid },
) => ({
  name: `${action} ${n} through the API`,
  valid,
  model: (model) => {
    const one = pick(model, n);
    refuseIf(PRODUCTS[one.product].store !== "svc_billing");
    refuseIf(action === "refund" && model.now - one.latest.at > 180 * DAY);
    ACTIONS[action]?.(model, one, 0);
  },
  real: ({ api }, model) => api.send("POST", `/subscriptions/${idOf(model, n)}/actions/${action}`),
}));

/** Something is bought once. */
const oneTimePurchase: fc.Arbitrary<Deed> = customers.map((customer) => ({
  name: `${customer} buys for ever`,
  valid: true,
  model: (model) => void model.purchases.push({ id: "", customer, refunded: false }),
  real: ({ sim }) =>
    sim.send("POST", "/purchases", { customer_id: customer, product_id: LIFETIME }),
}));

/** A purchase is refunded, or that is undone. */
const purchaseRefund: fc.Arbitrary<Deed> = fc.record({
  numbers,
  action: fc.constantFrom("refund", "reverse_refund"),
  valid,
}).map((
  { numbers: n, action, valid },
) => ({
  name: `${action} of purchase ${n}`,
  valid,
  model: (model) => {
    const one = model.purchases[n % Math.max(1, model.purchases.length)];
    if (!one || one.refunded === (action === "refund")) throw new Refused();
    one.refunded = !one.refunded;
  },
  real: ({ sim }, model) => {
    const one = model.purchases[n % Math.max(1, model.purchases.length)];
    return sim.send("POST", `/purchases/${one?.id ?? "purcnope"}/${action}`, {});
  },
}));

/** An entitlement is granted. */
const promotion: fc.Arbitrary<Deed> = fc.record({
  customers,
  entitlement: fc.constantFrom("pro", "sync"),
  days,
}).map((
  { customers: customer, entitlement, days },
) => ({
  name: `grant ${customer} ${entitlement} for ${days} days`,
  valid: true,
  model: (model) => grant(model, customer, entitlement, days),
  real: ({ api }, { now }) =>
    api.send("POST", `/customers/${encodeURIComponent(customer)}/actions/grant_entitlement`, {
      entitlement_id: entitlement,
      expires_at: now + days * DAY,
    }),
}));

/** One customer's things become another's. */
const handover: fc.Arbitrary<Deed> = fc.record({ from: customers, to: customers, valid }).map((
  { from, to, valid },
) => ({
  name: `transfer ${from} to ${to}`,
  valid,
  model: (model) => {
    refuseIf(from === to);
    transfer(model, from, to);
  },
  real: ({ api }) =>
    api.send("POST", `/customers/${encodeURIComponent(from)}/actions/transfer`, {
      target_customer_id: to,
    }),
}));

/** A product begins or ceases to give an entitlement. */
const attachment: fc.Arbitrary<Deed> = fc.record({
  name: fc.constantFrom(...Object.keys(PRODUCTS), LIFETIME),
  attach: fc.boolean(),
})
  .map(({ name, attach }) => ({
    name: `${attach ? "attach" : "detach"} ${name}`,
    valid: true,
    model: (model) => {
      const given = model.gives.get(name) ?? new Set();
      if (attach) given.add("sync");
      else given.delete("sync");
      model.gives.set(name, given);
    },
    real: ({ api, products }) =>
      api.send(
        "POST",
        `/entitlements/sync/actions/${attach ? "attach" : "detach"}_products`,
        { product_ids: [products.get(name)] },
      ),
  }));

/** Time passes. */
const time: fc.Arbitrary<Deed> = fc.record({ days, ms: fc.constantFrom(0, 0, 1, -1, 3_600_000) })
  .map(({ days, ms }) => ({
    name: `${days} days and ${ms} ms pass`,
    valid: true,
    model: (model: Model) => pass(model, model.now + days * DAY + ms),
    real: ({ sim }: Real) => sim.send("POST", "/clock/advance", { by: days * DAY + ms }),
  }));

/** What nobody should send. */
const nonsense: fc.Arbitrary<Deed> = fc.record({
  path: fc.constantFrom("/purchases", "/subscriptions/subnope/cancel", "/clock/advance"),
  body: fc.constantFrom<unknown>(
    {},
    [],
    null,
    { by: -1 },
    { to: 0 },
    { by: "P1X" },
    { customer_id: "ada" },
    { customer_id: "ada", product_id: "nope" },
    { customer_id: "ada", product_id: LIFETIME, trial: true },
    { customer_id: "ada", product_id: LIFETIME, quantity: -3 },
    { customer_id: 5, product_id: {} },
  ),
}).map(({ path, body }) => ({
  name: `wild ${path} ${JSON.stringify(body)}`,
  valid: false,
  model: () => {
    throw new Refused();
  },
  real: ({ sim }) => sim.send("POST", path, body),
}));

/** Any deed, the ones with more to them more often. */
export const deeds: readonly fc.Arbitrary<Deed>[] = [
  ...Array.from({ length: 6 }, () => action),
  ...Array.from({ length: 6 }, () => time),
  ...Array.from({ length: 4 }, () => purchase),
  failure,
  failure,
  productChange,
  productChange,
  familyShare,
  familyShare,
  apiAction,
  oneTimePurchase,
  purchaseRefund,
  promotion,
  handover,
  attachment,
  nonsense,
];

/** The other product of the same app. */
function otherOf(name: ProductName): ProductName {
  const { store, months } = PRODUCTS[name];
  const found = Object.entries(PRODUCTS).find(([, one]) =>
    one.store === store && one.months !== months
  );
  return found?.[0] as ProductName;
}
