/**
 * Making a second sign-in from a valid one, without a browser: RFC 8693.
 *
 * @module
 */

import type { StoredToken } from "../config/stored_token.ts";
import { AuthError } from "../errors.ts";
import { clientIdFor, requestToken, type TokenAnswer, type TokenEndpoint } from "./token.ts";

const GRANT_TYPE = "urn:ietf:params:oauth:grant-type:token-exchange";
const ACCESS_TOKEN = "urn:ietf:params:oauth:token-type:access_token";

/** The service cannot make a second sign-in, so a browser is needed. */
export class ExchangeUnsupported extends AuthError {}

/** The input for a second sign-in. */
interface ExchangeSubject {
  /** A valid access token. */
  accessToken: string;
  /** The OAuth client it was issued to. Default: the one that signs in. */
  clientId?: string | undefined;
}

/**
 * Makes a separate sign-in for the account of an access token. The two do not share tokens, so
 * refreshing either does not end the other.
 *
 * @throws {ExchangeUnsupported} when the service does not support it.
 * @throws {AuthError} when the service refuses.
 * @throws {NetworkError} when the service does not answer.
 */
export async function exchangeToken(
  endpoint: TokenEndpoint,
  subject: ExchangeSubject,
): Promise<StoredToken> {
  const client_id = subject.clientId ?? clientIdFor(endpoint.around);
  const answer = await requestToken(endpoint, {
    grant_type: GRANT_TYPE,
    subject_token: subject.accessToken,
    subject_token_type: ACCESS_TOKEN,
    client_id,
  });
  return storedToken(answer, { client_id, base_url: endpoint.baseUrl });
}

/** The answer in the stored form of a sign-in. */
function storedToken(
  { granted, refused }: TokenAnswer,
  issuer: { client_id: string; base_url: string },
): StoredToken {
  if (refused) {
    // Gap: the published service does not support token exchange. Such servers answer in either
    // way.
    const unknown = ["unsupported_grant_type", "unauthorized_client"].includes(refused.error);
    const Kind = unknown ? ExchangeUnsupported : AuthError;
    throw new Kind(`Cannot make a second sign-in from this one: ${refused.reason}`);
  }
  const { access_token, refresh_token, expires_at_ms, scope } = granted;
  if (refresh_token === undefined) {
    throw new ExchangeUnsupported(
      "Cannot make a second sign-in from this one: the service gave no refresh token",
    );
  }
  return { access_token, refresh_token, expires_at_ms, scope, ...issuer };
}
