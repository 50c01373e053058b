/**
 * A command line as text, taken apart as a POSIX shell does it.
 *
 * @module
 */

/** Words of a command line. */
interface ShellWords {
  /** The words without their quotes. The last one is what is being typed, which may be nothing. */
  words: string[];
  /** The last word as it was typed. */
  raw: string;
  /** The quote that is open at the end, if one is. */
  open: "'" | '"' | undefined;
}

/** Takes a line apart. Nothing in it is expanded. */
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
