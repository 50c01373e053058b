/**
 * Offerings in the API.
 *
 * @module
 */

import { z } from "zod";
import type { Offering } from "../../resources/offerings.ts";
import { state } from "../contract/fields.ts";
import { component, millis, pageOf } from "../contract/schemas.ts";
import { packageSchema } from "./packages.ts";
import type { Row } from "../store/tables.ts";

/** An offering in an answer. */
export const offeringSchema: z.ZodType<Offering> = component(
  "Offering",
  z.object({
    object: z.literal("offering"),
    id: z.string(),
    lookup_key: z.string(),
    display_name: z.string(),
    is_current: z.boolean(),
    state,
    created_at: millis,
    project_id: z.string(),
    metadata: z.record(z.string(), z.unknown()).nullable(),
    packages: pageOf(packageSchema).exactOptional(),
  }),
);

/** An offering in the API. */
export function showOffering(
  project: Pick<Row<"projects">, "current_offering_id">,
  row: Row<"offerings">,
): Offering {
  return {
    object: "offering",
    id: row.id,
    lookup_key: row.lookup_key,
    display_name: row.display_name,
    is_current: project.current_offering_id === row.id,
    state: row.state,
    created_at: row.created_at,
    project_id: row.project_id,
    metadata: row.metadata === null ? null : JSON.parse(row.metadata),
  };
}
