/**
 * A step that cannot be done, though its file is right.
 *
 * @module
 */

import { ToolkitError } from "../../errors.ts";

/** A step cannot be done: what it needs is not there when it runs. */
export class CannotDo extends ToolkitError {}

/** No connection to the webhook can be made. */
export class Unreached extends ToolkitError {}

/** A step needs a webhook, and there is none. */
export class NoWebhook extends ToolkitError {}

/** The error for a step that needs a webhook where there is none. */
export function noWebhook(): NoWebhook {
  return new NoWebhook("there is no webhook: pass --webhook URL, or set start.webhook");
}

/** The program under test answered a step otherwise than it must. */
export class WrongAnswer extends ToolkitError {}
