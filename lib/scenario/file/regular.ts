/**
 * Regular expressions of scenario files, which may come from others: their time is linear in the
 * length of the text, whatever the pattern.
 *
 * @module
 */

import { CannotDo } from "../deeds/cannot_do.ts";

/** The longest pattern, in characters. */
const LONGEST_PATTERN = 500;

/** The longest text that is searched, in characters. */
export const LONGEST_SEARCHED = 100_000;

/** What searches. */
export interface Searcher {
  /** Why a pattern is wrong; undefined when it is right. */
  problem(pattern: string): string | undefined;
  /**
   * Whether a pattern is found in a text.
   *
   * @throws {CannotDo} when the text is too long.
   */
  finds(pattern: string, text: string): boolean;
}

/** Loads what searches. */
export async function openSearcher(): Promise<Searcher> {
  const { RE2JS } = await import("re2js");
  return {
    problem(pattern) {
      if (pattern.length > LONGEST_PATTERN) {
        return `a regular expression has at most ${LONGEST_PATTERN} characters`;
      }
      try {
        RE2JS.compile(pattern);
        return undefined;
      } catch (error) {
        const what = `${JSON.stringify(pattern)} is not a regular expression`;
        return `${what}: ${reasonOf(pattern, error)}`;
      }
    },
    finds(pattern, text) {
      if (text.length <= LONGEST_SEARCHED) return RE2JS.compile(pattern).matcher(text).find();
      const what = `the value has ${text.length} characters`;
      throw new CannotDo(`${what}, and "matches" searches at most ${LONGEST_SEARCHED}`);
    },
  };
}

/** What is wrong with a pattern, in our words where the engine has none for it. */
function reasonOf(pattern: string, error: unknown): string {
  if (/\(\?<?[=!]/.test(pattern)) return "lookahead and lookbehind are not supported";
  if (/\\[1-9k]/.test(pattern)) return "backreferences are not supported";
  const message = error instanceof Error ? error.message : String(error);
  return message.replace(/^error parsing regexp: /, "").replaceAll("`", '"');
}
