/**
 * `.cli/config.json`: binds a folder and the folders below it to a project and, optionally, to a
 * sign-in.
 *
 * @module
 */

import { join } from "./paths.ts";
import { ConfigError } from "../errors.ts";
import { platform } from "../platform/mod.ts";
import { findUpward } from "./files.ts";
import { isJsonObject, type JsonObject } from "./json.ts";
import { holdPrivateJson, readPrivateJson } from "./private_json.ts";
import {
  checkedToken,
  optionalText,
  requiredText,
  type StoredToken,
  wrongValue,
} from "./stored_token.ts";
import { homeFile, type Surroundings } from "./surroundings.ts";

/** The local file's path below the bound folder. */
export const LOCAL_FILE = join(".cli", "config.json");

/** A tagged app of the project. */
export interface TaggedApp {
  /** The app's id. */
  id: string;
  /** The app's name when it was tagged, for display. */
  name?: string | undefined;
}

/** The content of a local file. A field that is undefined is removed, an omitted field stays. */
interface LocalContent {
  /** A random text that identifies the folder's sign-in in `~/.cli/folders.json`. */
  id?: string | undefined;
  /** The project that the folder belongs to. */
  project_id?: string | undefined;
  /** The tagged apps of the folder. */
  apps?: readonly TaggedApp[] | undefined;
  /**
   * The folder's own sign-in.
   *
   * Gap: the specification does not define the owner of these tokens. They are a separate grant,
   * from a token exchange or a sign-in for this folder, and never a copy of a profile's: the
   * service revokes the whole family when a replaced refresh token is used again, so two copies
   * would end each other. Without this field the folder uses the active profile.
   */
  profile?: StoredToken | undefined;
}

/** A local file that was found. */
export interface LocalFile extends LocalContent {
  /** Its path. */
  path: string;
}

/**
 * The local file of the working folder: the nearest one above. The file of profiles in the home
 * folder has the same name and does not count.
 *
 * @throws {ConfigError} when it is readable by others or malformed.
 */
export async function readLocal(around: Surroundings): Promise<LocalFile | undefined> {
  const path = await findUpward(around, LOCAL_FILE, homeFile(around, "config.json"));
  const content = path && await readPrivateJson(path, around);
  return path && content ? checkedLocal(path, content) : undefined;
}

/**
 * Writes a local file and its folder. Other content of the file stays.
 *
 * @param folder The folder to bind.
 * @throws {ConfigError} when it cannot be written, or would be the file of profiles.
 */
export async function writeLocal(
  around: Surroundings,
  folder: string,
  content: LocalContent,
): Promise<LocalFile> {
  const path = join(folder, LOCAL_FILE);
  if (await isProfilesFile(around, folder)) throw profilesFileError(folder);
  return await holdPrivateJson(path, around, undefined, async (file) => {
    const written = { ...await file.read(), ...content };
    await file.write(written);
    return checkedLocal(path, written);
  });
}

/** The error for a folder whose local file would be the file of profiles. */
export function profilesFileError(folder: string): ConfigError {
  const path = join(folder, LOCAL_FILE);
  return new ConfigError(
    `Cannot bind the folder ${JSON.stringify(folder)}: ${path} is the file of profiles`,
    { hint: "Bind a folder below it, or write only cli.toml with: cli init --no-local-creds" },
  );
}

/** Whether a folder's local file would be the file of profiles, under any name. */
export async function isProfilesFile(around: Surroundings, folder: string): Promise<boolean> {
  if (around.home === undefined) return false;
  const real = (path: string) => platform.realPath(path).catch(() => path);
  return await real(folder) === await real(around.home);
}

/** The sign-in in a local file's content, checked. */
export function localToken(content: JsonObject, path: string): StoredToken | undefined {
  const { profile } = content;
  if (profile === undefined || profile === null) return undefined;
  return checkedToken(profile, { path, field: "profile" });
}

/** Checks the content of a local file. */
function checkedLocal(path: string, content: JsonObject): LocalFile {
  return {
    path,
    id: optionalText(content, "id", { path, field: "" }),
    project_id: optionalText(content, "project_id", { path, field: "" }),
    apps: checkedApps(content.apps, path),
    profile: localToken(content, path),
  };
}

/**
 * Checks a list of tagged apps in a file.
 *
 * @throws {ConfigError} when an entry is not an app.
 */
export function checkedApps(value: unknown, path: string): TaggedApp[] | undefined {
  if (value === undefined || value === null) return undefined;
  if (!Array.isArray(value)) throw wrongValue({ path, field: "apps" }, "must be a list");
  return value.map((app: unknown, i) => {
    const place = { path, field: `apps[${i}]` };
    if (!isJsonObject(app)) throw wrongValue(place, "must have an id");
    return { id: requiredText(app, "id", place), name: optionalText(app, "name", place) };
  });
}
