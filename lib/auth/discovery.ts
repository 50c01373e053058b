/**
 * Checks that an address is the service's, before anyone is sent there, and reads the service's own
 * description.
 *
 * @module
 */

import { serviceAddress } from "../address.ts";
import type { JsonObject } from "../config/json.ts";
import { ConfigError } from "../errors.ts";
import { attemptOnce, ownRefusal, unreachable, unreadable } from "../retry.ts";
import { jsonObject, type TokenEndpoint } from "./token.ts";

/** The service's own description. */
export interface KnownService {
  /** Its version, if it returns one. */
  version: string | undefined;
  /** Whether it promises to name itself in each answer to a sign-in: RFC 9207. */
  namesItself: boolean;
}

/**
 * Checks that an address is the service's.
 *
 * @throws {ConfigError} when another server answers there.
 * @throws {NetworkError} when nothing answers, or not now.
 */
export async function recognizeService(endpoint: TokenEndpoint): Promise<KnownService> {
  const health = await look(endpoint, "/health");
  const ours = health.status === 200 && health.body?.status === "ok";
  const { version } = health.body ?? {};
  const metadata = await look(endpoint, "/.well-known/oauth-authorization-server");
  const described = metadata.status === 200 && typeof metadata.body?.token_endpoint === "string";
  // The published service has neither address, but requires a sign-in at the same addresses as
  // ours.
  if (!ours && !described && !await asksForSignIn(endpoint)) throw notTheService(endpoint.baseUrl);
  return {
    version: ours && typeof version === "string" ? version : undefined,
    namesItself: described &&
      metadata.body?.authorization_response_iss_parameter_supported === true,
  };
}

/** Whether a request without a sign-in is refused in the service's form. */
async function asksForSignIn(endpoint: TokenEndpoint): Promise<boolean> {
  if (withoutVersion(endpoint.baseUrl) !== undefined) return false;
  const { status, body } = await look(endpoint, "/v2/projects");
  return status === 401 && typeof body?.type === "string";
}

/** The content at an address of the service. */
async function look(
  { baseUrl, around, signal, userAgent, onExchange }: TokenEndpoint,
  place: string,
): Promise<{ status: number; body: JsonObject | undefined }> {
  const headers = new Headers({ Accept: "application/json" });
  if (userAgent !== undefined) headers.set("User-Agent", userAgent);
  const request = { url: `${serviceAddress(baseUrl)}${place}`, method: "GET", headers };
  const settings = {
    baseUrl,
    ...signal && { signal },
    ...around.fetch && { fetch: around.fetch },
    ...onExchange && { onExchange },
  };
  const outcome = await attemptOnce(settings, request, 1);
  const { response, text, error } = outcome;
  if (!response) throw unreachable(error, request.url);
  if (response.status >= 500 || response.status === 421) {
    throw ownRefusal(outcome, request) ?? unreadable(`status ${response.status}`, request.url);
  }
  return { status: response.status, body: jsonObject(text) };
}

/** The address without a version at its end: paths already contain it. */
function withoutVersion(baseUrl: string): string | undefined {
  const address = serviceAddress(baseUrl);
  return /\/v\d+$/.test(address) ? address.replace(/\/v\d+$/, "") : undefined;
}

/** The error for an address where another server answers. */
function notTheService(baseUrl: string): ConfigError {
  const better = withoutVersion(baseUrl);
  return new ConfigError(`Cannot use ${baseUrl}: the server there is not the service`, {
    hint: better === undefined
      ? "Check CLI_BASE_URL: it must be the service's address without a path of the API."
      : `Leave out the version: CLI_BASE_URL=${better}`,
  });
}
