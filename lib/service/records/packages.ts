/**
 * Packages and their lists in the API.
 *
 * @module
 */

import { sql } from "kysely";
import { z } from "zod";
import type { Package } from "../../resources/packages.ts";
import { component, millis, pageOf } from "../contract/schemas.ts";
import type { ProjectCall } from "./find.ts";
import { type Listing, nestedPage, tombstoneOf } from "./lists.ts";
import { packageProductListing, packageProductSchema } from "./package_products.ts";
import type { Row } from "../store/tables.ts";

/** A package in an answer. */
export const packageSchema: z.ZodType<Package> = component(
  "Package",
  z.object({
    object: z.literal("package"),
    id: z.string(),
    lookup_key: z.string(),
    display_name: z.string(),
    position: z.int().min(0).nullable(),
    created_at: millis,
    offering_id: z.string(),
    products: pageOf(packageProductSchema).exactOptional(),
  }),
);

/** Packages without a position come last. */
const LAST = Number.MAX_SAFE_INTEGER;

/** Lists the packages of an offering by position, then by age. */
export function packageListing(
  call: ProjectCall,
  offeringId: string,
  withProducts: boolean,
): Listing<Row<"packages">, [position: number, seq: number], Package> {
  const { tx } = call;
  const ofOffering = tx.selectFrom("packages").selectAll().where("offering_id", "=", offeringId);
  const place = sql<number>`coalesce(position, ${sql.lit(LAST)})`;
  return {
    async positionOf(id) {
      const row = await ofOffering.where("id", "=", id).executeTakeFirst() ??
        await tombstoneOf(call, "package", id);
      return row && [row.position ?? LAST, row.seq];
    },
    rowsAfter: (after, count) =>
      ofOffering
        .$if(after !== undefined, (query) =>
          query.where(sql<boolean>`(${place}, seq) > (${after?.[0]}, ${after?.[1]})`))
        .orderBy(place).orderBy("seq").limit(count).execute(),
    idOf: (row) => row.id,
    show: (row) => showExpanded(call, row, withProducts),
  };
}

/** A package in the API, with its products if `expand` names them. */
export async function showExpanded(
  call: ProjectCall,
  row: Row<"packages">,
  withProducts: boolean,
): Promise<Package> {
  if (!withProducts) return showPackage(row);
  const path = `/v2/projects/${call.project.id}/packages/${row.id}/products`;
  return {
    ...showPackage(row),
    products: await nestedPage(packageProductListing(call, row.id), path),
  };
}

/** A package in the API. */
export function showPackage(row: Row<"packages">): Package {
  return {
    object: "package",
    id: row.id,
    lookup_key: row.lookup_key,
    display_name: row.display_name,
    position: row.position,
    created_at: row.created_at,
    offering_id: row.offering_id,
  };
}
