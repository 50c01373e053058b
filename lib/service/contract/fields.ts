/**
 * Fields of several resources.
 *
 * @module
 */

import { z } from "zod";

/** Text of `least` to `most` Unicode characters. */
export function text(most: number, least = 1): z.ZodString {
  const message = least === most
    ? `must have exactly ${most} characters`
    : `must have ${least} to ${most} characters`;
  // Zod's own limits count an emoji as two characters; the OpenAPI document counts it as one.
  const check = z.check<string>(({ value, issues }) => {
    const length = countCharacters(value, most);
    if (length >= least && length <= most) return;
    issues.push({ code: "custom", input: value, message, continue: false });
  });
  check._zod.onattach.push((schema) =>
    void Object.assign(schema._zod.bag, { minimum: least, maximum: most })
  );
  return z.string().check(check);
}

/** A whole number from `least` to `most`. */
export function wholeNumber(least: number, most: number): z.ZodInt {
  const message = `must be a whole number from ${least} to ${most}`;
  return z.int(message).min(least, message).max(most, message);
}

/** A list of 1 to `most` items. */
export function listOf<T extends z.ZodType>(item: T, most: number): z.ZodArray<T> {
  const message = `must have 1 to ${most} items`;
  return z.array(item).min(1, message).max(most, message);
}

/** The id of another object, in a body. */
export const objectId: z.ZodString = text(255);

/** The name for code: 1 to 200 visible characters, without spaces and slashes. */
export const lookupKey: z.ZodString = text(200)
  // Gap: the character set is not published. A key must be valid in a path.
  .regex(/^[^\s/\p{C}]+$/u, "must contain printable characters only, without spaces or slashes")
  .regex(/^(?!\.{1,2}$)/, "must not be . or .., which have a special meaning in paths");

/** For the schema of an update: distinguishes a read-only field from an unknown one. */
export function unchangeable(...names: string[]): { error: z.core.$ZodErrorMap } {
  return {
    error: (issue) =>
      issue.code === "unrecognized_keys" && names.includes(String(issue.keys[0]))
        ? "cannot be changed"
        : undefined,
  };
}

/** The name for people. */
export const displayName: z.ZodString = text(1500);

/** Whether an object is in use or archived. */
export const state = z.enum(["active", "inactive"]);

/** 1 to 50 ids of products. */
export const productIds = z.strictObject({ product_ids: listOf(objectId, 50) });

const LONGEST_METADATA = 4000;

/** Free JSON for the app: an object of at most 4,000 characters. */
export const metadata = z.record(z.string(), z.unknown())
  .refine(
    (value) => countCharacters(JSON.stringify(value), LONGEST_METADATA) <= LONGEST_METADATA,
    `must have at most ${LONGEST_METADATA} characters as JSON`,
  )
  .nullable();

/** The number of characters of a text. Counting stops above the limit. */
function countCharacters(text: string, most: number): number {
  // A character has one or two of the units that `length` counts.
  return text.length > 2 * most ? text.length : [...text].length;
}
