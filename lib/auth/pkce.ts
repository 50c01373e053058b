/**
 * The secrets of a sign-in: PKCE, RFC 7636, and the random texts of a request.
 *
 * @module
 */

import { toBase64Url } from "../bytes.ts";

/** A secret, and its hash that the service gets first. */
interface Pkce {
  /** The secret that redeems the code, 43 characters. */
  verifier: string;
  /** Its SHA-256 in base64url, by which the service verifies it. Method S256. */
  challenge: string;
}

/** Makes random bytes. */
type RandomBytes = (length: number) => Uint8Array<ArrayBuffer>;

/** Random bytes of the system. */
export function systemRandom(length: number): Uint8Array<ArrayBuffer> {
  return crypto.getRandomValues(new Uint8Array(length));
}

/** Makes a random verifier of 32 bytes and its challenge. */
export async function createPkce(random: RandomBytes): Promise<Pkce> {
  const verifier = randomText(32, random);
  const hash = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(verifier));
  return { verifier, challenge: toBase64Url(new Uint8Array(hash)) };
}

/** Makes a URL-safe text of this many random bytes. */
export function randomText(bytes: number, random: RandomBytes): string {
  return toBase64Url(random(bytes));
}
