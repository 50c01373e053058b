/**
 * Splits a command line like a POSIX shell.
 *
 * @module
 */

/** Words of a command line. */
interface ShellWords {
  /** The words without their quotes. The last one is the word being typed, and may be empty. */
  words: string[];
  /** The last word with its quotes. */
  raw: string;
  /** The open quote at the end, if any. */
  open: "'" | '"' | undefined;
}

/** Splits a line, without expansions. */
export function splitShellWords(line: string): ShellWords {
  const words: string[] = [];
  let word: string | undefined;
  let raw = "";
  let open: ShellWords["open"];
  for (let i = 0; i < line.length; i++) {
    const character = line.charAt(i);
    if (open === undefined && /\s/.test(character)) {
      if (word !== undefined) words.push(word);
      word = undefined;
      raw = "";
      continue;
    }
    raw += character;
    word ??= "";
    if (character === open) open = undefined;
    else if (open === undefined && (character === "'" || character === '"')) open = character;
    else if (character === "\\" && open !== "'") {
      const next = line.charAt(++i);
      raw += next;
      word += open === undefined || /["$`\\]/.test(next) ? next : character + next;
    } else word += character;
  }
  return { words: [...words, word ?? ""], raw, open };
}
