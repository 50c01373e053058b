/**
 * `~/.cli/folders.json`: the folders whose sign-in was made or trusted on this machine. A local
 * file from an archive or another machine is not listed, and its service may belong to anyone.
 *
 * @module
 */

import { AuthError, ConfigError } from "../errors.ts";
import { isJsonObject, type JsonObject } from "./json.ts";
import { type LocalFile, writeLocal } from "./local.ts";
import { dirname } from "./paths.ts";
import { holdPrivateJson, readPrivateJson } from "./private_json.ts";
import { homeFile, type Surroundings } from "./surroundings.ts";

/** The sign-in of a folder, as stored on this machine. */
interface FolderSignIn {
  /** The random id in the folder's local file. */
  id: string;
  /** The folder's path, for display. */
  folder: string;
  /** The service that it signs in to. */
  base_url: string;
}

/** The parts of a local file with a sign-in that matter here. */
type SigningIn = Pick<LocalFile, "id" | "path" | "profile">;

/** Whether the sign-in of a local file was made or trusted on this machine. */
export async function isKnownFolder(
  around: Surroundings,
  { id, profile }: SigningIn,
  baseUrl: string,
): Promise<boolean> {
  const path = homeFile(around, "folders.json");
  const content = id !== undefined && path && await readPrivateJson(path, around);
  if (!content || !profile) return false;
  const known = foldersIn(content)[id];
  return isJsonObject(known) && known.base_url === baseUrl;
}

/**
 * Stores the sign-in of a folder. An earlier one of the same folder is replaced.
 *
 * @throws {ConfigError} when the file cannot be written.
 */
export async function rememberFolder(around: Surroundings, known: FolderSignIn): Promise<void> {
  const path = homeFile(around, "folders.json");
  if (path === undefined) return;
  const { id, folder, base_url } = known;
  await holdPrivateJson(path, around, undefined, async (file) => {
    const content = await file.read() ?? {};
    const others = Object.entries(foldersIn(content))
      .filter(([, one]) => !(isJsonObject(one) && one.folder === folder));
    const folders = { ...Object.fromEntries(others), [id]: { folder, base_url } };
    await file.write({ ...content, folders });
  });
}

/**
 * Trusts the sign-in of a local file from now on. The file gets its own id, so that no other file
 * can share the trust.
 *
 * @throws {ConfigError} when a file cannot be written, or no home folder is known.
 */
export async function trustFolder(
  around: Surroundings,
  { path }: SigningIn,
  baseUrl: string,
): Promise<void> {
  requireHome(around, path);
  const folder = dirname(dirname(path));
  const id = crypto.randomUUID();
  await writeLocal(around, folder, { id });
  await rememberFolder(around, { id, folder, base_url: baseUrl });
}

/**
 * Refuses to trust a sign-in that could not be remembered.
 *
 * @throws {ConfigError} when no home folder is known.
 */
export function requireHome({ home }: Surroundings, path: string): void {
  if (home !== undefined) return;
  throw new ConfigError(
    `Cannot trust the sign-in in ${
      JSON.stringify(path)
    }: no home folder is known to remember it in`,
    { hint: "Set HOME (on Windows, USERPROFILE), or set CLI_REFRESH_TOKEN instead." },
  );
}

/**
 * Lets the sign-in of a local file be used: at once where it is known here, else after somebody has
 * said yes. The answer is remembered.
 *
 * @throws {AuthError} when there is nobody to ask.
 */
export async function admitFolder(
  around: Surroundings,
  local: SigningIn,
  baseUrl: string,
): Promise<void> {
  if (await isKnownFolder(around, local, baseUrl)) return;
  const folder = dirname(dirname(local.path));
  if (!around.confirmFolder) {
    throw new AuthError(
      `Cannot use the sign-in in ${JSON.stringify(local.path)}: it is from another machine, ` +
        `and its service is ${baseUrl}`,
      {
        hint: "If you trust that service, run in the folder: cli auth trust. Or set " +
          "CLI_REFRESH_TOKEN, or choose a stored sign-in with CLI_PROFILE",
      },
    );
  }
  await around.confirmFolder(folder, baseUrl);
  // Without a home folder nothing can be remembered: the answer holds for this command.
  if (around.home !== undefined) await trustFolder(around, local, baseUrl);
}

/** The folders in a file's content, by id. */
function foldersIn({ folders }: JsonObject): JsonObject {
  return isJsonObject(folders) ? folders : {};
}
