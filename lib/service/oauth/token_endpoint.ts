/**
 * The token and revocation endpoints: a form comes in, JSON goes out.
 *
 * @module
 */

import { Refusal } from "../contract/errors.ts";
import type { OpenRoute } from "../http/open_server.ts";
import type { Tx } from "../store/mod.ts";
import { findClient } from "./clients.ts";
import { redeemCode } from "./codes.ts";
import { EXCHANGE, exchangeToken } from "./token_exchange.ts";
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

/** The routes of tokens. */
export function tokenRoutes(parts: OAuthParts): OpenRoute[] {
  const method = "POST";
  const common = { method, greet: checkOrigin, refuse: refuseInJson };
  return [
    {
      ...common,
      path: "/oauth2/token",
      answer: ({ request }) => answerJson(request, () => giveTokens(parts, request)),
    },
    {
      ...common,
      path: "/oauth2/revoke",
      answer: ({ request }) => answerJson(request, () => revoke(parts, request)),
    },
  ];
}

/** Does what `POST /oauth2/token` asks for. */
async function giveTokens(parts: OAuthParts, request: Request): Promise<TokenAnswer> {
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
}

/** Does what `POST /oauth2/revoke` asks for. */
async function revoke(parts: OAuthParts, request: Request): Promise<undefined> {
  const form = await readForm(request);
  const token = form.required("token");
  const clientId = publicClientId(request, form);
  return await commit(parts, async (tx, span) => {
    const client = await findClient(tx, clientId);
    return client ? await revokeToken(tx, token, client.id, span) : { value: unknownClient() };
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

const HEADERS = { "Cache-Control": "no-store", Pragma: "no-cache" };

/** Turns an answer into a response; RFC 6749 §5.1. */
async function answerJson(
  request: Request,
  answer: () => Promise<object | undefined>,
): Promise<Response> {
  checkOrigin(request);
  const body = await answer();
  return body === undefined
    ? new Response(null, { headers: HEADERS })
    : Response.json(body, { headers: HEADERS });
}

/** Turns an error into a response; RFC 6749 §5.2. One that is nobody's fault is rethrown. */
function refuseInJson(error: unknown): Response {
  const refusal = error instanceof Refusal && error.status === 405
    ? new OAuthRefusal("invalid_request", error.message, {
      status: 405,
      headers: error.details.headers ?? {},
    })
    : error;
  if (!(refusal instanceof OAuthRefusal)) throw error;
  const { status, code: error_code, message: error_description } = refusal;
  const headers = { ...HEADERS, ...refusal.headers };
  return Response.json({ error: error_code, error_description }, { status, headers });
}

/** No page in a browser has business here: a request that names its origin comes from one. */
function checkOrigin(request: Request): void {
  if (request.headers.get("Origin") === null) return;
  throw new OAuthRefusal("invalid_request", "Web pages cannot call this endpoint", { status: 403 });
}
