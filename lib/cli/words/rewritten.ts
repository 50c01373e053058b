/**
 * Arguments that a shell has rewritten.
 *
 * @module
 */

import { quoted } from "../screen/command_lines.ts";

/**
 * The result of Git Bash and similar shells on Windows for an argument that begins with a slash.
 */
const REWRITTEN = /^(?:[A-Za-z]:\/(?:[^/]+\/)*(?:Git|msys\d*|cygwin\d*))(\/.+)$/i;

/**
 * The remedy for the first argument that Git Bash has rewritten, such as `/customers` to
 * `C:/Program Files/Git/customers`. Undefined if there is none.
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
