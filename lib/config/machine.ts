/**
 * The real machine. A command that needs no client loads only this of the library.
 *
 * @module
 */

import { platform } from "../platform/mod.ts";
import type { Surroundings } from "./surroundings.ts";

/**
 * The real machine. Each part is read when used. Unreadable parts count as unset, and nothing asks
 * for permission.
 */
export function systemSurroundings(): Surroundings {
  const home = platform.os === "windows" ? "USERPROFILE" : "HOME";
  return {
    env: readVariable,
    get cwd() {
      return workingFolder();
    },
    get home() {
      return readVariable(home) || undefined;
    },
    now: () => Date.now(),
    platform: platform.os,
    // A script has no Context, and its standard output belongs to the script.
    // deno-lint-ignore house/terminal
    warn: (text) => console.error(text),
  };
}

/** A variable, or undefined when it is unset or may not be read. */
function readVariable(name: string): string | undefined {
  return platform.mayReadVariable(name) ? platform.variable(name) : undefined;
}

/** The working folder, or undefined if it no longer exists or may not be read. */
function workingFolder(): string | undefined {
  try {
    return platform.workingFolder();
  } catch {
    return undefined;
  }
}
