/**
 * The purchases and grants of customers, and their active entitlements.
 *
 * @module
 */

import type { ActiveEntitlement } from "../../resources/customers.ts";
import type { Entitlement } from "../../resources/entitlements.ts";
import { attachedAt } from "./attachments.ts";
import { accessEnd, furthestEnds, givesAccess, type Source } from "../domain/access.ts";
import type { ProjectCall } from "./find.ts";
import { type Listing, tombstoneOf } from "./lists.ts";
import type { Call } from "../contract/route.ts";
import { showEntitlement } from "./entitlements.ts";
import { rowsWith } from "../store/mod.ts";
import type { Row } from "../store/tables.ts";

/** A source of entitlements: a product, or for a promotional grant the entitlement itself. */
type Giver = Pick<Row<"subscriptions">, "product_id" | "entitlement_id">;

/** Lists the entitlements of a product or promotional grant, in the order of attaching. */
export function givenListing(
  call: ProjectCall,
  { product_id, entitlement_id }: Giver,
): Listing<Row<"entitlements">, number, Entitlement> {
  const { tx } = call;
  const common = { idOf: (row: Row<"entitlements">) => row.id, show: showEntitlement };
  if (product_id === null) {
    return {
      ...common,
      positionOf: async (id) => id === entitlement_id ? 1 : undefined,
      rowsAfter: async (after) =>
        after === undefined
          ? await tx.selectFrom("entitlements").selectAll()
            .where("id", "=", entitlement_id).execute()
          : [],
    };
  }
  const entitlements = tx.selectFrom("entitlements").selectAll().as("entitlements");
  return {
    ...common,
    positionOf: (id) => attachedAt(call, "entitlement_products", id, product_id),
    rowsAfter: (after, count) =>
      tx.selectFrom("entitlement_products")
        .innerJoin(entitlements, "entitlements.id", "entitlement_products.entitlement_id")
        .selectAll("entitlements").where("entitlement_products.product_id", "=", product_id)
        .where("entitlement_products.seq", ">", after ?? -1)
        .orderBy("entitlement_products.seq").limit(count).execute(),
  };
}

/** An active entitlement of a customer, with its position in the project. */
type Active = ActiveEntitlement & { seq: number };

/** Lists a customer's active entitlements, each once with its latest end. */
export function activeListing(
  call: Pick<Call, "tx" | "project" | "now">,
  customerId: string,
): Listing<Active, number, ActiveEntitlement> {
  return {
    positionOf: async (id) => (await placeOf(call, id))?.seq,
    rowsAfter: async (after, count) => {
      const rows = await readActive(call, customerId);
      return rows.filter(({ seq }) => seq > (after ?? -1)).slice(0, count);
    },
    idOf: (row) => row.entitlement_id,
    show: ({ object, entitlement_id, expires_at }) => ({ object, entitlement_id, expires_at }),
  };
}

/** The states in which a subscription may give access. */
const LIVE = ["trialing", "active", "in_grace_period"];

/** A customer's active entitlements, in the order of their creation. */
async function readActive(
  call: Pick<Call, "tx" | "project" | "now">,
  customerId: string,
): Promise<Active[]> {
  const { tx, now } = call;
  const own = { customer_id: customerId };
  const subscriptions = await rowsWith(tx, "subscriptions", { ...own, status: LIVE });
  const purchases = await rowsWith(tx, "purchases", { ...own, status: "owned" });
  const open = subscriptions.filter((row) => givesAccess(row, now))
    .map((row) => ({ ...row, expires_at: accessEnd(row) }));
  // A one-time purchase has no end.
  const owned = purchases.map(({ product_id }) => ({ product_id, expires_at: null }));
  const products = [...open, ...owned].map((row) => row.product_id).filter((id) => id !== null);
  const given = await givenBy(call, products);
  const sources: Source[] = [...open, ...owned].flatMap(({ product_id, expires_at }) =>
    (given.get(product_id ?? "") ?? []).map((entitlement_id) => ({ entitlement_id, expires_at }))
  );
  for (const { entitlement_id, expires_at } of open) {
    if (entitlement_id !== null) sources.push({ entitlement_id, expires_at });
  }
  const ends = furthestEnds(sources);
  if (ends.size === 0) return [];
  const entitlements = await tx.selectFrom("entitlements").select(["id", "seq"])
    .where("id", "in", [...ends.keys()]).orderBy("seq").execute();
  return entitlements.map(({ id, seq }) => ({
    object: "customer.active_entitlement",
    entitlement_id: id,
    expires_at: ends.get(id) ?? null,
    seq,
  }));
}

/** The entitlements of products, by product. */
async function givenBy(
  { tx }: ProjectCall,
  productIds: readonly string[],
): Promise<Map<string, string[]>> {
  const ids = [...new Set(productIds)];
  if (ids.length === 0) return new Map();
  const rows = await tx.selectFrom("entitlement_products").select(["product_id", "entitlement_id"])
    .where("product_id", "in", ids).execute();
  const given = new Map<string, string[]>();
  for (const { product_id, entitlement_id } of rows) {
    given.set(product_id, [...given.get(product_id) ?? [], entitlement_id]);
  }
  return given;
}

/** The position of an entitlement in the project, also after it was deleted. */
async function placeOf(call: ProjectCall, id: string): Promise<{ seq: number } | undefined> {
  const row = await call.tx.selectFrom("entitlements").select("seq")
    .where("id", "=", id).executeTakeFirst();
  return row ?? await tombstoneOf(call, "entitlement", id);
}
