/**
 * Products attached to packages and entitlements, in the order of attaching.
 *
 * @module
 */

import { rememberPlace } from "./changes.ts";
import { findProduct, type ProjectCall } from "./find.ts";
import { tombstoneOf } from "./lists.ts";
import type { Call } from "../contract/route.ts";
import { columnRef } from "../store/column_ref.ts";

/** The tables of attachments, with the column of the owner. */
const OWNERS = { entitlement_products: "entitlement_id", package_products: "package_id" } as const;

/** A table of attachments. */
type AttachmentTable = keyof typeof OWNERS;

/** The position of an attached product in its owner's list, also after it was detached. */
export async function attachedAt(
  call: ProjectCall,
  table: AttachmentTable,
  ownerId: string,
  productId: string,
): Promise<number | undefined> {
  const row = await call.tx.selectFrom(table).select("seq")
    .where(columnRef(OWNERS[table]), "=", ownerId).where("product_id", "=", productId)
    .executeTakeFirst();
  return (row ?? await tombstoneOf(call, table, `${ownerId}/${productId}`))?.seq;
}

/**
 * Detaches products, also those that are not attached.
 *
 * @throws {Refusal} 404 for an unknown product.
 */
export async function detachProducts(
  call: Pick<Call, "tx" | "project" | "now">,
  table: AttachmentTable,
  ownerId: string,
  productIds: readonly string[],
): Promise<void> {
  for (const productId of productIds) {
    const { id } = await findProduct(call, productId, "product_ids");
    await rememberPlaces(call, table, id, ownerId);
    await call.tx.deleteFrom(table).where("product_id", "=", id)
      .where(columnRef(OWNERS[table]), "=", ownerId).execute();
  }
}

/** Stores the positions of a product before it is deleted with its attachments. */
export async function rememberAttachments(
  call: Pick<Call, "tx" | "project" | "now">,
  productId: string,
): Promise<void> {
  await rememberPlaces(call, "entitlement_products", productId);
  await rememberPlaces(call, "package_products", productId);
}

/** Stores the positions of a product, for one owner or all, so that lists can continue after it. */
async function rememberPlaces(
  { tx, now }: Pick<Call, "tx" | "now">,
  table: AttachmentTable,
  productId: string,
  ownerId?: string,
): Promise<void> {
  const owner = columnRef<string>(OWNERS[table]);
  const rows = await tx.selectFrom(table).select(["seq", owner.as("owner")])
    .where("product_id", "=", productId)
    .$if(ownerId !== undefined, (query) => query.where(owner, "=", String(ownerId))).execute();
  for (const row of rows) {
    const id = `${row.owner}/${productId}`;
    await rememberPlace(tx, table, { id, seq: row.seq, deleted_at: now });
  }
}
