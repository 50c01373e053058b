/**
 * Signatures of deliveries, in two forms: that of the public API, and that of Standard Webhooks.
 *
 * @module
 */

import { createHmac, randomBytes } from "node:crypto";
import type { Row } from "../store/tables.ts";

/** The time that a replaced secret still signs: a day. */
export const OVERLAP_MS = 24 * 3_600_000;

/** Creates a secret of 192 bits in the form of Standard Webhooks: `whsec_` and base64. */
export function newSigningSecret(): string {
  return `whsec_${randomBytes(24).toString("base64")}`;
}

/** The current secrets, newest first: two for a day after a rotation. */
export function secretsAt(
  webhook: Pick<
    Row<"webhook_integrations">,
    "signing_secret" | "previous_secret" | "previous_secret_until"
  >,
  now: number,
): string[] {
  const { signing_secret, previous_secret, previous_secret_until } = webhook;
  const overlaps = previous_secret !== null && now < (previous_secret_until ?? 0);
  return overlaps ? [signing_secret, previous_secret] : [signing_secret];
}

/**
 * The headers that sign a body.
 *
 * Gap: one form uses the text of the secret as the key, the other its decoded base64, as their
 * receivers expect.
 */
export function signatureHeaders(
  secrets: readonly string[],
  message: { id: string; body: string; now: number },
): [name: string, value: string][] {
  const seconds = Math.floor(message.now / 1000);
  const hmac = (key: string | Buffer, text: string) =>
    createHmac("sha256", key).update(text, "utf8");
  const hex = secrets.map((secret) =>
    `v1=${hmac(secret, `${seconds}.${message.body}`).digest("hex")}`
  );
  const base64 = secrets.map((secret) => {
    const key = Buffer.from(secret.replace(/^whsec_/, ""), "base64");
    return `v1,${hmac(key, `${message.id}.${seconds}.${message.body}`).digest("base64")}`;
  });
  return [
    ["X-Webhook-Signature", `t=${seconds},${hex.join(",")}`],
    ["webhook-id", message.id],
    ["webhook-timestamp", String(seconds)],
    ["webhook-signature", base64.join(" ")],
  ];
}
