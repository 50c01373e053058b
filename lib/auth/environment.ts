/**
 * Signing in with a refresh token from the environment, as CI systems do.
 *
 * A service that rotates replaces the token at its first use, but the environment keeps the old
 * one. So the replacement is stored in `~/.cli/ci`, in a file named by a hash of the given token
 * and the service's address. A machine without that file can use only tokens that do not rotate.
 *
 * @module
 */

// What the files below load: see lib/cli/main.ts.
import "../config/files.ts";
import "../config/json.ts";
import "../config/read_bounded.ts";
import "../file_mode.ts";
import "../file_reason.ts";
import "../json_text.ts";
import { dirname } from "../config/paths.ts";
import type { Credential } from "../client.ts";
import { toHex } from "../bytes.ts";
import { isFileError } from "../config/file_errors.ts";
import type { JsonObject } from "../config/json.ts";
import { readPrivateJson } from "../config/private_json.ts";
import { optionalText } from "../config/stored_token.ts";
import { homeFile, mayAccess, type Surroundings } from "../config/surroundings.ts";
import { AuthError, ConfigError } from "../errors.ts";
import { type AccessToken, isUsable, renewing } from "./access_token.ts";
import type { TokenEndpoint } from "./token.ts";

/** A refresh token from outside, not from a file. */
interface GivenToken {
  /** The token. */
  token: string;
  /** Its source, such as `CLI_REFRESH_TOKEN`. */
  source: string;
}

/** The stored data of a given token. */
export interface Remembered extends AccessToken {
  /** The token that replaced the given one, if the service did so. */
  successor: string | undefined;
  /** The granted scopes, separated by spaces, if the service named them. */
  scope: string | undefined;
}

/** One use of a given token: the data for the functions below. */
export interface Use extends TokenEndpoint, GivenToken {
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
  // Most commands find a token that is good for an hour, and need no code for a new one.
  const renewal = async () => await import("./environment_renewal.ts");
  const unstored = async (why: string) => await (await renewal()).renewUnstored(use, why);
  if (path === undefined) return await unstored("no home folder is known");
  const folder = dirname(dirname(path));
  const denied = (["read", "write"] as const).find((kind) => !mayAccess(kind, folder));
  if (denied) return await unstored(`this program may not ${denied} files in ~/.cli`);
  try {
    const known = remembered(await readPrivateJson(path, around), path);
    if (known && isUsable(known, refused, around.now())) return known;
    return await (await renewal()).renewStored(use, path, refused);
  } catch (error) {
    // It is from before the exchange: after that, an unwritable file causes only a warning.
    if (!(error instanceof ConfigError && isFileError(error))) throw error;
    return await unstored(error.message);
  }
}

/** Reads the stored data. */
export function remembered(content: JsonObject | undefined, path: string): Remembered | undefined {
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
