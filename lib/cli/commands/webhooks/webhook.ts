/**
 * The common parts of commands for one webhook.
 *
 * @module
 */

import { ApiError } from "../../../errors.ts";
import type { Context } from "../../context.ts";
import { quoted } from "../../screen/command_lines.ts";
import { sameFlags } from "../../local/simulator.ts";

/** The argument that names a webhook. */
export const WEBHOOK = "The webhook's id";

/** Rethrows an error, with a hint if the webhook is disabled. */
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
