/**
 * Token exchange, RFC 8693: a second sign-in from a live one, without a browser.
 *
 * @module
 */

import type { Tx } from "../store/mod.ts";
import type { Parameters } from "./form.ts";
import { invalidRequest, OAuthRefusal, type Outcome } from "./refusal.ts";
import { isWithin, parseScope } from "./scope.ts";
import { findAccessToken, type Span, startGrant, type TokenPair } from "./tokens.ts";

/** The name of this grant type. */
export const EXCHANGE = "urn:ietf:params:oauth:grant-type:token-exchange";

const ACCESS_TOKEN = "urn:ietf:params:oauth:token-type:access_token";
const REFRESH_TOKEN = "urn:ietf:params:oauth:token-type:refresh_token";

/** What an exchange is answered. */
interface ExchangeAnswer extends TokenPair {
  /** What `access_token` is. */
  issued_token_type: typeof ACCESS_TOKEN;
}

/**
 * Makes a grant of its own for the account and client of an access token, with at most its scope.
 * A program that keeps credentials in two places uses it, so that neither place's rotation ends the
 * other's tokens.
 */
export async function exchangeToken(
  tx: Tx,
  form: Parameters,
  client_id: string,
  span: Span,
): Promise<Outcome<ExchangeAnswer>> {
  checkKind(form);
  const live = await findAccessToken(tx, form.required("subject_token"), span.now);
  if (!live) return { value: invalidRequest("The subject token is not an active access token") };
  if (live.actor.client_id !== client_id) {
    return { value: invalidRequest("The subject token was issued to another client") };
  }
  const scope = form.optional("scope") ?? live.actor.scope;
  if (!isWithin(live.actor.scope, scope)) {
    const message = "The scope is unknown or exceeds the scope of the subject token";
    return { value: new OAuthRefusal("invalid_scope", message) };
  }
  // Gap: the new grant stands on its own. It outlives the one it came from, as two sign-ins would.
  const { account_id } = live.actor;
  const names = parseScope(scope) ?? [];
  const grant = { account_id, client_id, scope: names.join(" "), rotates: true };
  const { pair } = await startGrant(tx, grant, span);
  return { value: { ...pair, issued_token_type: ACCESS_TOKEN } };
}

/** Refuses what this service does not exchange. */
function checkKind(form: Parameters): void {
  if (form.required("subject_token_type") !== ACCESS_TOKEN) {
    throw invalidRequest(`The subject_token_type must be ${ACCESS_TOKEN}`);
  }
  // The answer holds both tokens, so either type may be asked for.
  const asked = form.optional("requested_token_type") ?? ACCESS_TOKEN;
  if (asked !== ACCESS_TOKEN && asked !== REFRESH_TOKEN) {
    throw invalidRequest(`The requested_token_type must be ${ACCESS_TOKEN}`);
  }
  if (form.optional("actor_token") || form.optional("actor_token_type")) {
    throw invalidRequest("An actor token is not supported");
  }
  if (form.optional("audience") || form.optional("resource")) {
    throw new OAuthRefusal("invalid_target", "Tokens for part of the service are not supported");
  }
}
