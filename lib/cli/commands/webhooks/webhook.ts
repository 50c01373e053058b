/**
 * What commands of one webhook have in common.
 *
 * @module
 */

import { ApiError } from "../../../errors.ts";
import type { Context } from "../../context.ts";
import { quoted } from "../../words/shell.ts";
import { sameFlags } from "../../local/simulator.ts";

/** The argument that names a webhook. */
export const WEBHOOK = "The webhook's id";

/** Throws an error on, and where a webhook is switched off says how to switch it on. */
export function refuseDisabled(
  error: unknown,
  webhook: string | undefined,
  context: Context,
): never {
  if (!(error instanceof ApiError) || error.status !== 422 || webhook === undefined) throw error;
  const hint = `Switch it on again: cli webhooks update ${quoted(webhook)} --url <url>` +
    sameFlags(context, undefined);
  throw new ApiError(error.message, { ...error, hint });
}
