/**
 * The folder that somebody was in when `deno task cli` started this program in its own.
 *
 * @module
 */

import { spawn } from "../platform/spawn.ts";

/** Prints the working folder of a process, on Linux and on macOS. */
const FOLDER_OF = 'readlink "/proc/$1/cwd" || lsof -a -d cwd -p "$1" -Fn | sed -n "s/^n//p"';

/**
 * The folder to work in, given what `INIT_CWD` says. A task notes there where it was started, but
 * not where another task, such as one of `npm run`, has noted a folder before: then this may be an
 * outer one. So the task itself is asked for its folder, where that can be done.
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
