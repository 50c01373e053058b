/**
 * Projects with something to sell, and writers that keep a record of what was acknowledged.
 *
 * @module
 */

import { CHOOSABLE_EVENT_TYPES } from "../../../lib/event_types.ts";
import { type Fleet, pause } from "./fleet.ts";

/** A project with something to sell. */
export interface Shop {
  /** The project. */
  project: string;
  /** A monthly subscription. */
  monthly: string;
  /** A one-time purchase. */
  lifetime: string;
}

/** What was acknowledged. */
export interface Record {
  /** Offerings by id, with the display name that was acknowledged last. */
  offerings: Map<string, { project: string; name: string }>;
  /** Customers by id, and whether they are to be there. */
  customers: Map<string, { project: string; there: boolean }>;
  /** Subscriptions by id, with the store's id of the first payment. */
  subscriptions: Map<string, { project: string; transaction: string; cancelled: boolean }>;
  /** One-time purchases by id. */
  purchases: Map<string, { project: string; transaction: string; refunded: boolean }>;
  /** Advances of clocks. */
  advances: number;
}

/** An empty record. */
export function emptyRecord(): Record {
  return {
    offerings: new Map(),
    customers: new Map(),
    subscriptions: new Map(),
    purchases: new Map(),
    advances: 0,
  };
}

/** Makes a project with two products and a webhook. Its clock stands at a time. */
export async function openShop(fleet: Fleet, url: string, now: number): Promise<Shop> {
  const post = async (path: string, body: unknown): Promise<string> => {
    const reply = await fleet.ask({ method: "POST", path, body });
    if (reply.status !== 201) throw new Error(`${path}: ${JSON.stringify(reply.body)}`);
    return String(reply.body.id);
  };
  const project = await post("/_sim/projects", { name: "Soak", now });
  const app = await post(`/v2/projects/${project}/apps`, {
    name: "Soak",
    type: "app_store",
    app_store: { bundle_id: "com.example.soak" },
  });
  const product = (body: unknown) => post(`/v2/projects/${project}/products`, body);
  const monthly = await product({
    store_identifier: "monthly",
    title: "Monthly",
    app_id: app,
    type: "subscription",
  });
  const lifetime = await product({
    store_identifier: "lifetime",
    title: "Lifetime",
    app_id: app,
    type: "non_consumable",
  });
  const price = (id: string, body: unknown) =>
    fleet.ask({ method: "POST", path: `/_sim/projects/${project}/products/${id}/price`, body });
  await price(monthly, { price: 9.99, duration: "P1M" });
  await price(lifetime, { price: 99 });
  const event_types = CHOOSABLE_EVENT_TYPES;
  await post(`/v2/projects/${project}/integrations/webhooks`, { name: "soak", url, event_types });
  return { project, monthly, lifetime };
}

/** Writers that run until they are stopped. */
export interface Writers {
  /** Ends them, after what they are doing. */
  stop(): Promise<void>;
}

/** What a writer needs. */
interface Desk {
  /** The processes. */
  fleet: Fleet;
  /** The projects. */
  shops: readonly Shop[];
  /** What was acknowledged. */
  record: Record;
  /** A number from 0 to 1. */
  random(): number;
  /** Told of what must not happen. */
  wrong(what: string): void;
}

/** Starts writers: so many that write, and one that advances the clocks. */
export function startWriters(desk: Desk, count: number): Writers {
  let stopped = false;
  const again = async (step: () => Promise<void>, waitMs: number) => {
    while (!stopped) {
      await step().catch((error) => desk.wrong(String(error)));
      await pause(waitMs * (0.5 + desk.random()));
    }
  };
  const running = [
    ...Array.from({ length: count }, () => again(() => writeSomething(desk), 20)),
    again(() => advanceSome(desk), 700),
  ];
  return {
    async stop() {
      stopped = true;
      await Promise.all(running);
    },
  };
}

/** Does one thing of those that a shop does. */
async function writeSomething(desk: Desk): Promise<void> {
  const shop = pick(desk, desk.shops);
  if (!shop) return;
  const deeds = [
    addOffering,
    renameOffering,
    addCustomer,
    deleteCustomer,
    subscribe,
    subscribe,
    cancel,
    buy,
    refund,
  ];
  await pick(desk, deeds)?.(desk, shop);
}

function pick<T>({ random }: Desk, items: readonly T[]): T | undefined {
  return items[Math.floor(random() * items.length)];
}

async function addOffering({ fleet, record }: Desk, { project }: Shop): Promise<void> {
  const key = crypto.randomUUID();
  const path = `/v2/projects/${project}/offerings`;
  const body = { lookup_key: key, display_name: "new" };
  const reply = await fleet.ask({ method: "POST", path, body, key });
  // A repeated request with the same key gets the first answer, so nothing but 201 is right.
  if (reply.status !== 201) throw unexpected(path, reply);
  record.offerings.set(String(reply.body.id), { project, name: "new" });
}

async function renameOffering(desk: Desk): Promise<void> {
  const { fleet, record } = desk;
  const [id, known] = pick(desk, [...record.offerings]) ?? [];
  if (id === undefined || !known) return;
  // Nobody else may rename it meanwhile.
  record.offerings.delete(id);
  const name = crypto.randomUUID();
  const path = `/v2/projects/${known.project}/offerings/${id}`;
  const reply = await fleet.ask({ method: "POST", path, body: { display_name: name }, key: name });
  if (reply.status !== 200) throw unexpected(path, reply);
  record.offerings.set(id, { ...known, name });
}

async function addCustomer({ fleet, record }: Desk, { project }: Shop): Promise<void> {
  const id = `soak-${crypto.randomUUID()}`;
  const path = `/v2/projects/${project}/customers`;
  const reply = await fleet.ask({ method: "POST", path, body: { id } });
  if (reply.status !== 201 && !(reply.status === 409 && reply.repeated)) {
    throw unexpected(path, reply);
  }
  record.customers.set(id, { project, there: true });
}

async function deleteCustomer(desk: Desk): Promise<void> {
  const { fleet, record } = desk;
  const [id, known] = pick(desk, [...record.customers].filter(([, { there }]) => there)) ?? [];
  if (id === undefined || !known) return;
  record.customers.delete(id);
  const path = `/v2/projects/${known.project}/customers/${id}`;
  const reply = await fleet.ask({ method: "DELETE", path });
  if (reply.status !== 200 && !(reply.status === 404 && reply.repeated)) {
    throw unexpected(path, reply);
  }
  record.customers.set(id, { ...known, there: false });
}

async function subscribe({ fleet, record }: Desk, { project, monthly }: Shop): Promise<void> {
  const sold = await sell(fleet, project, monthly);
  if (sold) {
    record.subscriptions.set(sold.id, { project, transaction: sold.transaction, cancelled: false });
  }
}

async function buy({ fleet, record }: Desk, { project, lifetime }: Shop): Promise<void> {
  const sold = await sell(fleet, project, lifetime);
  if (sold) {
    record.purchases.set(sold.id, { project, transaction: sold.transaction, refunded: false });
  }
}

/** Sells something to a new customer. Undefined when it is not known under which id. */
async function sell(
  fleet: Fleet,
  project: string,
  product_id: string,
): Promise<{ id: string; transaction: string } | undefined> {
  const transaction = crypto.randomUUID();
  const path = `/_sim/projects/${project}/purchases`;
  const body = {
    customer_id: `buyer-${transaction}`,
    product_id,
    store_transaction_id: transaction,
  };
  const reply = await fleet.ask({ method: "POST", path, body });
  if (reply.status === 201) return { id: String(reply.body.id), transaction };
  // The store's id is taken: an earlier try got through, and its answer was lost.
  if (reply.repeated && reply.status >= 400 && reply.status < 500) return undefined;
  throw unexpected(path, reply);
}

async function cancel(desk: Desk): Promise<void> {
  const { fleet, record } = desk;
  const running = [...record.subscriptions].filter(([, { cancelled }]) => !cancelled);
  // Most renew until the end.
  const [id, known] = running.length > 10 ? pick(desk, running) ?? [] : [];
  if (id === undefined || !known) return;
  // Until it is acknowledged, it is not known which it is.
  record.subscriptions.delete(id);
  const path = `/_sim/projects/${known.project}/subscriptions/${id}/cancel`;
  const reply = await fleet.ask({ method: "POST", path, body: {} });
  if (reply.status !== 200 && !(reply.status === 422 && reply.repeated)) {
    throw unexpected(path, reply);
  }
  record.subscriptions.set(id, { ...known, cancelled: true });
}

async function refund(desk: Desk): Promise<void> {
  const { fleet, record } = desk;
  const owned = [...record.purchases].filter(([, { refunded }]) => !refunded);
  const [id, known] = pick(desk, owned) ?? [];
  if (id === undefined || !known) return;
  record.purchases.delete(id);
  const path = `/_sim/projects/${known.project}/purchases/${id}/refund`;
  const reply = await fleet.ask({ method: "POST", path, body: {} });
  if (reply.status !== 200 && !(reply.status === 422 && reply.repeated)) {
    throw unexpected(path, reply);
  }
  record.purchases.set(id, { ...known, refunded: true });
}

/** Advances the clock of one project by some days. */
async function advanceSome(desk: Desk): Promise<void> {
  const shop = pick(desk, desk.shops);
  if (!shop) return;
  const path = `/_sim/projects/${shop.project}/clock/advance`;
  const body = { by: `P${1 + Math.floor(desk.random() * 25)}D`, confirmed: true };
  const reply = await desk.fleet.ask({ method: "POST", path, body });
  if (reply.status !== 200) throw unexpected(path, reply);
  desk.record.advances++;
}

function unexpected(path: string, { status, body }: { status: number; body: unknown }): Error {
  return new Error(`${path} was answered with ${status}: ${JSON.stringify(body).slice(0, 300)}`);
}
