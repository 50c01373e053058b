/**
 * What the facts say of subscriptions, purchases, grants and access, as a small model of its own. It
 * shares no code with the service; where the two disagree, one of them is wrong.
 *
 * @module
 */

/** A day in milliseconds. */
export const DAY = 86_400_000;

/** What can be bought, by the store's name of it. */
export const PRODUCTS = {
  "notes.pro.monthly": { store: "app_store", months: 1 },
  "notes.pro.annual": { store: "app_store", months: 12 },
  "notes_pro:monthly": { store: "play_store", months: 1 },
  "notes_pro:annual": { store: "play_store", months: 12 },
  "notes_web_monthly": { store: "svc_billing", months: 1 },
  "notes_web_annual": { store: "svc_billing", months: 12 },
} as const;

/** A subscription product. */
export type ProductName = keyof typeof PRODUCTS;

/** The one-time product. */
export const LIFETIME = "notes.pro.lifetime";

/** A subscription in the model. */
export interface ModelSubscription {
  /** Its place in the order of all. */
  seq: number;
  /** The service's id, once that is known. */
  id: string;
  /** Who has it. */
  customer: string;
  /** What it is to. */
  product: ProductName;
  /** Where it stands. */
  status: string;
  /** What happens at the end of the period. */
  auto: string;
  /** Whether the period is free. */
  trial: boolean;
  /** The end of the period. */
  end: number | null;
  /** The end of the next one, when it is paid for. */
  paidUntil: number | null;
  /** From where periods are counted, and how many there have been. */
  anchor: { at: number; count: number };
  /** Whether the next charge fails, and how many days of grace there are then. */
  fails: boolean;
  /** Days of grace, or null. */
  grace: number | null;
  /** The end of grace, of the store's trying, or of the pause. */
  until: number | null;
  /** When a pause shall end. */
  resumes: number | null;
  /** What it changes to. */
  next: ProductName | null;
  /** The latest payment. */
  latest: { at: number; money: boolean; refunded: boolean; ends: number | null };
  /** Whether a refund has ended it. */
  endedByRefund: boolean;
}

/** What a member of a family has of somebody's subscription: the same, without paying. */
export interface ModelShare {
  /** Its place in the order of all, subscriptions among them. */
  seq: number;
  /** Who has it. */
  customer: string;
  /** What it is a share of. */
  source: ModelSubscription;
}

/** Everything in the model. */
export interface Model {
  /** The time. */
  now: number;
  /** Subscriptions in their order. */
  subscriptions: ModelSubscription[];
  /** Shares of them in their order. */
  shares: ModelShare[];
  /** One-time purchases in their order. */
  purchases: { id: string; customer: string; refunded: boolean }[];
  /** Ends of live grants by customer and entitlement. */
  grants: Map<string, number>;
  /** Entitlements by product. */
  gives: Map<string, Set<string>>;
}

/** A refusal by a rule. */
export class Refused extends Error {}

/** What the model starts with. */
export function newModel(now: number): Model {
  const gives = new Map<string, Set<string>>([[LIFETIME, new Set(["pro"])]]);
  for (const [name, { months }] of Object.entries(PRODUCTS)) {
    gives.set(name, new Set(months === 12 ? ["pro", "sync"] : ["pro"]));
  }
  return { now, subscriptions: [], shares: [], purchases: [], grants: new Map(), gives };
}

/** The next place in the order of subscriptions and shares. */
export function nextSeq({ subscriptions, shares }: Model): number {
  return subscriptions.length + shares.length;
}

/** What a customer has, in order: subscriptions, and those that somebody shares. */
export function heldBy(
  { subscriptions, shares }: Model,
  customer: string,
): { one: ModelSubscription; shared: boolean }[] {
  const own = subscriptions.map((one) => ({ ...one, one, shared: false }));
  const others = shares.map((share) => ({ ...share, one: share.source, shared: true }));
  return [...own, ...others].filter((held) => held.customer === customer)
    .sort((a, b) => a.seq - b.seq).map(({ one, shared }) => ({ one, shared }));
}

/** What a customer may use now, and until when. */
export function accessOf(model: Model, customer: string): Record<string, number | null> {
  const ends: Record<string, number | null> = {};
  const add = (entitlement: string, end: number | null): void => {
    const known = ends[entitlement];
    if (known === null) return;
    ends[entitlement] = end === null || known === undefined ? end : Math.max(known, end);
  };
  for (const { one } of heldBy(model, customer)) {
    if (!isOpen(one)) continue;
    const end = one.status === "in_grace_period" ? one.until : one.paidUntil ?? one.end;
    for (const name of model.gives.get(one.product) ?? []) add(name, end);
  }
  for (const { customer: owner, refunded } of model.purchases) {
    if (owner !== customer || refunded) continue;
    for (const name of model.gives.get(LIFETIME) ?? []) add(name, null);
  }
  for (const name of ["pro", "sync"]) {
    const end = model.grants.get(`${customer}/${name}`);
    if (end !== undefined) add(name, end);
  }
  return ends;
}

/** Whether a subscription gives access. */
export function isOpen({ status }: ModelSubscription): boolean {
  return ["trialing", "active", "in_grace_period"].includes(status);
}

/** Refuses by a rule. */
export function refuseIf(condition: boolean): void {
  if (condition) throw new Refused();
}
