/**
 * Common schemas of answers, and the registry of those with a name in the OpenAPI document.
 *
 * @module
 */

import { z } from "zod";
import type { Page } from "../../page.ts";
import type { DeletedObject } from "../../resources/shared.ts";

/** Names and descriptions of schemas for the OpenAPI document. */
export const named = z.registry<
  { id?: string; description?: string; pattern?: string; format?: string }
>();

/** The most items on a page. */
export const LARGEST_PAGE = 100;

/** Gives a schema its name in the OpenAPI document. */
export function component<S extends z.ZodType>(id: string, schema: S): S {
  named.add(schema, { id });
  return schema;
}

/** Gives a schema a description in the OpenAPI document. */
export function described<S extends z.ZodType>(description: string, schema: S): S {
  named.add(schema, { description });
  return schema;
}

/** Gives a text a pattern in the OpenAPI document. The check itself is elsewhere. */
export function patterned<S extends z.ZodType>(
  rule: { pattern: string; format?: string; description?: string },
  schema: S,
): S {
  named.add(schema, rule);
  return schema;
}

/** Schema of a page of a list. */
export function pageOf<T>(item: z.ZodType<T>): z.ZodType<Page<T>> {
  return z.object({
    object: z.literal("list"),
    items: z.array(item),
    next_page: z.string().nullable(),
    url: z.string(),
  });
}

/** Schema of the answer to a deletion. */
export function deletedSchema(object: string): z.ZodType<DeletedObject> {
  return z.object({ object: z.literal(object), id: z.string(), deleted_at: millis });
}

/** Schema of a time in milliseconds since 1970. */
export const millis: z.ZodInt = z.int().min(0);

/**
 * Schema of the query of a paged list. Sizes above 100 count as 100.
 *
 * Gap: unknown parameters are ignored, since clients of the public API send some. The last of a
 * repeated parameter counts.
 */
export const pageQuery = z.object({
  limit: described(
    `Items per page. A larger number counts as ${LARGEST_PAGE}.`,
    countUpTo(LARGEST_PAGE).default(20),
  ),
  starting_after: described(
    "The id of the last item of the previous page, from next_page. An id that was never in the " +
      "list returns 400.",
    z.string().min(1, "must have 1 character or more").optional(),
  ),
});

/** Schema of a count in a query: 1 or more. A count above `most` counts as `most`. */
export function countUpTo(most: number): z.ZodType<number, string> {
  const rule = `must be a whole number from 1 to ${most}`;
  return z.string().regex(/^0*[1-9]\d{0,15}$/, rule)
    .refine((digits) => Number.isSafeInteger(Number(digits)), rule)
    .transform((digits) => Math.min(Number(digits), most)).pipe(z.int().min(1));
}
