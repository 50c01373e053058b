/**
 * Signing in with a refresh token from the environment, as CI systems do.
 *
 * A service that rotates replaces the token at its first use, but the environment keeps the old
 * one. So the replacement is stored in `~/.cli/ci`, in a file named by a hash of the given token
 * and the service's address. A machine without that file can use only tokens that do not rotate.
 *
 * @module
 */

import { dirname } from "../config/paths.ts";
import type { Credential } from "../client.ts";
import { toHex } from "../bytes.ts";
import { isFileError } from "../config/file_errors.ts";
import { makePrivateFolder } from "../config/files.ts";
import type { JsonObject } from "../config/json.ts";
import {
  type HeldFile,
  holdPrivateJson,
  readPrivateJson,
  removeOlderFiles,
} from "../config/private_json.ts";
import { optionalText } from "../config/stored_token.ts";
import { homeFile, mayAccess, setting, type Surroundings } from "../config/surroundings.ts";
import { AuthError, ConfigError } from "../errors.ts";
import { type AccessToken, isUsable, renewing } from "./renewal.ts";
import type { GrantedToken, TokenEndpoint, TokenRefusal } from "./token.ts";

/** A stored replacement is removed when it was not renewed for this long: 60 days. */
const LONGEST_UNUSED_MS = 60 * 86_400_000;

/** A refresh token from outside, not from a file. */
interface GivenToken {
  /** The token. */
  token: string;
  /** Its source, such as `CLI_REFRESH_TOKEN`. */
  source: string;
}

/** The stored data of a given token. */
interface Remembered extends AccessToken {
  /** The token that replaced the given one, if the service did so. */
  successor: string | undefined;
  /** The granted scopes, separated by spaces, if the service named them. */
  scope: string | undefined;
}

/** One use of a given token: the data for the functions below. */
interface Use extends TokenEndpoint, GivenToken {
  /** Where the data is stored. Undefined when the home folder is unknown. */
  path: string | undefined;
  /** The newest token, if it could not be stored, and the token in the file. */
  unstored: { newest: string; stored: string } | undefined;
  /** Whether the warning that nothing can be stored was shown. */
  told: boolean;
}

/**
 * The credential of a given refresh token. Without a writable home folder it works as long as the
 * service does not rotate; with a rotating token, it works until this process ends.
 *
 * The credential rejects with `AuthError` when the service refuses the token.
 */
export function environmentCredential(given: GivenToken, endpoint: TokenEndpoint): Credential {
  const use: Use = { ...endpoint, ...given, path: undefined, unstored: undefined, told: false };
  const { around, baseUrl } = endpoint;
  return renewing(around.now, undefined, async (refused) => {
    refuseOtherValue(given);
    use.path ??= await rememberedPath(around, use, baseUrl);
    return await renewed(use, refused);
  });
}

/** Refuses values that cannot be a refresh token, before anything is sent or written. */
function refuseOtherValue({ token, source }: GivenToken): void {
  const [, kind] = /^(atk|adm|whsec|sk)_/.exec(token) ?? [];
  const why = kind === "atk"
    ? "it holds an access token, not a refresh token"
    : kind !== undefined
    ? "it holds another kind of secret, not a refresh token"
    : /\s/.test(token)
    ? "it contains white space"
    : undefined;
  if (why === undefined) return;
  throw new AuthError(`Cannot sign in with ${source}: ${why}`, {
    hint:
      "Set it to a complete refresh token and nothing else; for a local service: cli service token",
  });
}

/** The scopes that a given token had at a service when last checked. It sends nothing. */
export async function rememberedScope(
  around: Surroundings,
  given: GivenToken,
  baseUrl: string,
): Promise<string | undefined> {
  const path = await rememberedPath(around, given, baseUrl);
  if (path === undefined) return undefined;
  const content = await readPrivateJson(path, around).catch((error: unknown) => {
    // An unusable file counts as missing.
    if (!isFileError(error)) throw error;
    return undefined;
  });
  return remembered(content, path)?.scope;
}

/** The storage place of a given token. */
async function rememberedPath(
  around: Surroundings,
  { token }: GivenToken,
  baseUrl: string,
): Promise<string | undefined> {
  const key = new TextEncoder().encode(`${token}\n${baseUrl}`);
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", key));
  return homeFile(around, "ci", `${toHex(hash)}.json`);
}

/** A usable access token: a stored one, or a new one that is then stored if possible. */
async function renewed(use: Use, refused: string | undefined): Promise<Remembered> {
  const { path, around } = use;
  if (path === undefined) return await renewedUnstored(use, "no home folder is known");
  const folder = dirname(dirname(path));
  const denied = (["read", "write"] as const).find((kind) => !mayAccess(kind, folder));
  if (denied) return await renewedUnstored(use, `this program may not ${denied} files in ~/.cli`);
  try {
    const known = remembered(await readPrivateJson(path, around), path);
    if (known && isUsable(known, refused, around.now())) return known;
    await makePrivateFolder(folder, around);
    return await holdPrivateJson(
      path,
      around,
      use.signal,
      (file) => renewedStored(use, path, file, refused),
    );
  } catch (error) {
    // It is from before the exchange: after that, an unwritable file causes only a warning.
    if (!(error instanceof ConfigError && isFileError(error))) throw error;
    return await renewedUnstored(use, error.message);
  }
}

/** Renews under the lock, from the file or with the service. */
async function renewedStored(
  use: Use,
  path: string,
  file: HeldFile,
  refused: string | undefined,
): Promise<Remembered> {
  const content = await file.read();
  const known = remembered(content, path);
  if (known && isUsable(known, refused, use.around.now())) return known;
  const stored = known?.successor ?? use.token;
  const fresh = await exchange(use, stored);
  const { access_token, expires_at_ms, successor, scope } = fresh;
  try {
    await file.write({ ...content, access_token, expires_at_ms, refresh_token: successor, scope });
    if (!content) await removeOlderFiles(path, LONGEST_UNUSED_MS).catch(() => {});
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    passOver(use, fresh, stored, error.message);
  }
  return fresh;
}

/** Renews with the service if nothing can be stored. */
async function renewedUnstored(use: Use, why: string): Promise<Remembered> {
  const fresh = await exchange(use, use.token);
  passOver(use, fresh, use.token, why);
  return fresh;
}

/**
 * Exchanges the newest token. If the service refuses a replacement, the given token is tried last:
 * it may no longer rotate.
 *
 * @param stored The newest token on the disk, or the given one.
 */
async function exchange(use: Use, stored: string): Promise<Remembered> {
  // Most commands find a token that is good for an hour.
  const { refreshToken } = await import("./token.ts");
  const newest = use.unstored?.stored === stored ? use.unstored.newest : stored;
  let refused: TokenRefusal | undefined;
  for (const token of new Set([newest, use.token])) {
    const answer = await refreshToken(use, token, undefined);
    if (answer.granted) return rememberable(answer.granted, token, use.token);
    refused ??= answer.refused;
    if (answer.refused.error !== "invalid_grant") break;
  }
  throw notAccepted(use, refused?.reason ?? "", newest !== use.token);
}

/** The data to store for a grant. `sent` is the given token or its replacement. */
function rememberable(granted: GrantedToken, sent: string, given: string): Remembered {
  const next = granted.refresh_token ?? sent;
  const { access_token, expires_at_ms, scope } = granted;
  return { access_token, expires_at_ms, successor: next === given ? undefined : next, scope };
}

/** Continues without storing a grant, and warns once about the consequence for the next run. */
function passOver(use: Use, fresh: Remembered, stored: string, why: string): void {
  use.unstored = { newest: fresh.successor ?? use.token, stored };
  if (use.told) return;
  const { around, source } = use;
  if (fresh.successor !== undefined) {
    use.told = true;
    around.warn(
      `The service has replaced ${source}, and the replacement cannot be stored (${why}). ` +
        "This run continues; the next one will be refused. Make ~/.cli writable, or use a " +
        "token that does not rotate: cli service token",
    );
  } else if (setting(around, "CLI_DEBUG") !== undefined) {
    use.told = true;
    around.warn(`Each run exchanges ${source} again: its access token cannot be stored (${why}).`);
  }
}

/** The error for a given token that the service refused. */
function notAccepted(use: Use, reason: string, hadSuccessor: boolean): AuthError {
  const message = `Cannot sign in with ${use.source}: the service refused it (${reason})`;
  if (hadSuccessor) {
    return new AuthError(`${message}, and its replacement`, {
      hint: "The sign-in has ended or was revoked. Set a new token; for a local service: cli " +
        "service token",
    });
  }
  return new AuthError(message, {
    hint: "It may be mistyped, from another service, or from a service that was reset. A " +
      "rotating token works on one machine only, as long as ~/.cli/ci keeps its replacement. " +
      "Set a new token; for a local service: cli service token",
  });
}

/** Reads the stored data. */
function remembered(content: JsonObject | undefined, path: string): Remembered | undefined {
  if (!content) return undefined;
  const place = { path, field: "", hint: `Remove ${path}.` };
  const expires = content.expires_at_ms;
  return {
    access_token: optionalText(content, "access_token", place) ?? "",
    expires_at_ms: typeof expires === "number" ? expires : 0,
    successor: optionalText(content, "refresh_token", place),
    scope: optionalText(content, "scope", place),
  };
}
