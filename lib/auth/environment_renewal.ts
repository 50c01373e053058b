/**
 * New access tokens for a refresh token from the environment. A rotating service replaces the token
 * each time, so the newest one is stored before it is used.
 *
 * @module
 */

import { removeOlderFiles } from "../config/older_files.ts";
import { dirname } from "../config/paths.ts";
import { type HeldFile, holdPrivateJson } from "../config/private_json.ts";
import { setting } from "../config/surroundings.ts";
import { makePrivateFolder } from "../config/write_files.ts";
import { AuthError, ConfigError } from "../errors.ts";
import { isUsable } from "./access_token.ts";
import { type Remembered, remembered, type Use } from "./environment.ts";
import { type GrantedToken, refreshToken, type TokenRefusal } from "./token.ts";

/** A stored replacement is removed when it was not renewed for this long: 60 days. */
const LONGEST_UNUSED_MS = 60 * 86_400_000;

/** Renews under the lock, from the file or with the service, and stores the result. */
export async function renewStored(
  use: Use,
  path: string,
  refused: string | undefined,
): Promise<Remembered> {
  const { around, signal } = use;
  await makePrivateFolder(dirname(dirname(path)), around);
  return await holdPrivateJson(
    path,
    around,
    signal,
    async (file) => await renewHeld(use, path, file, refused),
  );
}

/** Does so while the lock is held. */
async function renewHeld(
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
export async function renewUnstored(use: Use, why: string): Promise<Remembered> {
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
