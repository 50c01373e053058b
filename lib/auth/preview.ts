/**
 * Tokens as they are shown.
 *
 * @module
 */

/** The first and last four characters of a token. A short one is not shown at all. */
export function preview(token: string): string {
  return token.length < 16 ? "[hidden]" : `${token.slice(0, 4)}…${token.slice(-4)}`;
}
