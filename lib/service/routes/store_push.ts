/**
 * Pushing a product to its store. There is no real store: a push that a store would accept
 * succeeds.
 *
 * @module
 */

import { z } from "zod";
import type { PushedProduct, StorePush } from "../../resources/products.ts";
import { unprocessable } from "../contract/errors.ts";
import { findApp, findProduct } from "../records/find.ts";
import { type Call, route } from "../contract/route.ts";
import { text } from "../contract/fields.ts";

const storePush: z.ZodType<StorePush> = z.strictObject({
  store_information: z.strictObject({
    duration: z.enum([
      "ONE_WEEK",
      "ONE_MONTH",
      "TWO_MONTHS",
      "THREE_MONTHS",
      "SIX_MONTHS",
      "ONE_YEAR",
    ]),
    subscription_group_name: text(255),
    subscription_group_id: text(255).nullable().exactOptional(),
  }).exactOptional(),
});

const pushedProduct: z.ZodType<PushedProduct> = z.object({
  created_product: z.object({
    object: z.literal("store_product"),
    id: z.string(),
    name: z.string().nullable(),
    product_identifier: z.string(),
  }),
});

const pushContract = {
  summary: "Creates the product in its store (App Store only).",
  method: "POST",
  scope: "project_configuration:products:read_write",
  body: storePush,
  response: pushedProduct,
  status: 201,
  audit: (call: Pick<Call<"id">, "params">) => ({
    action_type: "product_pushed_to_store",
    target_type: "product",
    target_identifier: call.params.id,
  }),
} as const;

const pushProductToStore = route({
  ...pushContract,
  name: "pushProductToStore",
  path: "/products/{id}/actions/push_to_store",
}, push);

const createProductInStore = route({
  ...pushContract,
  name: "createProductInStore",
  alias: "pushProductToStore",
  path: "/products/{id}/create_in_store",
}, push);

/** The routes that push products. */
export const storePushRoutes = [pushProductToStore, createProductInStore];

/** Creates a product in its store. Only Apple's store allows that, and only with a key. */
async function push(call: Call<"id", unknown, StorePush>): Promise<PushedProduct> {
  const product = await findProduct(call, call.params.id);
  call.body();
  const app = await findApp(call, product.app_id);
  if (app.type !== "app_store") {
    throw unprocessable(`A product of a ${app.type} app cannot be pushed to its store`);
  }
  const secrets: Record<string, unknown> = JSON.parse(app.secrets);
  if (typeof secrets.app_store_connect_api_key !== "string") {
    const message = "The app has no App Store Connect API key; set app_store_connect_api_key first";
    // No store was involved and a retry would not help, so this is no store error.
    throw unprocessable(message);
  }
  return {
    created_product: {
      object: "store_product",
      id: storeId(product.id),
      name: product.display_name,
      product_identifier: product.store_identifier,
    },
  };
}

/** The id of a product in the simulated store: ten digits, always the same for a product. */
function storeId(productId: string): string {
  const digits = productId.replace(/\D/g, "");
  return `6${digits.padStart(9, "0").slice(-9)}`;
}
