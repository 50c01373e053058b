/**
 * Arguments that a shell has changed on their way here.
 *
 * @module
 */

import { quoted } from "./shell.ts";

/** What Git Bash and its kin on Windows make of an argument that begins with a slash. */
const REWRITTEN = /^(?:[A-Za-z]:\/(?:[^/]+\/)*(?:Git|msys\d*|cygwin\d*))(\/.+)$/i;

/**
 * What to do about the first argument that Git Bash has taken for a path of its own, or undefined
 * when there is none: `/customers` comes as `C:/Program Files/Git/customers`.
 */
export function rewrittenHint(words: readonly string[]): string | undefined {
  for (const word of words) {
    const [, value = word] = /^--[^=]+=(.*)$/s.exec(word) ?? [];
    const [, typed] = REWRITTEN.exec(value) ?? [];
    if (typed === undefined) continue;
    return `Git Bash has changed ${quoted(typed)} to ${JSON.stringify(value)}. Run the command ` +
      "again with MSYS_NO_PATHCONV=1 before it, or in another shell";
  }
  return undefined;
}
