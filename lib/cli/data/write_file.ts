/**
 * Writes users' files, completely or not at all.
 *
 * @module
 */

import { dirname } from "node:path";
import { fileReason } from "../../file_reason.ts";
import { ToolkitError } from "../../errors.ts";
import { temporaryName } from "../../temporary_name.ts";

/**
 * Writes a text to a file and keeps its mode. On a full disk the old file stays, without remains of
 * the new one.
 *
 * @throws {ToolkitError} when it cannot be written.
 */
export async function writeFile(path: string, text: string): Promise<void> {
  try {
    // A link stays, and its target is replaced.
    const real = await Deno.realPath(path).catch(() => path);
    const there = await Deno.stat(real).catch(() => undefined);
    if (there && !there.isFile) return await Deno.writeTextFile(real, text);
    await replace(real, text, there?.mode ?? undefined);
  } catch (error) {
    throw new ToolkitError(`Cannot write ${JSON.stringify(path)}: ${fileReason(error)}`, {
      cause: error,
    });
  }
}

/** Replaces a file. Deno applies a given mode without the umask, so a new file gets none. */
async function replace(path: string, text: string, mode: number | undefined): Promise<void> {
  const temporary = temporaryName(path);
  try {
    await Deno.mkdir(dirname(path), { recursive: true });
    const same = mode === undefined ? {} : { mode: mode & 0o777 };
    await Deno.writeTextFile(temporary, text, { createNew: true, ...same });
    await Deno.rename(temporary, path);
  } catch (error) {
    await Deno.remove(temporary).catch(() => {});
    throw error;
  }
}
