/**
 * Runs random actions, and derives the state from the events alone: no state without an event, and
 * no event without a state.
 *
 * `EVENT_REPLAY_RUNS` is the number of histories of each kind, 2 without it.
 *
 * @module
 */

import { deepEqual, ok } from "node:assert/strict";
import { fc, usualSeed } from "../../support/properties.ts";
import { frozen } from "../../support/activities.ts";
import { apiOf } from "../../support/api.ts";
import { accessTold, nothingTold, take, type Told } from "../../support/event_replay.ts";
import { openDesk } from "../../support/harness.ts";
import { CUSTOMERS, type Deed, deeds, type Real } from "../../support/state_deeds.ts";
import { heldBy, type Model, newModel, Refused } from "../../support/subscription_model.ts";

const RUNS = Number(Deno.env.get("EVENT_REPLAY_RUNS") ?? 2);

/** The same histories each time, and others if a number is given. */
const SEED = Deno.env.has("EVENT_REPLAY_RUNS") ? {} : usualSeed(20270131);

/**
 * The actions left out of each kind of history. A trial's product changes at once or later, and its
 * event does not show which; grants move without an event; attaching is configuration, which has no
 * event.
 */
const KINDS: Record<string, RegExp> = {
  "products change, and customers hand things over": /^(grant|attach|detach|\S+ buys .* on trial)/,
  "trials begin, and customers hand things over": /^(grant|attach|detach|change)/,
  "grants are made": /^(attach|detach|change|transfer)/,
};

/** A test of the service, with the state from its events. */
interface Scene {
  /** The service. */
  real: Real;
  /** The expected state. */
  model: Model;
  /** The state from its events. */
  told: Told;
}

for (const [kind, left] of Object.entries(KINDS)) {
  Deno.test(`events show each customer's access, when ${kind}`, async () => {
    const some = deeds.slice(0, -1).map((deed) => deed.filter(({ valid }) => valid).map(named));
    const history = fc.array(fc.oneof(...some), { minLength: 120, maxLength: 150 });
    await fc.assert(
      fc.asyncProperty(history, async (history) => {
        await using desk = await openDesk({ clock: () => Date.UTC(2027, 11, 31, 20) });
        const sim = await frozen(desk);
        const scene = { real: await realOf(sim, apiOf(desk)), model: newModel(await sim.now()) };
        const whole: Scene = { ...scene, told: nothingTold() };
        for (const deed of history) if (!left.test(deed.name)) await play(whole, deed);
      }),
      { numRuns: RUNS, interruptAfterTimeLimit: 120_000, ...SEED },
    );
  });
}

/** An action with a name for the test library. */
function named(deed: Deed): Deed {
  return Object.assign(deed, { [fc.toStringMethod]: () => deed.name });
}

/** The service and its products by name. */
async function realOf(sim: Real["sim"], api: Real["api"]): Promise<Real> {
  const products = new Map<string, string>();
  for (const { id, store_identifier } of (await api.get("/products?limit=100")).items) {
    products.set(String(store_identifier), id).set(id, String(store_identifier));
  }
  for (const { id, lookup_key } of (await api.get("/entitlements")).items) {
    products.set(id, lookup_key);
  }
  return { sim, api, products };
}

/** Runs an action that the model allows, reads its events, and compares. */
async function play({ real, model, told }: Scene, deed: Deed): Promise<void> {
  const before = structuredClone(model);
  try {
    deed.model(structuredClone(model));
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    const { status } = await deed.real(real, before);
    ok(status >= 400, deed.name);
    deepEqual(await real.sim.newEvents(), [], `${deed.name} was refused, and tells nothing`);
    return;
  }
  await deed.real(real, model);
  deed.model(model);
  const events = await real.sim.newEvents();
  // The clock stands still, so the same time does not mean the same action.
  told.last = undefined;
  for (const event of events) take(told, event);
  for (const customer of CUSTOMERS) {
    const said = `${deed.name}: ${events.map((event) => event["type"])} for ${customer}`;
    deepEqual(accessTold(told, customer), await accessSeen(real, model, customer), said);
  }
}

/** The same from the API. The model gets the ids. */
async function accessSeen(
  { api, products }: Real,
  model: Model,
  customer: string,
): Promise<{ products: string[]; gives: string[] }> {
  const path = `/customers/${encodeURIComponent(customer)}`;
  const subscriptions = (await api.get(`${path}/subscriptions?limit=100`)).items;
  const purchases = (await api.get(`${path}/purchases?limit=100`)).items;
  const bought = subscriptions.filter((item) => item["store"] !== "promotional");
  heldBy(model, customer).forEach(({ one, shared }, i) => {
    if (!shared) one.id = bought[i]?.id ?? "";
  });
  model.purchases.filter((one) => one.customer === customer)
    .forEach((one, i) => one.id = purchases[i]?.id ?? "");
  const open = [
    ...subscriptions.filter((item) => item["gives_access"] === true),
    ...purchases.filter((item) => item["status"] === "owned"),
  ];
  const active = (await api.get(`${path}/active_entitlements`)).items;
  const given = await Promise.all(open.map(async (item) => {
    if (item["product_id"] !== null) return products.get(String(item["product_id"])) ?? "";
    const { items } = await api.get(`/subscriptions/${item.id}/entitlements`);
    return `svc_promo_${items[0]?.["lookup_key"]}`;
  }));
  return {
    products: given.sort(),
    gives: active.map((item) => products.get(String(item["entitlement_id"])) ?? "").sort(),
  };
}
