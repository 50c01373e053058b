/**
 * Common fields of the simulator's routes.
 *
 * @module
 */

import { z } from "zod";
import { isDuration, parseDuration } from "../domain/calendar.ts";
import { CURRENCIES, decimalsOf } from "../domain/currencies.ts";
import { convert, LARGEST_PAYMENT_USD, payable, toMicros } from "../domain/money.ts";
import { invalid, Refusal } from "../contract/errors.ts";
import { isTooLong, LONGEST_CUSTOMER_ID } from "../records/find.ts";
import { BLOCKED_RULE, isNobody } from "../records/customers.ts";
import { text } from "../contract/fields.ts";

/** A duration of at least a day, the shortest of all stores. */
export const duration = z.string().refine(
  (text) => isDuration(text) && parseDuration(text).ms === 0,
  "must be an ISO 8601 duration in days, weeks, months or years, such as P1M or P2W",
);

/** A price in main units, such as 9.99. */
export const price = z.number().min(0).max(100_000_000);

/** A currency with a rate. */
export const currency = z.enum(CURRENCIES);

/** A country, ISO 3166-1 alpha-2. */
export const country = z.string().regex(/^[A-Z]{2}$/, "must be two upper-case letters");

/** A moment in milliseconds since 1970, up to the year 9999. */
export const moment = z.int().min(0).max(253_402_300_799_999);

/** The environment: production or sandbox. */
export const environment = z.enum(["production", "sandbox"]);

/** An id of a customer, as in SDKs: any text that is valid in a path and no placeholder. */
export const customerId = text(LONGEST_CUSTOMER_ID)
  .refine((id) => !isTooLong(id), `must have at most ${LONGEST_CUSTOMER_ID} bytes in UTF-8`)
  .refine((id) => !id.includes("/"), "must not contain a slash")
  .refine(
    (id) => id !== "." && id !== "..",
    "must not be . or .., which have a special meaning in paths",
  )
  .refine((id) => !isNobody(id), BLOCKED_RULE);

/**
 * The period of a sale: the requested one, or the product's own.
 *
 * @throws {Refusal} 400 if there is neither.
 */
export function termOf(product: { duration: string | null }, wanted: string | undefined): string {
  const term = wanted ?? product.duration;
  if (term !== null) return term;
  const message = "The product has no duration: send 'duration', such as P1M, or set one with " +
    "products/{id}/price";
  throw invalid("duration", message);
}

/** A price in micros. Refuses prices with too many decimals, and prices too high for exact sums. */
export function priceInMicros(units: number, code: string, quantity = 1): number {
  const micros = toMicros(units);
  if (payable(micros, code) !== micros) {
    const decimals = decimalsOf(code);
    const most = decimals === 0 ? "no decimals" : `at most ${decimals} decimals`;
    const message = `'price' must have ${most}, as all amounts in ${code}`;
    throw new Refusal(422, "parameter_error", message, { param: "price" });
  }
  if (convert(micros * quantity, code, "USD") <= toMicros(LARGEST_PAYMENT_USD)) return micros;
  const message = `'price' must not exceed ${LARGEST_PAYMENT_USD} US dollars`;
  throw new Refusal(422, "parameter_error", message, { param: "price" });
}
