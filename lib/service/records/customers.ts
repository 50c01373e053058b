/**
 * Customers in the API, and the ids that are refused.
 *
 * @module
 */

import { z } from "zod";
import type { ActiveEntitlement, Customer } from "../../resources/customers.ts";
import type { Call } from "../contract/route.ts";
import { component, millis, pageOf } from "../contract/schemas.ts";
import { activeListing } from "./holdings.ts";
import { nestedPage } from "./lists.ts";
import { attributeSchema } from "./attributes.ts";
import type { Row } from "../store/tables.ts";

/** An active entitlement in an answer. */
export const activeEntitlementSchema: z.ZodType<ActiveEntitlement> = component(
  "ActiveEntitlement",
  z.object({
    object: z.literal("customer.active_entitlement"),
    entitlement_id: z.string(),
    expires_at: millis.nullable(),
  }),
);

/** A customer in an answer. */
export const customerSchema: z.ZodType<Customer> = component(
  "Customer",
  z.object({
    object: z.literal("customer"),
    id: z.string(),
    project_id: z.string(),
    first_seen_at: millis,
    last_seen_at: millis.nullable(),
    last_seen_app_version: z.string().nullable(),
    last_seen_country: z.string().nullable(),
    last_seen_platform: z.string().nullable(),
    last_seen_platform_version: z.string().nullable(),
    active_entitlements: pageOf(activeEntitlementSchema).exactOptional(),
    experiment: z.null().exactOptional(),
    attributes: pageOf(attributeSchema).exactOptional(),
  }),
);

/** Placeholders that programs send by mistake as an id. Gap: exactly these, in this case. */
const BLOCKED_IDS: ReadonlySet<string> = new Set([
  ...["no_user", "null", "none", "nil", "(null)", "NaN", "unidentified", "undefined", "unknown"],
  ...["anonymous", "guest", "-1", "0", "[]", "{}", "[object Object]"],
]);

/** Whether an id is refused: a placeholder, or one without visible characters. */
export function isNobody(id: string): boolean {
  return BLOCKED_IDS.has(id) || id.trim() === "";
}

/** The message for a refused id. */
export const BLOCKED_RULE = "is a placeholder, not a customer id";

/** The columns of a customer that a list shows, besides the id and the project. */
export const SHOWN_OF_CUSTOMER = [
  "first_seen_at",
  "last_seen_at",
  "last_seen_app_version",
  "last_seen_country",
  "last_seen_platform",
  "last_seen_platform_version",
] as const;

/** A customer in a list. */
export function showCustomer(
  row: Pick<Row<"customers">, "id" | typeof SHOWN_OF_CUSTOMER[number]>,
  projectId: string,
): Customer {
  return {
    object: "customer",
    id: row.id,
    project_id: projectId,
    first_seen_at: row.first_seen_at,
    last_seen_at: row.last_seen_at,
    last_seen_app_version: row.last_seen_app_version,
    last_seen_country: row.last_seen_country,
    last_seen_platform: row.last_seen_platform,
    last_seen_platform_version: row.last_seen_platform_version,
  };
}

/** A customer with its active entitlements, as a single object. */
export async function showCustomerWithAccess(
  call: Pick<Call, "tx" | "project" | "now">,
  row: Row<"customers">,
): Promise<Customer> {
  const id = encodeURIComponent(row.id);
  const path = `/v2/projects/${call.project.id}/customers/${id}/active_entitlements`;
  const active_entitlements = await nestedPage(activeListing(call, row.id), path);
  // The service has no experiments.
  return { ...showCustomer(row, row.project_id), active_entitlements, experiment: null };
}
