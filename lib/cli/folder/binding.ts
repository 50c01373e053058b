/**
 * Binds a folder to a project: `cli.toml` for everyone, `.cli/config.json` for this machine, and
 * `.cli/.gitignore`, which makes git ignore the second one. It writes all of them or none.
 *
 * @module
 */

import { dirname, join } from "node:path";
import { DEFAULT_BASE_URL, serviceAddress } from "../../address.ts";
import { formatCliToml } from "../../config/cli_toml.ts";
import { shellWord } from "../../config/shell_word.ts";
import { checkPrivateWrite, makePrivateFolder } from "../../config/write_files.ts";
import { rememberFolder } from "../../config/folders.ts";
import {
  isProfilesFile,
  LOCAL_FILE,
  profilesFileError,
  type TaggedApp,
  writeLocal,
} from "../../config/local.ts";
import { holdPrivateJson, readPrivateJson } from "../../config/private_json.ts";
import {
  checkFolderWrite,
  formerFile,
  refuseLink,
  replaceFile,
  restoreFile,
} from "../../config/public_text.ts";
import type { StoredToken } from "../../config/stored_token.ts";
import type { Surroundings } from "../../config/surroundings.ts";
import { ConfigError } from "../../errors.ts";
import { platform } from "../../platform/mod.ts";
import { type GitState, gitState, ignoresEverything, NO_GIT } from "./git.ts";

/** The binding of a folder. */
interface Binding {
  /** The folder. */
  folder: string;
  /** The project. */
  project_id: string;
  /** The tagged apps of the folder. */
  apps: readonly TaggedApp[];
  /** The folder's own sign-in. Without one, only `cli.toml` is written. */
  profile?: StoredToken | undefined;
  /** Whether to bind an existing `.cli/config.json` too, with its sign-in. */
  keepsLocal?: boolean | undefined;
}

/** A checked file. */
export interface BoundFile {
  /** The file. */
  path: string;
  /** The action on it. */
  action: "created" | "updated" | "unchanged";
}

/** The result of binding a folder. */
export interface BoundFolder {
  /** The files, in the order of writing. */
  files: readonly BoundFile[];
  /** Git's state of `.cli/config.json`. Undefined if it was not written. */
  git: GitState | undefined;
}

/** The allowed changes to a folder. */
interface BindingOptions {
  /** Whether to write `.cli/config.json`. */
  local: boolean;
  /** Whether to overwrite existing files. */
  force: boolean;
}

/**
 * Checks that a folder can be bound, before any question. It leaves nothing behind.
 *
 * @throws {ConfigError} when the folder or a file in it prevents it.
 */
export async function checkBindable(
  around: Surroundings,
  folder: string,
  options: BindingOptions,
): Promise<void> {
  const local = join(folder, LOCAL_FILE);
  await checkFolder(folder);
  await refuseLink(join(folder, "cli.toml"));
  if (options.local && await isProfilesFile(around, folder)) throw profilesFileError(folder);
  const present = [join(folder, "cli.toml"), ...options.local ? [local] : []]
    .filter((path) => platform.isThere(path));
  if (present.length > 0 && !options.force) {
    const names = present.map((path) => JSON.stringify(path)).join(" and ");
    throw new ConfigError(`Cannot bind the folder: ${names} would be overwritten`, {
      hint: "Pass --force to overwrite. Comments in cli.toml are kept.",
    });
  }
  await checkFolderWrite(folder);
  if (!options.local) return;
  await readPrivateJson(local, around);
  await checkPrivateWrite(local, around);
  await refuseTracked(local);
}

/** Refuses to write a sign-in to a file that git tracks, or may track. */
async function refuseTracked(local: string): Promise<void> {
  const { tracked, why } = await gitState(local);
  if (tracked === false) return;
  const path = JSON.stringify(local);
  if (tracked) {
    throw new ConfigError(`Cannot write a sign-in to ${path}: git tracks it`, {
      hint: `Remove it from the repository: git rm --cached ${shellWord(local)}`,
    });
  }
  throw new ConfigError(`Cannot write a sign-in to ${path}: git may track it, but ${why}`, {
    hint: `${
      why === NO_GIT
        ? "Install git"
        : `See why: git -C ${shellWord(dirname(dirname(local)))} status`
    }; or bind the folder without a sign-in: cli init --no-local-creds`,
  });
}

/**
 * Binds a folder. If a write fails, earlier writes are undone.
 *
 * @throws {ConfigError} when a file cannot be written.
 */
export async function bindFolder(around: Surroundings, binding: Binding): Promise<BoundFolder> {
  const undo: (() => Promise<void>)[] = [];
  const files: BoundFile[] = [];
  try {
    // The order matters if the process is killed: git ignores a sign-in before it is written.
    const holdsSignIn = binding.profile !== undefined || binding.keepsLocal === true;
    const git = holdsSignIn ? await ignoreLocal(around, binding.folder, files, undo) : undefined;
    if (holdsSignIn) await bindLocal(around, binding, files, undo);
    await bindToml(binding, files, undo);
    return { files, git };
  } catch (error) {
    for (const takeBack of undo.reverse()) await takeBack();
    throw error;
  }
}

async function checkFolder(folder: string): Promise<void> {
  const info = await platform.stat(folder).catch(() => undefined);
  if (info?.isDirectory) return;
  const why = info ? "it is not a folder" : "there is no such folder";
  throw new ConfigError(`Cannot bind ${JSON.stringify(folder)}: ${why}`, {
    hint: "Pass an existing folder: cli init --path DIR",
  });
}

/**
 * Makes git ignore the local file with a `.gitignore` beside it, which overrides patterns further
 * up. So it also works in a repository created later, and changes no file of the user.
 */
async function ignoreLocal(
  around: Surroundings,
  folder: string,
  files: BoundFile[],
  undo: (() => Promise<void>)[],
): Promise<GitState> {
  const local = join(folder, LOCAL_FILE);
  const own = dirname(local);
  const isNew = !platform.isThere(own);
  await makePrivateFolder(own, around);
  if (isNew) undo.push(() => platform.remove(own, { recursive: true }).catch(() => {}));
  const path = join(own, ".gitignore");
  // Like git, this follows no link with this name.
  if (platform.os !== "windows") await removeLink(path);
  await change(path, files, undo, ignoringAll);
  const state = await gitState(local);
  if (state.repository === undefined || state.ignored) return state;
  throw new ConfigError(`Cannot make git ignore ${JSON.stringify(local)}`, {
    hint:
      `See why: git check-ignore -v ${shellWord(local)}; or bind the folder without a sign-in: ` +
      "cli init --no-local-creds",
  });
}

async function removeLink(path: string): Promise<void> {
  const info = await platform.lstat(path).catch(() => undefined);
  if (info?.isSymlink) await platform.remove(path);
}

/** A `.gitignore` that ignores everything beside it. Its existing bytes stay. */
function ignoringAll(present: Uint8Array): Uint8Array {
  const text = new TextDecoder().decode(present);
  if (ignoresEverything(text)) return present;
  const end = text.includes("\r\n") ? "\r\n" : "\n";
  const open = text === "" || text.endsWith("\n") ? "" : end;
  return new Uint8Array([...present, ...new TextEncoder().encode(`${open}*${end}`)]);
}

/** Writes the local file with the folder's sign-in. */
async function bindLocal(
  around: Surroundings,
  { folder, project_id, apps, profile }: Binding,
  files: BoundFile[],
  undo: (() => Promise<void>)[],
): Promise<void> {
  const path = join(folder, LOCAL_FILE);
  const former = await readPrivateJson(path, around);
  undo.push(async () => {
    if (!former) return await platform.remove(path).catch(() => {});
    await holdPrivateJson(path, around, undefined, (file) => file.write(former)).catch(() => {});
  });
  const own = profile && { profile, id: crypto.randomUUID() };
  await writeLocal(around, folder, { project_id, apps, ...own });
  if (own) {
    const base_url = serviceAddress(own.profile.base_url ?? DEFAULT_BASE_URL);
    await rememberFolder(around, { id: own.id, folder, base_url });
  }
  files.push({ path, action: former ? "updated" : "created" });
}

/** Writes `cli.toml`. */
async function bindToml(
  { folder, project_id, apps }: Binding,
  files: BoundFile[],
  undo: (() => Promise<void>)[],
): Promise<void> {
  await change(join(folder, "cli.toml"), files, undo, async (bytes, isNew) => {
    const text = new TextDecoder().decode(bytes);
    const edited = await formatCliToml(isNew ? undefined : text, { project_id, apps });
    return edited === text ? bytes : new TextEncoder().encode(edited);
  });
}

/** Changes the bytes of a file. An edit without a change writes nothing. */
async function change(
  path: string,
  files: BoundFile[],
  undo: (() => Promise<void>)[],
  edit: (bytes: Uint8Array, isNew: boolean) => Uint8Array | Promise<Uint8Array>,
): Promise<void> {
  const former = await formerFile(path);
  const { bytes = new Uint8Array() } = former;
  const edited = await edit(bytes, former.bytes === undefined);
  if (former.bytes && edited === former.bytes) {
    files.push({ path, action: "unchanged" });
    return;
  }
  undo.push(() => restoreFile(former));
  await replaceFile(former, edited);
  files.push({ path, action: former.bytes ? "updated" : "created" });
}
