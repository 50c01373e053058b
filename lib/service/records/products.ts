/**
 * Products in the API.
 *
 * @module
 */

import { z } from "zod";
import type { Product } from "../../resources/products.ts";
import { state } from "../contract/fields.ts";
import { component, millis } from "../contract/schemas.ts";
import { appSchema } from "./app_types.ts";
import type { Row } from "../store/tables.ts";

/** The types of products. */
export const productType = z.enum([
  "subscription",
  "non_subscription",
  "one_time",
  "consumable",
  "non_consumable",
  "non_renewing_subscription",
]);

/** A product in an answer. */
export const productSchema: z.ZodType<Product> = component(
  "Product",
  z.object({
    object: z.literal("product"),
    id: z.string(),
    store_identifier: z.string(),
    type: productType,
    subscription: z.object({
      duration: z.string().nullable(),
      grace_period_duration: z.string().nullable(),
      trial_duration: z.string().nullable(),
    }).nullable(),
    one_time: z.object({ is_consumable: z.boolean().nullable() }).nullable(),
    created_at: millis,
    app_id: z.string(),
    display_name: z.string().nullable(),
    state,
    app: appSchema.exactOptional(),
  }),
);

/** A product in the API. */
export function showProduct(row: Row<"products">): Product {
  const isSubscription = row.type === "subscription";
  return {
    object: "product",
    id: row.id,
    store_identifier: row.store_identifier,
    type: row.type,
    subscription: isSubscription
      ? {
        duration: row.duration,
        grace_period_duration: row.grace_period_duration,
        trial_duration: row.trial_duration,
      }
      : null,
    one_time: isSubscription
      ? null
      : { is_consumable: row.is_consumable === null ? null : row.is_consumable === 1 },
    created_at: row.created_at,
    app_id: row.app_id,
    display_name: row.display_name,
    state: row.state,
  };
}
