/**
 * Ending a sign-in at the service that issued it: RFC 7009.
 *
 * @module
 */

import type { StoredToken } from "../config/stored_token.ts";
import { AuthError } from "../errors.ts";
import { ownRefusal, unreachable, unreadable } from "../retry.ts";
import { clientIdFor, refusalIn, sendForm, type TokenEndpoint } from "./token.ts";

/** Safe to repeat: revoking a revoked token is not an error. */
const TRIES = 2;

/**
 * Revokes a sign-in: none of its tokens works any more. A stored copy stays.
 *
 * @throws {AuthError} when the service refuses.
 * @throws {NetworkError} when the service does not answer, or another server does.
 */
export async function revokeToken(endpoint: TokenEndpoint, token: StoredToken): Promise<void> {
  const { request, outcome } = await sendForm(endpoint, "/oauth2/revoke", {
    // The refresh token represents the whole sign-in; an access token would end alone.
    token: token.refresh_token,
    token_type_hint: "refresh_token",
    client_id: token.client_id ?? clientIdFor(endpoint.around),
  }, TRIES);
  const { response } = outcome;
  if (!response) throw unreachable(outcome.error, request.url);
  const refused = refusalIn(outcome);
  if (refused) throw new AuthError(`Cannot revoke the sign-in: ${refused.reason}`);
  if (response.ok) return;
  throw ownRefusal(outcome, request) ?? unreadable(`status ${response.status}`, request.url);
}
