/**
 * Signing in with a refresh token that the environment gives, as CI systems do.
 *
 * A service that rotates replaces the token at its first use, and the environment keeps the replaced
 * one. So what came of it is remembered in `~/.cli/ci`, in a file named by a hash of the given token
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
import { type GrantedToken, refreshToken, type TokenEndpoint, type TokenRefusal } from "./token.ts";

/** What is remembered of a token goes when it was not renewed for so long: 60 days. */
const LONGEST_UNUSED_MS = 60 * 86_400_000;

/** A refresh token that was given, not stored. */
interface GivenToken {
  /** The token. */
  token: string;
  /** Where it comes from, such as `CLI_REFRESH_TOKEN`. */
  source: string;
}

/** What is remembered of a given token. */
interface Remembered extends AccessToken {
  /** The token that the service put in the given one's place, if it did. */
  successor: string | undefined;
  /** The scopes granted, separated by spaces, where the service named them. */
  scope: string | undefined;
}

/** One use of a given token: everything that the functions below need. */
interface Use extends TokenEndpoint, GivenToken {
  /** Where it is remembered. Undefined when no home folder is known. */
  path: string | undefined;
  /** The newest token, where it could not be stored, and the one that the file holds instead. */
  unstored: { newest: string; stored: string } | undefined;
  /** Whether the person has been told that nothing can be stored. */
  told: boolean;
}

/**
 * The credential of a given refresh token. It works without a home folder or the permission to write
 * one as long as the service does not rotate; where it does, it works until this process ends.
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

/** Refuses what cannot be a refresh token, before anything is sent or written. */
function refuseOtherValue({ token, source }: GivenToken): void {
  const [, kind] = /^(atk|adm|whsec|sk)_/.exec(token) ?? [];
  const why = kind === "atk"
    ? "it holds an access token, not a refresh token"
    : kind !== undefined
    ? "it holds another kind of secret, not a refresh token"
    : /\s/.test(token)
    ? "it has white space in it, as no token has"
    : undefined;
  if (why === undefined) return;
  throw new AuthError(`Cannot sign in with ${source}: ${why}`, {
    hint: "Set it to a refresh token, whole and alone; for a local service: cli service token",
  });
}

/** The scopes that a given token was last found to have at a service. It sends nothing. */
export async function rememberedScope(
  around: Surroundings,
  given: GivenToken,
  baseUrl: string,
): Promise<string | undefined> {
  const path = await rememberedPath(around, given, baseUrl);
  if (path === undefined) return undefined;
  const content = await readPrivateJson(path, around).catch((error: unknown) => {
    // A memory that cannot be used is none.
    if (!isFileError(error)) throw error;
    return undefined;
  });
  return remembered(content, path)?.scope;
}

/** Where a given token is remembered. */
async function rememberedPath(
  around: Surroundings,
  { token }: GivenToken,
  baseUrl: string,
): Promise<string | undefined> {
  const key = new TextEncoder().encode(`${token}\n${baseUrl}`);
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", key));
  return homeFile(around, "ci", `${toHex(hash)}.json`);
}

/** A usable access token: a remembered one, or a new one that is then remembered if it can be. */
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
    // It comes from before the exchange: after that, a file that cannot be written only warns.
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

/** Renews with the service where nothing can be stored. */
async function renewedUnstored(use: Use, why: string): Promise<Remembered> {
  const fresh = await exchange(use, use.token);
  passOver(use, fresh, use.token, why);
  return fresh;
}

/**
 * Exchanges the newest token. Where the service refuses a successor, the given token has a last
 * chance: it may be one that does not rotate any more.
 *
 * @param stored The newest token on the disk, or the given one.
 */
async function exchange(use: Use, stored: string): Promise<Remembered> {
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

/** What to remember of a grant, got with `sent`, which is the given token or its successor. */
function rememberable(granted: GrantedToken, sent: string, given: string): Remembered {
  const next = granted.refresh_token ?? sent;
  const { access_token, expires_at_ms, scope } = granted;
  return { access_token, expires_at_ms, successor: next === given ? undefined : next, scope };
}

/** Goes on without storing a grant, and tells once what that means for the next run. */
function passOver(use: Use, fresh: Remembered, stored: string, why: string): void {
  use.unstored = { newest: fresh.successor ?? use.token, stored };
  if (use.told) return;
  const { around, source } = use;
  if (fresh.successor !== undefined) {
    use.told = true;
    around.warn(
      `The service has replaced ${source}, and what it gave in its place cannot be stored ` +
        `(${why}). This run goes on; the next one will be refused. Make ~/.cli writable, or use a ` +
        "token that is not replaced: cli service token",
    );
  } else if (setting(around, "CLI_DEBUG") !== undefined) {
    use.told = true;
    around.warn(`Each run exchanges ${source} anew: its access token cannot be stored (${why}).`);
  }
}

/** The error for a given token that the service refused. */
function notAccepted(use: Use, reason: string, hadSuccessor: boolean): AuthError {
  const message = `Cannot sign in with ${use.source}: the service refused it (${reason})`;
  if (hadSuccessor) {
    return new AuthError(`${message}, and the token that it gave in its place`, {
      hint:
        "The sign-in has ended or was revoked. Set a new token, such as one of: cli service token",
    });
  }
  return new AuthError(message, {
    hint:
      "It may be mistyped, from another service, or forgotten by one that was reset. A token that " +
      "rotates works on one machine only, while ~/.cli/ci keeps what replaced it. Set a new one; " +
      "for a local service: cli service token",
  });
}

/** Reads what is remembered. */
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
