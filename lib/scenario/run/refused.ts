/**
 * Refusals of the service as values.
 *
 * @module
 */

import { ApiError } from "../../errors.ts";
import type { Refused } from "./stage.ts";

/** What the service said when it refused; undefined for an error of another kind. */
export function refusedBy(error: unknown): Refused | undefined {
  if (!(error instanceof ApiError) || error.status >= 500) return undefined;
  const { status, type, message, param } = error;
  return { status, type, message, param: param ?? null };
}
