/**
 * Fields that subscriptions, purchases and invoices have in common.
 *
 * @module
 */

import { z } from "zod";
import type { MonetaryAmount } from "../../resources/money.ts";
import { component } from "./schemas.ts";

/** An amount of money in an answer. */
export const amountSchema: z.ZodType<MonetaryAmount> = component(
  "MonetaryAmount",
  z.object({
    currency: z.string(),
    gross: z.number(),
    commission: z.number(),
    tax: z.number(),
    proceeds: z.number(),
  }),
);

/** Whether money is real. */
export const environment = z.enum(["production", "sandbox"]);

/** Where something was bought. */
export const store = z.enum([
  "amazon",
  "app_store",
  "mac_app_store",
  "play_store",
  "promotional",
  "stripe",
  "svc_billing",
  "rc_billing",
  "roku",
  "paddle",
  "test_store",
]);

/** How someone came to own what was bought. */
export const ownership = z.enum(["purchased", "family_shared"]);
