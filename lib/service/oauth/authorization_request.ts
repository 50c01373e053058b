/**
 * Reads an authorization request: first whom to answer, then what is asked.
 *
 * @module
 */

import type { Tx } from "../store/mod.ts";
import { type Client, findClient } from "./clients.ts";
import { duplicatesIn, parametersOf } from "./form.ts";
import { matchesRedirect } from "./redirect.ts";
import { invalidRequest, OAuthRefusal, PageRefusal } from "./refusal.ts";
import { parseScope } from "./scope.ts";

/** The longest state of a client, in characters. It is stored until the form is answered. */
export const LONGEST_STATE = 2048;

/** Whom an answer may be sent to. */
export interface Target {
  /** The client. */
  client: Client;
  /** Its redirect URI, as asked for. */
  redirect_uri: string;
  /** The client's own value that comes back with the answer. */
  state: string | undefined;
}

/** What is asked for. */
export interface Asked {
  /** The permissions, space-separated. */
  scope: string;
  /** The PKCE challenge, method S256. */
  challenge: string;
}

/**
 * Finds out whom to answer.
 *
 * @throws {PageRefusal} when the client is unknown, or the redirect URI is not one of its own.
 */
export async function findTarget(tx: Tx, search: URLSearchParams): Promise<Target> {
  const twice = duplicatesIn(search);
  const given = parametersOf(search);
  const id = twice.has("client_id") ? undefined : given.optional("client_id");
  if (id === undefined) throw badLink("The client_id is missing or repeated.");
  const client = await findClient(tx, id);
  if (!client) throw badLink("No program with this client id is registered here:", id);
  const uri = twice.has("redirect_uri") ? undefined : given.optional("redirect_uri");
  if (uri === undefined) throw badLink("The redirect_uri is missing or repeated.");
  if (!matchesRedirect(client.redirect_uris, uri)) {
    throw badLink(`“${client.name}” has not registered this redirect address:`, uri);
  }
  const state = twice.has("state") ? undefined : given.optional("state");
  return { client, redirect_uri: uri, state };
}

function badLink(message: string, value?: string): PageRefusal {
  return new PageRefusal({ title: "This sign-in link is not valid", message, value });
}

/**
 * Reads what is asked for.
 *
 * @throws {OAuthRefusal} what the client is told.
 */
export function readAsked(search: URLSearchParams): Asked {
  if (duplicatesIn(search).size > 0) throw invalidRequest("A parameter is repeated");
  const given = parametersOf(search);
  if (given.optional("request")) throw new OAuthRefusal("request_not_supported", NO_OBJECTS);
  if (given.optional("request_uri")) {
    throw new OAuthRefusal("request_uri_not_supported", NO_OBJECTS);
  }
  const state = given.optional("state") ?? "";
  if (/\p{Cc}/u.test(state)) throw invalidRequest("The state has control characters");
  if (state.length > LONGEST_STATE) {
    throw invalidRequest(`The state has more than ${LONGEST_STATE} characters`);
  }
  if (given.required("response_type") !== "code") {
    throw new OAuthRefusal("unsupported_response_type", "The response_type must be code");
  }
  if ((given.optional("response_mode") ?? "query") !== "query") {
    throw invalidRequest("The response_mode must be query");
  }
  // Without a method RFC 7636 means plain, which is not accepted.
  if (given.required("code_challenge_method") !== "S256") {
    throw invalidRequest("The code_challenge_method must be S256");
  }
  const challenge = given.required("code_challenge");
  // 32 bytes in base64url: of the last character, only four bits count.
  if (!/^[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$/.test(challenge)) {
    throw invalidRequest("The code_challenge must be a SHA-256 in base64url without padding");
  }
  const scope = parseScope(given.optional("scope") ?? "");
  if (!scope) {
    throw new OAuthRefusal("invalid_scope", "The scope must be names of permissions");
  }
  return { scope: scope.join(" "), challenge };
}

const NO_OBJECTS = "Request objects are not supported";
