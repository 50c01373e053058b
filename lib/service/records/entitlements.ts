/**
 * Entitlements in the API.
 *
 * @module
 */

import { z } from "zod";
import type { Entitlement } from "../../resources/entitlements.ts";
import { state } from "../contract/fields.ts";
import { component, millis, pageOf } from "../contract/schemas.ts";
import { productSchema } from "./products.ts";
import type { Row } from "../store/tables.ts";

/** An entitlement in an answer. */
export const entitlementSchema: z.ZodType<Entitlement> = component(
  "Entitlement",
  z.object({
    object: z.literal("entitlement"),
    project_id: z.string(),
    id: z.string(),
    lookup_key: z.string(),
    display_name: z.string(),
    created_at: millis,
    state,
    products: pageOf(productSchema).exactOptional(),
  }),
);

/** An entitlement in the API. */
export function showEntitlement(row: Row<"entitlements">): Entitlement {
  return {
    object: "entitlement",
    project_id: row.project_id,
    id: row.id,
    lookup_key: row.lookup_key,
    display_name: row.display_name,
    created_at: row.created_at,
    state: row.state,
  };
}
