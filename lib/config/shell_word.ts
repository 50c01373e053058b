/**
 * Paths and names in commands that a person copies.
 *
 * @module
 */

import { platform } from "../platform/mod.ts";

/** A path or a name, quoted for the shells of a system. */
export function shellWord(word: string, os: string = platform.os): string {
  if (os === "windows") return /^[\w./:+\\-][\w./:@+\\-]*$/.test(word) ? word : windowsWord(word);
  return /^[\w/.:@%+-][\w/.,:@%+=-]*$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

/**
 * A word in quotes that `cmd` and PowerShell read alike. A `$`, a backtick or a quote means something to
 * PowerShell within them, so such a word is quoted for PowerShell alone.
 */
function windowsWord(word: string): string {
  // A backslash before the last quote would make it a part of the word.
  return /[$`"]/.test(word)
    ? `'${word.replaceAll("'", "''")}'`
    : `"${word.replace(/\\+$/, (slashes) => slashes + slashes)}"`;
}
