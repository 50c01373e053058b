/**
 * Sign-ins that are stored in files: that of a folder, and those of profiles.
 *
 * @module
 */

// What the files below load: see lib/cli/main.ts.
import "./access_token.ts";
import "../config/file_errors.ts";
import "../config/files.ts";
import "../config/json.ts";
import "../config/private_json.ts";
import "../config/read_bounded.ts";
import "../config/stored_token.ts";
import "../config/write_files.ts";
import "../file_mode.ts";
import "../file_reason.ts";
import "../json_text.ts";
import { admitFolder } from "../config/folders.ts";
import { readLocal } from "../config/local.ts";
import type { StoredToken } from "../config/stored_token.ts";
import { homeFile, mayAccess, type Surroundings } from "../config/surroundings.ts";
import { AuthError } from "../errors.ts";
import { shellWord } from "../config/shell_word.ts";
import type { Usable } from "./credential.ts";
import { preview } from "./preview.ts";
import { storedCredential } from "./renewal.ts";
import {
  activeProfile,
  DEFAULT_PROFILE,
  localPlace,
  missingProfile,
  profilePlace,
  readProfile,
  readProfileNames,
  type TokenPlace,
} from "./store.ts";

/** The error for a request without a sign-in. It lists the available ones. */
export async function missingCredential(around: Surroundings): Promise<AuthError> {
  const names = await readProfileNames(around);
  if (names.length > 0) {
    const list = names.map((name) => JSON.stringify(name)).join(", ");
    return new AuthError(`Cannot choose a sign-in: the profile "default" is not among ${list}`, {
      hint: `Choose one with: cli auth use ${shellWord(names[0] ?? "")}`,
    });
  }
  const path = homeFile(around, "config.json");
  const readable = path !== undefined && mayAccess("read", path);
  return new AuthError("Cannot send the request: nobody is signed in", {
    hint: readable
      ? "Run: cli auth login, or in CI set CLI_REFRESH_TOKEN"
      : "Set CLI_REFRESH_TOKEN, or let this program read the stored sign-in with: " +
        "--allow-env=CLI_*,HOME --allow-read --allow-write",
  });
}

/** A sign-in from a file. */
function stored(
  kind: "local" | "profile",
  place: TokenPlace,
  token: StoredToken,
): Usable {
  return {
    kind,
    source: place.path,
    baseUrl: token.base_url,
    clientId: token.client_id,
    expiresAtMs: token.expires_at_ms,
    scope: token.scope,
    signIn: place.signIn,
    preview: preview(token.access_token),
    scopeAt: () => Promise.resolve(token.scope),
    open: (endpoint) => storedCredential(place, token, endpoint),
  };
}

/** The sign-in in the local file, if there is one. */
export async function localCredential(around: Surroundings): Promise<Usable | undefined> {
  const local = await readLocal(around);
  if (!local?.profile) return undefined;
  const admit = (baseUrl: string) => admitFolder(around, local, baseUrl);
  return stored("local", { ...localPlace(local.path), admit }, local.profile);
}

/** The profile with a given name. */
export async function namedProfile(
  around: Surroundings,
  name: string,
  chosenBy: string,
): Promise<Usable> {
  const found = await profileOf(around, name, chosenBy);
  if (!found) throw missingProfile(name, await readProfileNames(around));
  return found;
}

/** The active profile. */
export async function standingProfile(around: Surroundings): Promise<Usable | undefined> {
  const active = await activeProfile(around);
  return active === undefined
    ? await profileOf(around, DEFAULT_PROFILE, "default")
    : await profileOf(around, active, "active");
}

/** The profile of a name, if there is one. */
async function profileOf(
  around: Surroundings,
  name: string,
  chosenBy: string,
): Promise<Usable | undefined> {
  const path = homeFile(around, "config.json");
  const token = await readProfile(around, name);
  if (path === undefined || !token) return undefined;
  return { ...stored("profile", profilePlace(path, name), token), name, chosenBy };
}
