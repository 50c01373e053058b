/**
 * The results of a command besides success and failure.
 *
 * @module
 */

import { ApiError, ToolkitError } from "../../errors.ts";

/** Part of the work was done and part was not. */
export class PartlyDone extends ToolkitError {}

/** A named object does not exist, as a list has shown. */
export class NotThere extends ToolkitError {}

/**
 * The service's refusal behind an error: the error itself, or the only cause of partly done work.
 */
export function refusalIn(error: unknown): ApiError | undefined {
  if (error instanceof ApiError) return error;
  const cause = error instanceof PartlyDone && error.hint === undefined ? error.cause : undefined;
  return cause instanceof ApiError ? cause : undefined;
}
