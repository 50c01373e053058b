/**
 * Hashes that only the holder of a key can make.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import { createHmac } from "node:crypto";

/** The HMAC-SHA256 of a text, in base64url, with a key in the same form. */
export function keyedHash(key: string, text: string): string {
  return createHmac("sha256", Buffer.from(key, "base64url")).update(text).digest("base64url");
}
