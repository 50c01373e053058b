/**
 * Proposals for a command line that is being typed. Errors are never printed, since a person who
 * presses Tab expects none.
 *
 * @module
 */

import type { World } from "../context.ts";
import { visible } from "../screen/display.ts";
import { splitShellWords } from "../words/shell_words.ts";
import { FILES, type Proposal } from "./proposal.ts";
import { proposalsFor } from "./proposals.ts";

/** The most proposals that are printed. */
const MOST = 500;

/** The typed word, and the words before it. */
interface Typed {
  /** The words before the one that is typed, without `cli`. */
  words: string[];
  /** The beginning of the word that is typed. */
  current: string;
  /** How a proposal is written in this shell. */
  write(proposal: Proposal): string | undefined;
}

/** Prints proposals for `SHELL =TYPED WORD…`. Always succeeds. */
export async function complete(args: readonly string[], world: World): Promise<void> {
  try {
    const { words, current, write } = typedIn(args);
    const proposals = await proposalsFor(words, current, world);
    const lines = proposals.includes(FILES)
      ? [FILES.value]
      : proposals.filter(({ value }) => isOneLine(value) && value !== FILES.value).slice(0, MOST)
        .flatMap((proposal) => write(proposal) ?? []);
    if (lines.length > 0) world.terminal.writeOut(lines.map((line) => `${line}\n`).join(""));
  } catch {
    // Completion prints no errors.
  }
}

/** Whether a shell can take a text as one word. */
function isOneLine(value: string): boolean {
  return value !== "" && visible(value) === value;
}

/** Parses the arguments from a shell's script. */
function typedIn([shell = "", marked = "", ...rest]: readonly string[]): Typed {
  const current = marked.slice(1);
  if (shell === "bash") return typedInBash(current, rest[0] ?? "");
  const write = ({ value, meaning }: Proposal) =>
    meaning === "" ? value : `${value}\t${visible(meaning)}`;
  // Fish compares by itself, with the word as it is typed, quotes and all.
  const typed = shell === "fish" ? splitShellWords(current).words.join(" ") : current;
  return { words: rest, current: typed, write };
}

/** Reads bash's line. `part` is the end of the last word that bash replaces. */
function typedInBash(part: string, line: string): Typed {
  const { words, raw } = splitShellWords(line);
  const quote = /^["']/.exec(raw)?.[0];
  // Bash keeps the text before its last word break, and an opening quote.
  const kept = raw.endsWith(part) ? raw.slice(0, raw.length - part.length) : "";
  return {
    words: words.slice(1, -1),
    current: words.at(-1) ?? "",
    write: ({ value }) => {
      if (quote !== undefined) return inQuotes(value, quote);
      const written = value.replace(/[^\w@%+=:,./-]/gu, "\\$&");
      return written.startsWith(kept) ? written.slice(kept.length) : undefined;
    },
  };
}

/** A text inside of quotes that are open already. */
function inQuotes(text: string, quote: string): string {
  return quote === "'" ? text.replaceAll("'", "'\\''") : text.replace(/["$`\\]/g, "\\$&");
}
