/**
 * The token and revocation endpoints: a form comes in, JSON goes out.
 *
 * @module
 */

import type { Tx } from "../store/mod.ts";
import { findClient } from "./clients.ts";
import { redeemCode } from "./codes.ts";
import { EXCHANGE, exchangeToken } from "./exchange.ts";
import { type Parameters, readForm } from "./form.ts";
import { commit, type OAuthParts } from "./parts.ts";
import { OAuthRefusal, type Outcome } from "./refusal.ts";
import { refreshTokens } from "./refresh.ts";
import { revokeToken } from "./revoke.ts";
import type { Span, TokenAnswer } from "./tokens.ts";

/** What a grant type does with a request. */
type GrantType = (
  tx: Tx,
  form: Parameters,
  client_id: string,
  span: Span,
) => Promise<Outcome<TokenAnswer>>;

const GRANT_TYPES: ReadonlyMap<string, GrantType> = new Map<string, GrantType>([
  ["authorization_code", redeemCode],
  ["refresh_token", refreshFromForm],
  [EXCHANGE, exchangeToken],
]);

/** The names of the grant types. */
export const GRANT_TYPE_NAMES: readonly string[] = [...GRANT_TYPES.keys()];

/** Answers `POST /oauth2/token`. */
export async function answerToken(parts: OAuthParts, request: Request): Promise<Response> {
  return await answerJson(request, async () => {
    const form = await readForm(request);
    const name = form.required("grant_type");
    const grantType = GRANT_TYPES.get(name);
    if (!grantType) {
      const message = `The grant type must be one of ${GRANT_TYPE_NAMES.join(", ")}`;
      throw new OAuthRefusal("unsupported_grant_type", message);
    }
    const clientId = publicClientId(request, form);
    return await commit(parts, async (tx, span) => {
      const client = await findClient(tx, clientId);
      return client ? await grantType(tx, form, client.id, span) : { value: unknownClient() };
    });
  });
}

/** Answers `POST /oauth2/revoke`. */
export async function answerRevoke(parts: OAuthParts, request: Request): Promise<Response> {
  return await answerJson(request, async () => {
    const form = await readForm(request);
    const token = form.required("token");
    const clientId = publicClientId(request, form);
    return await commit(parts, async (tx, span) => {
      const client = await findClient(tx, clientId);
      return client ? await revokeToken(tx, token, client.id, span) : { value: unknownClient() };
    });
  });
}

function refreshFromForm(
  tx: Tx,
  form: Parameters,
  client_id: string,
  span: Span,
): Promise<Outcome<TokenAnswer>> {
  const token = form.required("refresh_token");
  return refreshTokens(tx, { token, client_id, scope: form.optional("scope") }, span);
}

/** The client's id. Public clients have no secret, so one that sends a secret is not one of ours. */
function publicClientId(request: Request, form: Parameters): string {
  const message = "Clients of this service are public: send client_id without a secret";
  if (request.headers.has("Authorization")) {
    const headers = { "WWW-Authenticate": 'Basic realm="oauth2"' };
    throw new OAuthRefusal("invalid_client", message, { headers });
  }
  for (const name of ["client_secret", "client_assertion", "client_assertion_type"]) {
    if (form.optional(name) !== undefined) throw new OAuthRefusal("invalid_client", message);
  }
  return form.required("client_id");
}

function unknownClient(): OAuthRefusal {
  return new OAuthRefusal("invalid_client", "The client is unknown");
}

/** Turns an answer or a refusal into a response; RFC 6749 §5.1 and §5.2. */
async function answerJson(
  request: Request,
  answer: () => Promise<object | undefined>,
): Promise<Response> {
  const headers = new Headers({ "Cache-Control": "no-store", Pragma: "no-cache" });
  try {
    checkOrigin(request);
    const body = await answer();
    if (body === undefined) return new Response(null, { status: 200, headers });
    headers.set("Content-Type", "application/json");
    return new Response(JSON.stringify(body), { status: 200, headers });
  } catch (error) {
    if (!(error instanceof OAuthRefusal)) throw error;
    headers.set("Content-Type", "application/json");
    for (const [name, value] of Object.entries(error.headers)) headers.set(name, value);
    const body = { error: error.code, error_description: error.message };
    return new Response(JSON.stringify(body), { status: error.status, headers });
  }
}

/** No page in a browser has business here: a request that names its origin comes from one. */
function checkOrigin(request: Request): void {
  if (request.headers.get("Origin") === null) return;
  throw new OAuthRefusal("invalid_request", "Web pages cannot call this endpoint", { status: 403 });
}
