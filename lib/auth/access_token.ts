/**
 * Access tokens: how long one is used, and one renewal for all who need a new one.
 *
 * @module
 */

import type { Credential } from "../client.ts";

/** How long before its end a token is replaced, in milliseconds. */
const REFRESH_EARLY_MS = 60_000;

/** An access token and its end. */
export interface AccessToken {
  /** The token that requests carry. */
  access_token: string;
  /** When it ends, in milliseconds since 1970. */
  expires_at_ms: number;
}

/** Whether a token can be sent: it was not refused and does not end within the next minute. */
export function isUsable(token: AccessToken, refused: string | undefined, nowMs: number): boolean {
  return token.access_token !== refused && token.expires_at_ms - nowMs > REFRESH_EARLY_MS;
}

/**
 * Makes a credential from a way to renew. Callers that need a new token at the same time share one
 * renewal. A caller that comes later with an old refused token gets the renewed one.
 */
export function renewing(
  now: () => number,
  first: AccessToken | undefined,
  renew: (refused: string | undefined) => Promise<AccessToken>,
): Credential {
  let current = first;
  let running: Promise<AccessToken> | undefined;
  return async (refused) => {
    if (current && isUsable(current, refused, now())) return current.access_token;
    running ??= renew(refused).finally(() => running = undefined);
    current = await running;
    return current.access_token;
  };
}
