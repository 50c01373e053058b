/**
 * The parts of what leads to an event: what a customer has, what it can buy, and doing something.
 *
 * @module
 */

import { validate } from "../body.ts";
import { isAble } from "../domain/stores.ts";
import { unprocessable } from "../errors.ts";
import { readEventFacts } from "../event_facts.ts";
import { findSubscription } from "../find.ts";
import type { Row } from "../store/tables.ts";
import { purchaseRoutes } from "./purchases.ts";
import type { SimCall } from "./route.ts";
import { subscriptionRoutes } from "./subscriptions.ts";
import type { Recipe } from "./trigger_recipes.ts";

/** Something that is done, or was bought. */
interface Subject {
  /** Its id. */
  id: string;
}

/** Does what a route of the simulator does, within this call. */
export async function perform(
  call: SimCall,
  path: string,
  body: object,
  id = "",
): Promise<unknown> {
  const route = [...purchaseRoutes, ...subscriptionRoutes].find((one) => one.path === path);
  if (!route) throw new Error(`There is no route ${path}`);
  return await route.handle({
    ...call,
    params: { id },
    query: {},
    body: () => validate(route.body, body),
  });
}

/** The latest subscription of a customer that a recipe can go on with. */
export async function findHeld(
  { tx, project }: SimCall,
  customer: Row<"customers">,
  { needs, renewals }: Recipe,
): Promise<Row<"subscriptions"> | undefined> {
  const rows = await tx.selectFrom("subscriptions").selectAll()
    .where("project_id", "=", project.id).where("customer_id", "=", customer.id)
    .where("status", "in", ["active", "trialing"]).where("store", "!=", "promotional")
    .where("shared_from_id", "is", null).orderBy("seq", "desc").execute();
  return rows.find((row) =>
    (!needs || isAble(row.store, needs)) && (renewals?.includes(row.auto_renewal_status) ?? true)
  );
}

/** Buys what a recipe needs. */
export async function buyFor(
  call: SimCall,
  customer: Row<"customers">,
  recipe: Recipe,
  sent: Record<string, unknown>,
): Promise<Subject> {
  const product_id = sent.product_id ?? (await pickProduct(call, customer, recipe, sent)).id;
  const paid = recipe.product === "invoiced" ? { paid: false } : {};
  const body = { ...paid, ...sent, customer_id: customer.id, product_id };
  const bought = await perform(call, "/purchases", body);
  if (typeof bought !== "object" || bought === null || !("id" in bought && "object" in bought)) {
    throw new Error("A purchase was not answered with what was bought");
  }
  if (recipe.steps.length > 0 && bought.object !== "subscription") {
    throw unprocessable("It takes a subscription, and 'purchase.product_id' is bought once");
  }
  return { id: String(bought.id) };
}

/** A product and the store that sells it. */
type Offered = Row<"products"> & { store: string };

/** A product that a recipe can do with, one that the customer has never had if there is any. */
async function pickProduct(
  call: SimCall,
  customer: Row<"customers">,
  recipe: Recipe,
  sent: Record<string, unknown>,
): Promise<Offered> {
  const { tx, project } = call;
  const had = await tx.selectFrom("subscriptions").select(["product_id", "status"])
    .where("project_id", "=", project.id).where("customer_id", "=", customer.id).execute();
  const live = new Set(had.filter((row) => row.status !== "expired").map((row) => row.product_id));
  const ever = new Set(had.map((row) => row.product_id));
  const offered = await readOffered(call);
  const suits = await suitable(call, recipe, offered);
  const open = suits.filter((one) => !live.has(one.id) && isSellable(one, sent));
  const found = open.find(({ id }) => !ever.has(id)) ?? open[0];
  if (found) return found;
  const why = suits.length > 0
    ? "the customer has all of them, or they lack a price or duration: send 'purchase.price' and " +
      "'purchase.duration'"
    : "name another project, or create one";
  throw unprocessable(`There is no product to buy that is ${WORDS[recipe.product]}: ${why}`);
}

/** Whether all terms of a sale are known. */
function isSellable(product: Offered, sent: Record<string, unknown>): boolean {
  const { type, price_micros, duration } = product;
  return (price_micros !== null || sent.price !== undefined) &&
    (type !== "subscription" || duration !== null || sent.duration !== undefined);
}

const WORDS: Readonly<Record<Recipe["product"], string>> = {
  subscription: "a subscription in a store that does this",
  once: "bought once",
  invoiced: "a subscription of web billing",
  currency: "set to bring a virtual currency",
  none: "of any kind",
};

/** The products that a recipe can do with, the oldest first. */
async function suitable(
  call: SimCall,
  { product, needs }: Recipe,
  offered: readonly Offered[],
): Promise<Offered[]> {
  if (product === "currency") {
    const facts = readEventFacts(call);
    const found: Offered[] = [];
    for (const one of offered) {
      if ((await facts.currencyGrants(one.id)).some(({ amount }) => amount > 0)) found.push(one);
    }
    return found;
  }
  return offered.filter(({ type, store, app_id }) => {
    if (product === "once") return type !== "subscription";
    if (type !== "subscription" || needs && !isAble(store, needs)) return false;
    if (product === "invoiced") return store === "svc_billing";
    if (needs !== "change_product") return true;
    return offered.filter((one) => one.app_id === app_id && one.type === type).length > 1;
  });
}

async function readOffered({ tx, project }: SimCall): Promise<Offered[]> {
  const apps = await tx.selectFrom("apps").select(["id", "type"])
    .where("project_id", "=", project.id).execute();
  const stores = new Map(apps.map(({ id, type }) => [id, type]));
  const products = await tx.selectFrom("products").selectAll()
    .where("project_id", "=", project.id).where("state", "=", "active").orderBy("seq").execute();
  return products.map((product) => ({ ...product, store: stores.get(product.app_id) ?? "" }));
}

/** Another subscription of the same app to change to, unless one is named. */
export async function changeTarget(
  call: SimCall,
  id: string,
  sent: Record<string, unknown>,
): Promise<{ product_id?: string }> {
  if (sent.product_id !== undefined) return {};
  const { app_id, product_id } = await findSubscription(call, id);
  const other = (await readOffered(call)).find((one) =>
    one.app_id === app_id && one.type === "subscription" && one.id !== product_id &&
    isSellable(one, sent)
  );
  if (other) return { product_id: other.id };
  throw unprocessable("The app has no other subscription with a price and a duration to change to");
}
