/**
 * The person's working folder: `deno task cli` starts this program in its own folder.
 *
 * @module
 */

import { spawn } from "../platform/spawn.ts";

/** Prints the working folder of a process, on Linux and on macOS. */
const FOLDER_OF = 'readlink "/proc/$1/cwd" || lsof -a -d cwd -p "$1" -Fn | sed -n "s/^n//p"';

/**
 * The folder to work in, given `INIT_CWD`. A task stores its start folder there, unless another
 * task, such as `npm run`, has already stored one: then it may be an outer folder. So this asks the
 * task's process for its folder, if possible.
 */
export async function callerFolder(
  noted: string,
  windows: boolean,
  parent: number,
): Promise<string> {
  if (windows) return noted;
  try {
    const child = spawn("sh", {
      args: ["-c", FOLDER_OF, "sh", String(parent)],
      stdin: "null",
      stdout: "piped",
      stderr: "null",
    });
    const { stdout } = await child.output();
    return new TextDecoder().decode(stdout).replace(/\n$/, "") || noted;
  } catch {
    return noted;
  }
}
