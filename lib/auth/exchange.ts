/**
 * Making a second sign-in out of a live one, without a browser: RFC 8693.
 *
 * @module
 */

import type { StoredToken } from "../config/stored_token.ts";
import { AuthError } from "../errors.ts";
import { clientIdFor, requestToken, type TokenAnswer, type TokenEndpoint } from "./token.ts";

const GRANT_TYPE = "urn:ietf:params:oauth:grant-type:token-exchange";
const ACCESS_TOKEN = "urn:ietf:params:oauth:token-type:access_token";

/** The service does not know how to make a second sign-in. It takes a browser, then. */
export class ExchangeUnsupported extends AuthError {}

/** What a second sign-in is made of. */
interface ExchangeSubject {
  /** A live access token. */
  accessToken: string;
  /** The OAuth client that it was issued to. Default: the one that signs in. */
  clientId?: string | undefined;
}

/**
 * Makes a sign-in of its own for the account of an access token. The two do not share tokens, so
 * neither one's refresh ends the other.
 *
 * @throws {ExchangeUnsupported} when the service has no such thing.
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

/** The answer in the form in which a sign-in is kept. */
function storedToken(
  { granted, refused }: TokenAnswer,
  issuer: { client_id: string; base_url: string },
): StoredToken {
  if (refused) {
    // Gap: the published service exchanges nothing. Servers without it say so in either way.
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
