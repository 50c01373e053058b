/**
 * Products that are attached to something else, listed in the order in which they were attached.
 *
 * @module
 */

import { type RawBuilder, sql } from "kysely";
import { findProduct, type Place } from "./find.ts";
import { tombstoneOf } from "./lists.ts";
import type { Call } from "../contract/route.ts";

/** What products can be attached to: the table of the attachments, and the column of the owner. */
const OWNERS = { entitlement_products: "entitlement_id", package_products: "package_id" } as const;

/** A table of attachments. */
export type AttachmentTable = keyof typeof OWNERS;

/** Where an attached product stands in its owner's list, or stood until it was detached. */
export async function attachedAt(
  call: Place,
  table: AttachmentTable,
  ownerId: string,
  productId: string,
): Promise<number | undefined> {
  const { rows } = await sql<{ seq: number }>`
    select seq from ${sql.table(table)}
    where project_id = ${call.project.id} and ${sql.ref(OWNERS[table])} = ${ownerId}
      and product_id = ${productId}`.execute(call.tx);
  return (rows[0] ?? await tombstoneOf(call, table, `${ownerId}/${productId}`))?.seq;
}

/**
 * Detaches products, also those that are not attached.
 *
 * @throws {Refusal} 404 when there is no such product.
 */
export async function detachProducts(
  call: Pick<Call, "tx" | "project" | "now">,
  table: AttachmentTable,
  ownerId: string,
  productIds: readonly string[],
): Promise<void> {
  const owner = sql.ref(OWNERS[table]);
  for (const productId of productIds) {
    const { id } = await findProduct(call, productId, "product_ids");
    await rememberPlaces(call, table, sql`product_id = ${id} and ${owner} = ${ownerId}`);
    await sql`
      delete from ${sql.table(table)}
      where project_id = ${call.project.id} and product_id = ${id} and ${owner} = ${ownerId}`
      .execute(call.tx);
  }
}

/** Remembers where a product is attached, before it is deleted and every attachment with it. */
export async function rememberAttachments(
  call: Pick<Call, "tx" | "project" | "now">,
  productId: string,
): Promise<void> {
  const where = sql`product_id = ${productId}`;
  await rememberPlaces(call, "entitlement_products", where);
  await rememberPlaces(call, "package_products", where);
}

/** Remembers the places of attachments, so that their lists can be continued after them. */
async function rememberPlaces(
  { tx, project, now }: Pick<Call, "tx" | "project" | "now">,
  table: AttachmentTable,
  where: RawBuilder<unknown>,
): Promise<void> {
  await sql`
    insert into tombstones (project_id, object, id, seq, deleted_at)
    select project_id, ${table}, ${sql.ref(OWNERS[table])} || '/' || product_id, seq, ${now}
    from ${sql.table(table)} where project_id = ${project.id} and ${where}
    on conflict (project_id, object, id)
      do update set seq = excluded.seq, deleted_at = excluded.deleted_at`.execute(tx);
}
