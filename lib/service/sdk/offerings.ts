/**
 * The offerings for an app's SDK.
 *
 * @module
 */

import { z } from "zod";
import type { SdkOffering, SdkOfferings, SdkPackage } from "../../resources/sdk_offerings.ts";
import { component } from "../contract/schemas.ts";
import { type SdkCall, sdkRoute } from "../contract/sdk.ts";
import type { Row } from "../store/tables.ts";
import { checkUser } from "./customers.ts";
import { splitIdentifier } from "./identifier.ts";

const json = z.record(z.string(), z.unknown());

const sdkOfferingsSchema: z.ZodType<SdkOfferings> = component(
  "SdkOfferings",
  z.object({
    current_offering_id: z.string().nullable(),
    offerings: z.array(z.object({
      identifier: z.string(),
      description: z.string(),
      metadata: json.nullable(),
      packages: z.array(z.object({
        identifier: z.string(),
        platform_product_identifier: z.string(),
        platform_product_plan_identifier: z.string().exactOptional(),
      })),
      paywall: json.exactOptional(),
      paywall_components: json.exactOptional(),
    })),
    placements: z.null(),
    targeting: z.null(),
  }),
);

/** The offerings for an app's SDK. Reading them creates no customer. */
export const getSdkOfferings = sdkRoute({
  name: "getSdkOfferings",
  summary: "Reads the offerings for an app user. Needs a public SDK key of the app.",
  method: "GET",
  path: "/v1/subscribers/{user}/offerings",
  response: sdkOfferingsSchema,
}, async (call) => {
  // Gap: the user need not exist and has no effect, so any valid id is accepted.
  checkUser(call.params.user);
  const { tx, project } = call;
  const rows = await tx.selectFrom("offerings").selectAll()
    .where("state", "=", "active").orderBy("seq").execute();
  const own = await assignedTo(call, call.params.user);
  // An archived one is not shown; then the current one is.
  const current = rows.find(({ id }) => id === own) ??
    rows.find(({ id }) => id === project.current_offering_id);
  const packages = await packagesFor(call);
  const paywalls = await paywallsOf(call);
  return {
    current_offering_id: current?.lookup_key ?? null,
    offerings: rows.map((row) => ({
      ...showOffering(row),
      packages: packages.get(row.id) ?? [],
      ...paywalls.get(row.id),
    })),
    placements: null,
    targeting: null,
  };
});

/** The offering of a customer in place of the current one, if any. */
async function assignedTo({ tx }: SdkCall, user: string): Promise<string | undefined> {
  const assigned = tx.selectFrom("assigned_offerings").selectAll().as("assigned");
  const row = await tx.selectFrom("customer_aliases")
    .innerJoin(assigned, "assigned.customer_id", "customer_aliases.customer_id")
    .select("assigned.offering_id").where("alias", "=", user).executeTakeFirst();
  return row?.offering_id;
}

/** An offering for an SDK, without its packages. */
function showOffering(row: Row<"offerings">): Omit<SdkOffering, "packages"> {
  return {
    identifier: row.lookup_key,
    description: row.display_name,
    metadata: row.metadata === null ? null : JSON.parse(row.metadata),
  };
}

/**
 * The packages that the app can sell, by offering: those with an active product of the app.
 * Products of the test store also need a price.
 *
 * Gap: the caller counts as a current SDK, so products for old versions only are left out.
 */
async function packagesFor({ tx, app }: SdkCall): Promise<Map<string, SdkPackage[]>> {
  const offered = tx.selectFrom("packages").selectAll().as("package");
  const products = tx.selectFrom("products").selectAll().as("product");
  const rows = await tx.selectFrom("package_products")
    .innerJoin(offered, "package.id", "package_products.package_id")
    .innerJoin(products, "product.id", "package_products.product_id")
    .select(["package.offering_id", "package.lookup_key", "product.store_identifier"])
    .where("package_products.app_id", "=", app.id)
    .where("eligibility_criteria", "in", ["all", "google_sdk_ge_6"])
    .where("product.state", "=", "active")
    .$if(app.type === "test_store", (query) => query.where("product.price_micros", "is not", null))
    .orderBy("package.position", (order) => order.asc().nullsLast())
    .orderBy("package.seq")
    .execute();
  const packages = new Map<string, SdkPackage[]>();
  for (const { offering_id, lookup_key, store_identifier } of rows) {
    const item = { identifier: lookup_key, ...nameOf(app.type, store_identifier) };
    packages.set(offering_id, [...packages.get(offering_id) ?? [], item]);
  }
  return packages;
}

/** The store identifier of a product, in the fields of a package. */
function nameOf(appType: string, identifier: string): Omit<SdkPackage, "identifier"> {
  const { product, plan } = splitIdentifier(appType, identifier);
  return {
    platform_product_identifier: product,
    ...plan !== undefined && { platform_product_plan_identifier: plan },
  };
}

/** The content of the paywalls, by offering: components, or the values of a template. */
async function paywallsOf(
  { tx }: SdkCall,
): Promise<Map<string, Pick<SdkOffering, "paywall" | "paywall_components">>> {
  const rows = await tx.selectFrom("paywalls").select(["offering_id", "content"])
    .where("content", "is not", null).execute();
  return new Map(rows.map(({ offering_id, content }) => {
    const value: Record<string, unknown> = JSON.parse(content ?? "{}");
    return [
      offering_id,
      "components_config" in value ? { paywall_components: value } : { paywall: value },
    ];
  }));
}
