/**
 * The keys of signatures.
 *
 * @module
 */

import { randomBytes } from "node:crypto";

/** Makes up a secret of 192 bits, in the form of the Standard Webhooks: `whsec_` and base64. */
export function newSigningSecret(): string {
  return `whsec_${randomBytes(24).toString("base64")}`;
}
