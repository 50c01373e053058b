/**
 * Keeping a sign-in valid. A stored one is refreshed under the lock of its file, and the new pair
 * is on the disk before it is used, so that any number of processes share one rotating token.
 *
 * @module
 */

import { DEFAULT_BASE_URL, serviceAddress } from "../address.ts";
import type { Credential } from "../client.ts";
import type { JsonObject } from "../config/json.ts";
import { type HeldFile, holdPrivateJson } from "../config/private_json.ts";
import type { StoredToken } from "../config/stored_token.ts";
import { AuthError, ConfigError } from "../errors.ts";
import { isUsable, renewing } from "./access_token.ts";
import { pause } from "../retry.ts";
import type { TokenPlace } from "./store.ts";
import type { TokenEndpoint } from "./token.ts";

/**
 * The credential of a stored sign-in. It is bound to the service that issued it: neither of its
 * tokens is sent anywhere else.
 *
 * The credential rejects with `AuthError` when the service ends the sign-in or another service is
 * configured, and with `ConfigError` when the new pair cannot be stored.
 */
export function storedCredential(
  place: TokenPlace,
  first: StoredToken,
  endpoint: TokenEndpoint,
): Credential {
  const { around, signal } = endpoint;
  const renew = async (refused: string | undefined) =>
    await holdPrivateJson(
      place.path,
      around,
      signal,
      (file) => renewed(file, place, endpoint, refused),
    );
  const credential = renewing(around.now, first, renew);
  if (typeof credential === "string") return credential;
  let admitted: Promise<void> | undefined;
  return async (refused) => {
    refuseOtherService(first, place, endpoint.baseUrl);
    await (admitted ??= place.admit?.(serviceAddress(first.base_url ?? DEFAULT_BASE_URL)));
    return await credential(refused);
  };
}

/** The usable sign-in: the one in the file if another process has renewed it, else a new one. */
async function renewed(
  file: HeldFile,
  place: TokenPlace,
  endpoint: TokenEndpoint,
  refused: string | undefined,
): Promise<StoredToken> {
  const content = await file.read();
  const stored = content && place.pick(content);
  if (!content || !stored) {
    throw new AuthError(`Cannot refresh ${place.label}: it was removed from ${place.path}`, {
      hint: `Sign in again with: ${place.signIn}`,
    });
  }
  refuseOtherService(stored, place, endpoint.baseUrl);
  if (isUsable(stored, refused, endpoint.around.now())) return stored;
  const { refreshToken } = await import("./token.ts");
  // A full disk or a read-only folder must show now: once the service has replaced the token, a
  // failed write loses the sign-in.
  await file.write(content);
  const answer = await refreshToken(endpoint, stored.refresh_token, stored.client_id);
  if (answer.refused) {
    throw new AuthError(`Cannot refresh ${place.label}: ${answer.refused.reason}`, {
      hint: `Sign in again with: ${place.signIn}`,
    });
  }
  const { access_token, expires_at_ms, refresh_token, scope } = answer.granted;
  const token: StoredToken = {
    ...stored,
    access_token,
    expires_at_ms,
    refresh_token: refresh_token ?? stored.refresh_token,
    scope: scope ?? stored.scope,
  };
  await keep(file, place, place.put(content, token), endpoint);
  return token;
}

/** Writes the new pair, and retries a failed write: the old pair is about to end. */
async function keep(
  file: HeldFile,
  place: TokenPlace,
  content: JsonObject,
  endpoint: TokenEndpoint,
): Promise<void> {
  for (let left = 2;; left--) {
    try {
      return await file.write(content);
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      if (left === 0) throw notKept(error, place);
      await (endpoint.around.pause ?? pause)(200, undefined);
    }
  }
}

/** The error for a new pair that could not be stored. */
function notKept(error: ConfigError, place: TokenPlace): ConfigError {
  const why = error.message.replace(/^C/, "c");
  return new ConfigError(
    `Cannot store ${place.label}, which the service has just renewed: ${why}`,
    {
      hint:
        `${error.hint ?? "Correct this."} The service accepts the old token for 30 seconds after ` +
        `the renewal: run the command again within that time, else sign in with: ${place.signIn}`,
      cause: error,
    },
  );
}

/** Refuses to send a sign-in to a service that did not issue it. */
function refuseOtherService(token: StoredToken, place: TokenPlace, baseUrl: string): void {
  const issuer = token.base_url ?? DEFAULT_BASE_URL;
  if (serviceAddress(issuer) === serviceAddress(baseUrl)) return;
  throw new AuthError(`Cannot use ${place.label} at ${baseUrl}: it was issued by ${issuer}`, {
    hint: `Unset CLI_BASE_URL to use ${issuer}, or sign in at ${baseUrl} with: ${place.signIn}`,
  });
}
