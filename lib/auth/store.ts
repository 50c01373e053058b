/**
 * The file of profiles, `~/.cli/config.json`, and the mark of the active one, `~/.cli/active`.
 *
 * @module
 */

import { AuthError, ConfigError, UsageError } from "../errors.ts";
import { isFileError } from "../config/file_errors.ts";
import { shellWord } from "../config/shell_word.ts";
import { readLooseText } from "../config/files.ts";
import { isJsonObject, type JsonObject } from "../config/json.ts";
import { localToken } from "../config/local.ts";
import { dirname } from "../config/paths.ts";
import { holdPrivateJson, readPrivateJson } from "../config/private_json.ts";
import { checkedToken, type StoredToken, wrongValue } from "../config/stored_token.ts";
import { homeFile, type Surroundings } from "../config/surroundings.ts";
import {
  checkPrivateWrite,
  closeToOthers,
  removeFile,
  writePrivateText,
} from "../config/write_files.ts";

/** The profile that applies when no other is named. */
export const DEFAULT_PROFILE = "default";

/** A named sign-in. */
export interface Profile extends StoredToken {
  /** The name to choose it by. */
  name: string;
}

/** The storage place of a sign-in. */
export interface TokenPlace {
  /** The file. */
  path: string;
  /** The name of the sign-in in messages, such as `the sign-in of profile "work"`. */
  label: string;
  /** The command that replaces the sign-in. */
  signIn: string;
  /** Checks that a sign-in from here may be used at all, before its first use. */
  admit?: ((baseUrl: string) => Promise<void>) | undefined;
  /** Finds the sign-in in the file's content. */
  pick(content: JsonObject): StoredToken | undefined;
  /** The file's content with a new sign-in in this place. */
  put(content: JsonObject, token: StoredToken): JsonObject;
}

/**
 * All profiles, in the order of the file. None when there is no file or it may not be read.
 *
 * @throws {ConfigError} when the file is readable by others or malformed.
 */
export async function listProfiles(around: Surroundings): Promise<Profile[]> {
  const path = homeFile(around, "config.json");
  const content = path && await readPrivateJson(path, around);
  if (!path || !content) return [];
  return [...profilesIn(content, path)].map(([name, value]) => checkedProfile(value, name, path));
}

/**
 * One profile, or undefined when there is none of this name. Only its own fields are checked.
 *
 * @throws {ConfigError} when the file is readable by others, or the profile is malformed.
 */
export async function readProfile(
  around: Surroundings,
  name: string,
): Promise<Profile | undefined> {
  const path = homeFile(around, "config.json");
  const content = path && await readPrivateJson(path, around);
  const value = path && content && profilesIn(content, path).get(name);
  return path && value !== undefined ? checkedProfile(value, name, path) : undefined;
}

/**
 * Checks that a profile of this name can be stored, before the person signs in. It leaves nothing
 * behind.
 *
 * @throws {UsageError} when the name is invalid.
 * @throws {ConfigError} when the file cannot be written, or its content cannot be used.
 */
export async function checkStorable(around: Surroundings, name: string): Promise<void> {
  refuseUnusableName(name);
  const path = requiredHomeFile(around, "config.json");
  profilesIn(await readPrivateJson(path, around) ?? {}, path);
  await checkPrivateWrite(path, around);
}

/**
 * Stores a profile. A profile of the same name is replaced; unknown fields stay.
 *
 * @throws {UsageError} when the name is invalid.
 * @throws {ConfigError} when the file cannot be written.
 */
export async function saveProfile(around: Surroundings, profile: Profile): Promise<void> {
  refuseUnusableName(profile.name);
  const place = profilePlace(requiredHomeFile(around, "config.json"), profile.name);
  await holdPrivateJson(place.path, around, undefined, async (file) => {
    await file.write(place.put(await file.read() ?? {}, profile));
  });
}

/**
 * Removes a profile, even a malformed one, and the active mark if it names this profile. Returns
 * whether there was such a profile. The tokens stay valid until they are revoked.
 */
export async function removeProfile(around: Surroundings, name: string): Promise<boolean> {
  const path = requiredHomeFile(around, "config.json");
  if (await readPrivateJson(path, around) === undefined) return false;
  return await holdPrivateJson(path, around, undefined, async (file) => {
    const content = await file.read() ?? {};
    const profiles = profilesIn(content, path);
    const removed = profiles.delete(name);
    if (removed) await file.write({ ...content, profiles: Object.fromEntries(profiles) });
    if (await readActive(around) === name) await removeFile(requiredHomeFile(around, "active"));
    return removed;
  });
}

/**
 * Checks that profiles can be removed, by rewriting the file unchanged: a revoked sign-in that
 * stays stored would only fail.
 *
 * @throws {ConfigError} when the file cannot be written. It names the reason and the remedy.
 */
export async function checkRemovable(around: Surroundings): Promise<void> {
  const path = requiredHomeFile(around, "config.json");
  await holdPrivateJson(path, around, undefined, async (file) => {
    const content = await file.read();
    if (content) await file.write(content);
  });
}

/**
 * The name in the active mark, whether or not there is such a profile. The mark is not secret, so
 * others may read it, and any other content is not a profile's name.
 */
export async function readActive(around: Surroundings): Promise<string | undefined> {
  const path = homeFile(around, "active");
  return path && (await readLooseText(path))?.trim() || undefined;
}

/**
 * Makes a profile the active one.
 *
 * @throws {AuthError} when there is no such profile. It lists the existing ones.
 */
export async function setActive(around: Surroundings, name: string): Promise<void> {
  const path = requiredHomeFile(around, "config.json");
  await holdPrivateJson(path, around, undefined, async (file) => {
    const names = [...profilesIn(await file.read() ?? {}, path).keys()];
    if (!names.includes(name)) throw missingProfile(name, names);
    const mark = requiredHomeFile(around, "active");
    await closeToOthers(mark, around);
    await writePrivateText(mark, `${name}\n`, around);
  });
}

/**
 * The name of the active profile, if it is stored. A mark of a removed profile is removed with a
 * warning, so that a later profile of that name is not active by surprise.
 */
export async function activeProfile(around: Surroundings): Promise<string | undefined> {
  const name = await readActive(around);
  const names = await readProfileNames(around);
  if (name === undefined || names.includes(name)) return name;
  const applying = names.includes(DEFAULT_PROFILE)
    ? `"${DEFAULT_PROFILE}" applies`
    : "no profile is active now";
  const shown = JSON.stringify(name.length > 64 ? `${name.slice(0, 64)}…` : name);
  around.warn(`The active profile ${shown} does not exist; ${applying}.`);
  try {
    const path = requiredHomeFile(around, "config.json");
    await holdPrivateJson(path, around, undefined, async (file) => {
      const stored = profilesIn(await file.read() ?? {}, path).has(name);
      if (!stored && await readActive(around) === name) {
        await removeFile(requiredHomeFile(around, "active"));
      }
    });
  } catch (error) {
    // If nothing can be written, the mark is ignored each time.
    if (!isFileError(error)) throw error;
  }
  return undefined;
}

/** The names of all profiles, in the order of the file, including malformed ones. */
export async function readProfileNames(around: Surroundings): Promise<string[]> {
  const path = homeFile(around, "config.json");
  const content = path && await readPrivateJson(path, around);
  return path && content ? [...profilesIn(content, path).keys()] : [];
}

/** The error for a named profile that does not exist. */
export function missingProfile(name: string, names: readonly string[]): AuthError {
  const list = names.map((one) => JSON.stringify(one)).join(", ");
  const there = names.length === 0 ? "none is stored" : `stored are ${list}`;
  return new AuthError(`Cannot use the profile ${JSON.stringify(name)}: ${there}`, {
    hint: names.length === 0
      ? `Sign in with: ${signInCommand(name)}`
      : `Choose a stored profile, or sign in with: ${signInCommand(name)}`,
  });
}

/** The storage place of a profile. */
export function profilePlace(path: string, name: string): TokenPlace {
  return {
    path,
    label: `the sign-in of profile ${JSON.stringify(name)}`,
    signIn: signInCommand(name),
    pick: (content) => {
      const value = profilesIn(content, path).get(name);
      return value === undefined ? undefined : checkedProfile(value, name, path);
    },
    put: (content, token) => {
      const profiles = profilesIn(content, path);
      const before = profiles.get(name);
      profiles.set(name, { ...isJsonObject(before) ? before : {}, ...token, name });
      return { ...content, profiles: Object.fromEntries(profiles) };
    },
  };
}

/** The storage place of a local file's own sign-in. */
export function localPlace(path: string): TokenPlace {
  return {
    path,
    label: `the sign-in of ${JSON.stringify(path)}`,
    signIn: `cli init --force --path ${shellWord(dirname(dirname(path)))}`,
    pick: (content) => localToken(content, path),
    put: (content, token) => ({
      ...content,
      profile: { ...isJsonObject(content.profile) ? content.profile : {}, ...token },
    }),
  };
}

/** The command that signs in under a name. */
function signInCommand(name: string): string {
  return name === DEFAULT_PROFILE ? "cli auth login" : `cli auth login --name ${shellWord(name)}`;
}

/** The profiles in a file's content, unchecked. */
function profilesIn(content: JsonObject, path: string): Map<string, unknown> {
  const { profiles } = content;
  if (profiles === undefined || profiles === null) return new Map();
  if (isJsonObject(profiles)) return new Map(Object.entries(profiles));
  throw wrongValue({ path, field: "profiles" }, "must be an object");
}

/** Checks one profile. Its key in the file is its name. */
function checkedProfile(value: unknown, name: string, path: string): Profile {
  const hint = `Correct ${path}, or sign in again with: ${signInCommand(name)}`;
  const field = `profiles[${JSON.stringify(name)}]`;
  return { name, ...checkedToken(value, { path, field, hint }) };
}

/** Refuses a name that would break the active mark or a line of output. */
function refuseUnusableName(name: string): void {
  // Gap: the specification does not define valid profile names.
  if (/^[^\s\p{C}](?:[^\p{C}]{0,62}[^\s\p{C}])?$/u.test(name)) return;
  throw new UsageError(`Cannot use ${JSON.stringify(name)} as the name of a profile`, {
    hint: "Use 1 to 64 characters on one line, without a space at either end.",
  });
}

/** A path in `~/.cli`, for writing. */
function requiredHomeFile(around: Surroundings, name: string): string {
  const path = homeFile(around, name);
  if (path !== undefined) return path;
  throw new ConfigError(`Cannot find ~/.cli/${name}: no home folder is known`, {
    hint: "Set HOME, and in a script allow reading it with: --allow-env=CLI_*,HOME",
  });
}
