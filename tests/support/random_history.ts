/**
 * Random histories of three customers: everything that a scenario file can do, in any order. What the
 * service refuses did not happen.
 *
 * @module
 */

import { ToolkitError } from "../../lib/errors.ts";
import { DEEDS } from "../../lib/scenario/deeds/mod.ts";
import type { Json } from "../../lib/scenario/values/tree.ts";
import { advanceClock, getClock } from "../../lib/simulator/clock.ts";
import type { OpenStage } from "../../lib/cli/scenario/stage.ts";
import { fc } from "./properties.ts";

/** Something that somebody tries to do. */
export interface Attempt {
  /** Its name. */
  readonly deed: string;
  /** Its fields; `who`, `other` and `own` are filled in. */
  readonly values: Readonly<Record<string, Json>>;
  /** To which customer. */
  readonly who: number;
}

/** The customers. One of them has not signed in. */
export const PEOPLE: readonly string[] = ["ada", "bob", "$RCAnonymousID:0123456789abcdef"];

const product = fc.constantFrom(
  ...["notes.pro.monthly", "notes.pro.annual", "notes_pro_monthly", "notes_web_monthly"],
);
const once = fc.constantFrom("notes.pass", "notes.coins.100");
const grace = fc.constantFrom(null, "P3D", "P5D");

/** Each deed with values for it. */
const KINDS: Readonly<Record<string, fc.Arbitrary<Readonly<Record<string, unknown>>>>> = {
  purchase: fc.record({
    product,
    trial: fc.constantFrom(false, false, true, "P3D"),
    price: fc.constantFrom(4.99, 9.99, 12),
    environment: fc.constantFrom("production", "production", "sandbox"),
  }),
  renew: fc.constant({}),
  fail: fc.record({ when: fc.constantFrom("now", "renewal"), grace }, { requiredKeys: [] }),
  recover: fc.constant({}),
  cancel: fc.constant({}),
  uncancel: fc.constant({}),
  pause: fc.record({ for: fc.constantFrom("P1M", "P45D") }, { requiredKeys: [] }),
  resume: fc.constant({}),
  change_product: fc.record({
    product,
    when: fc.constantFrom("now", "period_end"),
    price: fc.constantFrom(3, 20),
  }, { requiredKeys: ["product", "when"] }),
  extend: fc.record({ by: fc.constantFrom("P3D", "P1M") }),
  expire: fc.record({ reason: fc.constantFrom("UNKNOWN", "BILLING_ERROR") }, { requiredKeys: [] }),
  raise_price: fc.record({ price: fc.constantFrom(11, 25) }),
  agree_to_price: fc.constant({}),
  share: fc.constant({ with: "other" }),
  refund: fc.record({ payment: fc.constantFrom(1, 2), keep_access: fc.boolean() }, {
    requiredKeys: [],
  }),
  reverse_refund: fc.record({ payment: fc.constantFrom(1, 2) }, { requiredKeys: [] }),
  pay: fc.constant({}),
  buy_once: fc.record({ product: once, quantity: fc.constantFrom(1, 3) }),
  order: fc.constant({ product: "notes_web_monthly", paid: false }),
  believe: fc.constant({ product: "notes.pro.monthly", verified: false }),
  alias: fc.record({ alias: fc.constantFrom("ada", "carl", "dora") }),
  transfer: fc.constant({ to: "other" }),
  grant: fc.record({ entitlement: fc.constantFrom("pro", "sync"), days: fc.constantFrom(10, 50) }),
  revoke: fc.record({ entitlement: fc.constantFrom("pro", "sync") }),
  attributes: fc.record({
    set: fc.constantFrom({ plan: "family" }, { plan: "solo", $email: "a@b" }),
  }),
  give: fc.record({ amount: fc.constantFrom(5, 50) }),
  spend: fc.record({ amount: fc.constantFrom(5, 50) }),
  wait: fc.record({ by: fc.constantFrom("P1D", "P10D", "P1M", "P1M", "P3M") }),
};

/** What is tried more often. */
const ON_SUBSCRIPTIONS = Object.keys(KINDS).slice(1, Object.keys(KINDS).indexOf("pay"));

/** Random attempts. */
export function attempts(most: number): fc.Arbitrary<Attempt[]> {
  const one = (deed: string) =>
    fc.record({
      deed: fc.constant(deed),
      values: KINDS[deed] as fc.Arbitrary<Attempt["values"]>,
      // Most of it happens to one customer, so that much comes together.
      who: fc.constantFrom(0, 0, 0, 1, 2),
    });
  const usual = ["purchase", "wait", "wait", "wait", ...ON_SUBSCRIPTIONS, ...Object.keys(KINDS)];
  const any = fc.oneof(...usual.map(one));
  return fc.tuple(one("purchase"), fc.array(any, { maxLength: most, size: "max" }))
    .map(([first, more]) => [first, ...more]);
}

/** What is tried with, by the deed that a kind stands for. */
const STANDS_FOR: Readonly<Record<string, string>> = {
  buy_once: "purchase",
  order: "purchase",
  believe: "purchase",
};

/** Lets it happen. Returns what was done, one line each. */
export async function live(stage: OpenStage, tried: readonly Attempt[]): Promise<string[]> {
  const held = new Map<number, string[]>();
  const done: string[] = [];
  for (const { deed, values, who } of tried) {
    try {
      const id = await attempt(stage, { deed, values, who }, held);
      if (id !== undefined) held.set(who, [...held.get(who) ?? [], id]);
      done.push(`${deed} ${PEOPLE[who]} ${JSON.stringify(values)}`);
    } catch (error) {
      if (!(error instanceof ToolkitError)) throw error;
    }
  }
  return done;
}

/** Tries one thing. Returns the id of what was bought. */
async function attempt(
  stage: OpenStage,
  { deed, values, who }: Attempt,
  held: ReadonlyMap<number, readonly string[]>,
): Promise<string | undefined> {
  const { simulator, client } = stage;
  if (deed === "wait") {
    await advanceClock(simulator, { by: String(values.by), confirmed: true });
    return undefined;
  }
  const customer = PEOPLE[who] ?? "";
  const other = PEOPLE[(who + 1) % PEOPLE.length] ?? "";
  const bought = held.get(who) ?? [];
  const own =
    (ON_SUBSCRIPTIONS.includes(deed) && !deed.includes("refund")
      ? bought.findLast((id) => id.startsWith("sub"))
      : bought.at(-1)) ?? "none";
  const { days, ...rest } = values;
  const { now } = await getClock(simulator);
  const filled = {
    customer,
    from: customer,
    currency: "COIN",
    subscription: own,
    of: own,
    ...rest,
    ...values.with === "other" && { with: other },
    ...values.to === "other" && { to: other },
    ...typeof days === "number" && { until: now + days * 86_400_000 },
  };
  const { perform, fields, makes } = DEEDS[STANDS_FOR[deed] ?? deed] ?? {};
  const known = Object.entries(filled).filter(([name]) => Object.hasOwn(fields ?? {}, name));
  // The currency of a purchase is one of money.
  const usable = deed === "give" || deed === "spend"
    ? known
    : known.filter(([name]) => name !== "currency");
  const answer = await perform?.({
    simulator,
    client,
    values: Object.fromEntries(usable),
    webhook: undefined,
    id: (name) => String(name),
    event: () => "",
    deliver: () => Promise.resolve(undefined),
    hold: () => Promise.resolve(),
    release: () => Promise.resolve([]),
    later: () => Promise.resolve(now),
  });
  return makes && answer && "id" in answer ? String(answer.id) : undefined;
}
