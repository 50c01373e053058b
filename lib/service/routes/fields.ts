/**
 * Fields that several resources have.
 *
 * @module
 */

import { z } from "zod";

/** The name that code uses: 1 to 200 visible characters, without spaces and slashes. */
export const lookupKey: z.ZodString = z.string().min(1).max(200)
  // Gap: the character set is not published. A key must be able to stand in a path.
  .regex(/^(?!\.{1,2}$)[^\s/\p{C}]+$/u, "must be visible characters without spaces and slashes");

/** The name that people read. */
export const displayName: z.ZodString = z.string().min(1).max(1500);

/** Whether an object is in use or archived. */
export const state = z.enum(["active", "inactive"]);

/** 1 to 50 ids of products. */
export const productIds = z.strictObject({
  product_ids: z.array(z.string().min(1)).min(1).max(50),
});

/** Free JSON for the app: an object of at most 4,000 characters. */
export const metadata = z.record(z.string(), z.unknown())
  .refine((value) => JSON.stringify(value).length <= 4000, "must have at most 4000 characters")
  .nullable();
