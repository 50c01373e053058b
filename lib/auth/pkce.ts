/**
 * What makes a sign-in ours: PKCE, RFC 7636, and the random texts of a request.
 *
 * @module
 */

import { toBase64Url } from "../bytes.ts";

/** A secret and what the service is told of it before the secret itself. */
interface Pkce {
  /** The secret that redeems the code, 43 characters. */
  verifier: string;
  /** Its SHA-256 in base64url, by which the service knows it again. Method S256. */
  challenge: string;
}

/** Makes random bytes. */
type RandomBytes = (length: number) => Uint8Array<ArrayBuffer>;

/** Random bytes of the system. */
export function systemRandom(length: number): Uint8Array<ArrayBuffer> {
  return crypto.getRandomValues(new Uint8Array(length));
}

/** Makes up a verifier of 32 bytes, with its challenge. */
export async function createPkce(random: RandomBytes): Promise<Pkce> {
  const verifier = randomText(32, random);
  const hash = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(verifier));
  return { verifier, challenge: base64Url(new Uint8Array(hash)) };
}

/** Makes up a text of so many random bytes that fits into a URL as it is. */
export function randomText(bytes: number, random: RandomBytes): string {
  return base64Url(random(bytes));
}

function base64Url(bytes: Uint8Array<ArrayBuffer>): string {
  return toBase64Url(bytes);
}
