/**
 * The products in a package, and the SDK versions that get them.
 *
 * @module
 */

import { z } from "zod";
import type { PackageProduct, PackageProductChoice } from "../../resources/packages.ts";
import { attachedAt } from "./attachments.ts";
import { malformed } from "../contract/errors.ts";
import { findProduct, type ProjectCall } from "./find.ts";
import type { Listing } from "./lists.ts";
import type { Call } from "../contract/route.ts";
import { isUniqueViolation, nextSeq } from "../store/mod.ts";
import type { Row } from "../store/tables.ts";
import { listOf, objectId } from "../contract/fields.ts";
import { productSchema, showProduct } from "./products.ts";

const eligibility = z.enum(["all", "google_sdk_lt_6", "google_sdk_ge_6"]);

/** A product of a package in an answer. */
export const packageProductSchema: z.ZodType<PackageProduct> = z.object({
  eligibility_criteria: eligibility,
  product: productSchema,
});

/** 1 to 50 products to attach to a package. */
export const packageProductChoices: z.ZodType<{ products: PackageProductChoice[] }> = z
  .strictObject({
    products: listOf(
      z.strictObject({
        product_id: objectId,
        eligibility_criteria: eligibility.exactOptional(),
      }),
      50,
    ),
  });

/** Lists the products of a package, in the order of attaching. */
export function packageProductListing(
  call: ProjectCall,
  packageId: string,
): Listing<Row<"products"> & { at: number; eligibility_criteria: string }, number, PackageProduct> {
  const { tx } = call;
  const products = tx.selectFrom("products").selectAll().as("products");
  return {
    positionOf: (id) => attachedAt(call, "package_products", packageId, id),
    rowsAfter: (after, count) =>
      tx.selectFrom("package_products")
        .innerJoin(products, "products.id", "package_products.product_id").selectAll("products")
        .select(["package_products.seq as at", "package_products.eligibility_criteria"])
        .where("package_products.package_id", "=", packageId)
        .where("package_products.seq", ">", after ?? -1)
        .orderBy("package_products.seq").limit(count).execute(),
    idOf: (row) => row.id,
    show: (row) => ({
      eligibility_criteria: row.eligibility_criteria,
      product: showProduct(row),
    }),
  };
}

/** Attaches one product to a package, unless it conflicts with another product of its app. */
export async function attachToPackage(
  call: Call,
  packageId: string,
  choice: PackageProductChoice,
): Promise<void> {
  const { tx } = call;
  const { eligibility_criteria = "all" } = choice;
  const product = await findProduct(call, choice.product_id, "products");
  try {
    await tx.insertInto("package_products").values({
      package_id: packageId,
      product_id: product.id,
      app_id: product.app_id,
      seq: await nextSeq(tx),
      eligibility_criteria,
    }).onConflict((oc) =>
      oc.columns(["project_id", "package_id", "product_id"]).doUpdateSet({ eligibility_criteria })
    ).execute();
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    throw malformed(
      `The package already holds a product of the app "${product.app_id}" for these SDK versions`,
      409,
    );
  }
}

/** The ids of archived products in an offering's packages. */
export async function archivedProductsOf(
  { tx }: ProjectCall,
  offeringId: string,
): Promise<string[]> {
  const attached = tx.selectFrom("package_products").selectAll().as("attached");
  const products = tx.selectFrom("products").selectAll().as("products");
  const rows = await tx.selectFrom("packages")
    .innerJoin(attached, "attached.package_id", "packages.id")
    .innerJoin(products, "products.id", "attached.product_id").select("products.id").distinct()
    .where("packages.offering_id", "=", offeringId)
    .where("products.state", "=", "inactive")
    .orderBy("products.id")
    .execute();
  return rows.map((row) => row.id);
}
