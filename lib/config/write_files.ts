/**
 * Writing settings files. A private file is closed to others from its first byte on, and it is
 * replaced completely or not at all.
 *
 * @module
 */

import { ConfigError } from "../errors.ts";
import { codeOf } from "../file_reason.ts";
import { platform } from "../platform/mod.ts";
import { NotPermitted } from "../platform/types.ts";
import { fileError, isMissing } from "./file_errors.ts";
import { fileInfo, refuseExposed } from "./files.ts";
import { basename, dirname, join } from "./paths.ts";
import { hasModes, mayAccess, type Surroundings } from "./surroundings.ts";

/** Closes a file to other users, if it is a file and that is possible. */
export async function closeToOthers(path: string, around: Surroundings): Promise<void> {
  const info = hasModes(around) ? await fileInfo(path) : undefined;
  if (info?.isFile) await platform.chmod(path, 0o600).catch(() => {});
}

/**
 * Replaces a private file: a reader sees the old text or the new one, and after a crash one of the
 * two exists. The caller holds the file's lock, so temporary files beside it are leftovers of a
 * dead process, and are removed.
 *
 * @throws {ConfigError} when it cannot be written, or the existing file is readable by others.
 */
export async function writePrivateText(
  path: string,
  text: string,
  around: Surroundings,
): Promise<void> {
  await makePrivateFolder(dirname(path), around);
  const present = hasModes(around) ? await fileInfo(path) : undefined;
  if (present) refuseExposed(path, present, "file", around);
  try {
    await removeLeftovers(path);
    const { replaceFile } = await import("./durable_file.ts");
    await replaceFile(path, text);
  } catch (error) {
    throw fileError("write", path, error);
  }
}

/**
 * Checks that a private file can be written, by writing beside it. It leaves nothing behind.
 *
 * @throws {ConfigError} when it cannot be written. It names the reason and the remedy.
 */
export async function checkPrivateWrite(path: string, around: Surroundings): Promise<void> {
  const folder = dirname(path);
  const isNew = await fileInfo(folder) === undefined;
  await makePrivateFolder(folder, around);
  const [{ temporaryName }, { writeNewFile }] = await Promise.all([
    import("../temporary_name.ts"),
    import("./durable_file.ts"),
  ]);
  const temporary = temporaryName(path);
  try {
    await writeNewFile(temporary, "{}\n");
  } catch (error) {
    throw fileError("write", path, error);
  } finally {
    await platform.remove(temporary).catch(() => {});
    // Another process may use it already; then it stays.
    if (isNew) await platform.remove(folder).catch(() => {});
  }
}

/** Removes a file. A missing file counts as removed. */
export async function removeFile(path: string): Promise<void> {
  try {
    await platform.remove(path);
  } catch (error) {
    if (!isMissing(error)) throw fileError("remove", path, error);
  }
}

/**
 * Makes a folder that only its owner may enter. Its parent must exist.
 *
 * @throws {ConfigError} when it cannot be made, the existing one is open to others, or the
 * surroundings are read-only.
 */
export async function makePrivateFolder(path: string, around: Surroundings): Promise<void> {
  if (around.readOnly) throw new ConfigError(`Cannot write to ${path}: it may only be read`);
  if (!mayAccess("write", path)) throw fileError("write", path, new NotPermitted());
  try {
    await platform.makeFolder(path, 0o700);
  } catch (error) {
    if (codeOf(error) !== "EEXIST") throw fileError("create", path, error);
    const info = hasModes(around) ? await fileInfo(path) : undefined;
    if (info) refuseExposed(path, info, "folder", around);
  }
}

/** Removes the leftovers of a process that died while writing this file. */
async function removeLeftovers(path: string): Promise<void> {
  const folder = dirname(path);
  if (!mayAccess("read", folder)) return;
  for (const name of await platform.names(folder)) {
    if (!name.startsWith(`${basename(path)}.`) || !name.endsWith(".tmp")) continue;
    await platform.remove(join(folder, name)).catch(() => {});
  }
}
