/**
 * What this authorization server can do: RFC 8414.
 *
 * @module
 */

import { ALL_SCOPES, SCOPES } from "../contract/scopes.ts";
import { issuerOf, type OAuthParts } from "./parts.ts";
import { GRANT_TYPE_NAMES } from "./token_endpoint.ts";

/** Where the document is. */
export const METADATA_PATH = "/.well-known/oauth-authorization-server";

/** Answers `GET /.well-known/oauth-authorization-server`. */
export function answerMetadata(parts: OAuthParts, request: Request): Response {
  const issuer = issuerOf(parts, request);
  return Response.json({
    issuer,
    authorization_endpoint: `${issuer}/oauth2/authorize`,
    token_endpoint: `${issuer}/oauth2/token`,
    revocation_endpoint: `${issuer}/oauth2/revoke`,
    scopes_supported: [ALL_SCOPES, ...SCOPES],
    response_types_supported: ["code"],
    response_modes_supported: ["query"],
    grant_types_supported: GRANT_TYPE_NAMES,
    token_endpoint_auth_methods_supported: ["none"],
    revocation_endpoint_auth_methods_supported: ["none"],
    code_challenge_methods_supported: ["S256"],
    authorization_response_iss_parameter_supported: true,
  }, { headers: { "Cache-Control": "no-store" } });
}
