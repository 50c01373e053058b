/**
 * Common fields of subscriptions, purchases and invoices.
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

/** The environment: production or sandbox. */
export const environment = z.enum(["production", "sandbox"]);

/** The store. */
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

/** The ownership: bought, or shared by a family member. */
export const ownership = z.enum(["purchased", "family_shared"]);
