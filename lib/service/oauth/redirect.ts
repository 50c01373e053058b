/**
 * Redirect URIs: which may be registered, and which of a request match one that is.
 *
 * @module
 */

/** A loopback address as RFC 8252 has it, its port, and the rest. `localhost` is not one. */
const LOOPBACK = /^http:\/\/(127\.0\.0\.1|\[::1\])(?::([1-9][0-9]{0,4}))?(\/.*)?$/;

/**
 * Whether a client may be sent back to this address. The text itself is compared, character by
 * character, so that nothing depends on how anybody reads an odd URL; only the port is free, and
 * only for a loopback address.
 */
export function matchesRedirect(registered: readonly string[], uri: string): boolean {
  return registered.includes(uri) || registered.some((known) => matchesLoopback(known, uri));
}

function matchesLoopback(known: string, uri: string): boolean {
  const [, knownHost, , knownRest] = LOOPBACK.exec(known) ?? [];
  const [, host, port, rest] = LOOPBACK.exec(uri) ?? [];
  return host !== undefined && host === knownHost && rest === knownRest &&
    Number(port ?? 80) <= 65_535;
}

/** Whether an address can be registered: complete, unambiguous, and safe to send a code to. */
export function isRegistrable(uri: string): boolean {
  // Gap: registration is not published. These are the rules of RFC 8252 and RFC 9700.
  if (!/^[\x21-\x7e]+$/.test(uri) || /[\\#*]/.test(uri) || !URL.canParse(uri)) return false;
  const { protocol, username, password, href } = new URL(uri);
  if (username !== "" || password !== "") return false;
  if (protocol === "https:") return href === uri;
  if (protocol === "http:") return LOOPBACK.test(uri);
  // An app's own scheme is a domain name in reverse, so it has a dot.
  return /^[a-z][a-z0-9+-]*(\.[a-z0-9+-]+)+:$/.test(protocol);
}

/** The address with an answer added to its query. */
export function withAnswer(uri: string, answer: Readonly<Record<string, string>>): string {
  return uri + (uri.includes("?") ? "&" : "?") + new URLSearchParams(answer).toString();
}
