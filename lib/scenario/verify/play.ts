/**
 * Playing a life on a stage: its events, and who has access at the end.
 *
 * @module
 */

import { ApiError } from "../../errors.ts";
import { each, LARGEST_PAGE } from "../../page.ts";
import {
  grantEntitlement,
  revokeGrantedEntitlement,
  transferCustomer,
} from "../../resources/customers.ts";
import { listEntitlements } from "../../resources/entitlements.ts";
import { advanceClock, getClock } from "../../simulator/clock.ts";
import { signInCustomer } from "../../simulator/customers.ts";
import { buyProduct } from "../../simulator/purchases.ts";
import {
  cancelSubscription,
  changeProduct,
  expireSubscription,
  failCharge,
  pauseSubscription,
  recoverCharge,
  refundSubscription,
  renewSubscription,
  resumeSubscription,
  reverseSubscriptionRefund,
  shareSubscription,
  uncancelSubscription,
} from "../../simulator/subscriptions.ts";
import { listEvents } from "../../simulator/events.ts";
import { appear } from "../deeds/customers.ts";
import { flow } from "../file/update.ts";
import { accessOf } from "../run/bench.ts";
import type { Stage } from "../run/stage.ts";
import type { Json } from "../values/tree.ts";
import type { Life, Move } from "./life.ts";

/** An event of a life, as it is delivered. */
export interface LifeEvent {
  /** Its id. */
  readonly id: string;
  /** Its type. */
  readonly type: string;
  /** The first id of the customer. */
  readonly customer: string;
  /** The body of the delivery. */
  readonly body: { readonly event: { readonly [field: string]: Json } };
}

/** A life that was played. */
export interface Played {
  /** The first ids of the two customers. */
  readonly customers: readonly [string, string];
  /** Their names in a file. Each file has its own: the handler remembers those of other files. */
  readonly names: readonly [string, string];
  /** Their names in a file after they sign in. */
  readonly signed: readonly [string, string];
  /** The id of each customer that its latest event told. */
  readonly told: readonly [string, string];
  /** Its events, in order. */
  readonly events: readonly LifeEvent[];
  /** The entitlements of each customer at the end, those of sandbox purchases left out. */
  readonly truth: ReadonlyMap<string, readonly string[]>;
  /** What was done, as steps of a scenario file. */
  readonly steps: readonly string[];
}

/** What is known while a life is played. */
interface Playing {
  /** Where it is played. */
  stage: Stage;
  /** The first ids of the two customers. */
  customers: readonly [string, string];
  /** Their names in a file. */
  names: readonly [string, string];
  /** Their names in a file after they sign in. */
  signed: readonly [string, string];
  /** The ids under which they sign in. */
  aliases: readonly [string, string];
  /** Customers who have a grant, or with whom somebody shares a subscription. */
  provided: Set<string>;
  /** The latest subscription of each customer, with its name in the file. */
  held: ({ id: string; name: string } | undefined)[];
  /** Customers who have bought in the sandbox, and nothing else. */
  sandbox: Set<string>;
  /** The steps so far. */
  steps: string[];
  /** How many names were given. */
  given: number;
}

/** Whose life is played: the ids at the handler, and the names in a file. */
interface People {
  /** The ids under which the two customers sign in. */
  readonly aliases: readonly [string, string];
  /** What follows their names in a file, such as `1-17`. */
  readonly mark: string;
}

/** Plays a life. What the service refuses is left out. */
export async function playLife(stage: Stage, { moves }: Life, people: People): Promise<Played> {
  const playing = beginPlaying(stage, moves, people);
  const { customers } = playing;
  const [last] = (await listEvents(stage.simulator, { limit: 1, order: "desc" })).items;
  const list = async () => {
    const query = { limit: LARGEST_PAGE, ...last && { starting_after: last.id } };
    const all = await Array.fromAsync(
      each(stage.simulator.client, listEvents(stage.simulator, query)),
    );
    // Earlier lives go on while time passes.
    return all.filter(({ customer_id }) => customers.includes(String(customer_id)));
  };
  for (const customer of customers) await appear(stage.client, customer);
  for (const move of moves) {
    try {
      const step = await DOINGS[move.what](playing, move);
      if (step === undefined) continue;
      playing.steps.push(step);
    } catch (error) {
      if (!(error instanceof ApiError) || error.status >= 500) throw error;
    }
  }
  const truth = new Map<string, readonly string[]>();
  for (const customer of customers) {
    truth.set(customer, playing.sandbox.has(customer) ? [] : await accessOf({ stage }, customer));
  }
  const events = (await list()).map(({ id, type, customer_id, delivery }): LifeEvent => ({
    id,
    type,
    customer: String(customer_id),
    body: delivery as unknown as LifeEvent["body"],
  }));
  const told = [toldId(events, customers[0]), toldId(events, customers[1])] as const;
  const { names, signed, steps } = playing;
  return { customers, names, signed, told, events, truth, steps };
}

/** The state before the first move. Whoever signs in later has an anonymous id until then. */
function beginPlaying(
  stage: Stage,
  moves: readonly Move[],
  { aliases, mark }: People,
): Playing {
  const signed = [`${NAMES[0]}-${mark}`, `${NAMES[1]}-${mark}`] as const;
  const first = (who: 0 | 1, id: string) =>
    moves.some((move) => move.what === "sign_in" && move.who === who) ? ANONYMOUS + id : id;
  return {
    stage,
    customers: [first(0, aliases[0]), first(1, aliases[1])],
    names: [first(0, signed[0]), first(1, signed[1])],
    signed,
    aliases,
    provided: new Set(),
    held: [undefined, undefined],
    sandbox: new Set(),
    steps: [],
    given: 0,
  };
}

/** What the ids of customers begin with who have not signed in. */
const ANONYMOUS = "$RCAnonymousID:";

/** The id of a customer that its latest event told, which a handler must know. */
function toldId(events: readonly LifeEvent[], customer: string): string {
  const last = events.findLast((event) => event.customer === customer);
  const { app_user_id } = last?.body.event ?? {};
  return typeof app_user_id === "string" ? app_user_id : customer;
}

type Doing = (playing: Playing, move: Move) => Promise<string | undefined>;

/** Does each move. Returns the step of a scenario file, or undefined when there is nothing to do. */
const DOINGS: Readonly<Record<Move["what"], Doing>> = {
  buy: (playing, move) => buy(playing, move, "notes.pro.monthly"),
  buy_trial: (playing, move) => buy(playing, move, "notes.pro.monthly", { trial: "P1W" }),
  buy_annual: (playing, move) => buy(playing, move, "notes.pro.annual"),
  buy_android: (playing, move) => buy(playing, move, "notes_pro_monthly"),
  async buy_coins({ stage, customers, names }, { who }) {
    await buyProduct(stage.simulator, { customer_id: customers[who], product_id: COINS });
    return `purchase: { customer: ${flow(names[who])}, product: ${COINS} }`;
  },
  buy_sandbox: (playing, move) =>
    buy(playing, move, "notes.pro.monthly", { environment: "sandbox" }),
  renew: act("renew", (simulator, id) => renewSubscription(simulator, id)),
  cancel: act("cancel", (simulator, id) => cancelSubscription(simulator, id)),
  uncancel: act("uncancel", (simulator, id) => uncancelSubscription(simulator, id)),
  fail: act("fail", (simulator, id) => failCharge(simulator, id, {})),
  fail_without_grace: act(
    "fail",
    (simulator, id) => failCharge(simulator, id, { grace: null }),
    "grace: none",
  ),
  recover: act("recover", (simulator, id) => recoverCharge(simulator, id)),
  refund: act("refund", (simulator, id) => refundSubscription(simulator, id)),
  reverse_refund: act(
    "reverse_refund",
    (simulator, id) => reverseSubscriptionRefund(simulator, id),
  ),
  change: act(
    "change_product",
    (simulator, id) => changeProduct(simulator, id, { product_id: "notes.pro.annual" }),
    "product: notes.pro.annual",
  ),
  expire: act("expire", (simulator, id) => expireSubscription(simulator, id)),
  async grant({ stage, customers, names, sandbox, provided }, { who }) {
    const customer = customers[who];
    // Events do not distinguish a sandbox customer's purchase from a grant.
    if (sandbox.has(customer)) return undefined;
    const entitlement_id = await proOf(stage);
    const expires_at = (await getClock(stage.simulator)).now + 60 * DAY_MS;
    await grantEntitlement(stage.client, customer, { entitlement_id, expires_at });
    provided.add(customer);
    return `grant: { customer: ${flow(names[who])}, entitlement: pro, for: P60D }`;
  },
  async revoke({ stage, customers, names }, { who }) {
    const entitlement_id = await proOf(stage);
    await revokeGrantedEntitlement(stage.client, customers[who], { entitlement_id });
    return `revoke: { customer: ${flow(names[who])}, entitlement: pro }`;
  },
  async transfer({ stage, customers, names, held, sandbox }, { who }) {
    const other = who === 0 ? 1 : 0;
    if (!held[who] || held[other] || sandbox.size > 0) return undefined;
    await transferCustomer(stage.client, customers[who], { target_customer_id: customers[other] });
    held[other] = held[who];
    held[who] = undefined;
    return `transfer: { from: ${flow(names[who])}, to: ${flow(names[other])} }`;
  },
  pause: act(
    "pause",
    (simulator, id) => pauseSubscription(simulator, id, { for: "P1M" }),
    "for: P1M",
  ),
  resume: act("resume", (simulator, id) => resumeSubscription(simulator, id)),
  async share({ stage, customers, names, held, sandbox, provided }, { who }) {
    const other = who === 0 ? 1 : 0;
    const own = held[who];
    if (!own || sandbox.size > 0) return undefined;
    await shareSubscription(stage.simulator, own.id, { customer_id: customers[other] });
    provided.add(customers[other]);
    return `share: { subscription: ${own.name}, with: ${flow(names[other])} }`;
  },
  async sign_in({ stage, customers, names, signed, aliases }, { who }) {
    await signInCustomer(stage.simulator, customers[who], { alias: aliases[who] });
    return `alias: { customer: ${flow(names[who])}, alias: ${signed[who]} }`;
  },
  async wait({ stage }) {
    await advanceClock(stage.simulator, { by: "P1M", confirmed: true });
    return "advance: P1M";
  },
};

/** What is bought to have coins, and gives no access. */
const COINS = "notes.coins.100";

const DAY_MS = 86_400_000;

/** What the two customers are called. */
export const NAMES = ["ada", "bob"] as const;

async function buy(
  playing: Playing,
  { who }: Move,
  product_id: string,
  how: { trial?: string; environment?: "sandbox" } = {},
): Promise<string | undefined> {
  const { stage, customers, names, held, sandbox, provided } = playing;
  const customer = customers[who];
  // A customer who tests and pays has access for two reasons. An event shows only one of them.
  const tests = how.environment === "sandbox";
  const pays = held[who] !== undefined && !sandbox.has(customer) || provided.has(customer);
  if (tests ? pays : sandbox.has(customer)) return undefined;
  const { id } = await buyProduct(stage.simulator, { customer_id: customer, product_id, ...how });
  const name = `s${++playing.given}`;
  held[who] = { id, name };
  if (tests) sandbox.add(customer);
  const more = Object.entries(how).map(([key, value]) => `, ${key}: ${value}`).join("");
  return `purchase: { customer: ${
    flow(names[who])
  }, product: ${product_id}${more} }\n    as: ${name}`;
}

/** A move that is done to the latest subscription of a customer. */
function act(
  name: string,
  send: (simulator: Stage["simulator"], id: string) => Promise<object>,
  more = "",
): Doing {
  return async ({ stage, held }, { who }) => {
    const own = held[who];
    if (!own) return undefined;
    await send(stage.simulator, own.id);
    const field = name.includes("refund") ? "of" : "subscription";
    return more === "" ? `${name}: ${own.name}` : `${name}: { ${field}: ${own.name}, ${more} }`;
  };
}

async function proOf(stage: Stage): Promise<string> {
  const { items } = await listEntitlements(stage.client, { limit: 100 });
  return items.find(({ lookup_key }) => lookup_key === "pro")?.id ?? "";
}
