/**
 * Text made safe for a terminal: it cannot control the terminal, and its width is known in columns.
 *
 * @module
 */

import { clustersOf, widthOfClusters } from "./clusters.ts";

/**
 * Characters that no output may contain raw: control bytes, line separators, marks for the writing
 * direction, and halves of surrogate pairs.
 */
const UNSAFE =
  // deno-lint-ignore no-control-regex -- Classes of Unicode take half a millisecond to compile.
  /[\0-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/** Characters with a shorter escape. The escapes are JSON's own, so JSON text stays JSON text. */
const SHORT: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };

/** Text with everything that could control the terminal as an escape, such as `\u001b`. */
export function visible(text: string): string {
  return text.replace(UNSAFE, (character) => SHORT[character] ?? escaped(character));
}

/** One UTF-16 unit as `\uXXXX`. All that is unsafe lies in the first plane. */
function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

/**
 * Anything but characters known to take one column and to stand alone: ASCII, Latin, Greek,
 * Cyrillic, dashes, quotes and currency signs. A class without a quantifier, so that no text is
 * too long for it.
 */
const NOT_PLAIN =
  /[^ -~\xa1-\xac\xae-\u02ff\u0370-\u0482\u048a-\u052f\u1e00-\u1eff\u2010-\u2027\u20a0-\u20c0]/;

/** The number of terminal columns of a text without control bytes. */
export function width(text: string): number {
  return NOT_PLAIN.test(text) ? widthOfClusters(text) : text.length;
}

/** The characters of a text as a reader sees them: an emoji sequence is one. */
function graphemes(text: string): Iterable<string> {
  return NOT_PLAIN.test(text) ? clustersOf(text) : text;
}

/** The text, or its beginning that fits `columns`, with `…` at the cut. */
export function fit(text: string, columns: number): string {
  if (width(text) <= columns) return text;
  if (columns < 1) return "";
  let kept = "";
  let used = 0;
  for (const grapheme of graphemes(text)) {
    used += width(grapheme);
    if (used > columns - 1) break;
    kept += grapheme;
  }
  return `${kept.trimEnd()}…`;
}

/**
 * The text in lines of at most `columns`, broken at spaces if possible. Only spaces at a break and
 * at the end are removed. A character wider than `columns` has a line of its own.
 */
export function wrap(text: string, columns: number): string[] {
  if (width(text) <= columns) return [text.trimEnd()];
  const lines: string[] = [];
  let line = "";
  let used = 0;
  for (const grapheme of graphemes(text)) {
    const more = width(grapheme);
    while (used + more > columns && line !== "") {
      const space = grapheme === " " ? line.length : line.lastIndexOf(" ");
      const end = space > 0 ? space : line.length;
      lines.push(line.slice(0, end).trimEnd());
      line = line.slice(end).trimStart();
      used = width(line);
    }
    if (line === "" && grapheme === " " && lines.length > 0) continue;
    line += grapheme;
    used += more;
  }
  return line.trimEnd() === "" ? lines : [...lines, line.trimEnd()];
}

/**
 * A word, or text that is copied as a whole: a flag with its value, or a command, up to the end of
 * its sentence or to the text after it.
 */
const WORDS = /(\s*)((?<!\S)cli \S.*?(?:[;,.](?= )|(?= \()|$)|--[a-z-]+ \S+|\S+)/g;

/**
 * The text in lines of at most `columns`, broken between words alone: an id, an address and a command
 * stay in one piece, so that they can be copied, and may be wider.
 */
export function wrapWords(text: string, columns: number): string[] {
  // What is moved in is a line of a script.
  if (text.startsWith("  ") || width(text) <= columns) return [text];
  const lines: string[] = [];
  let line = "";
  for (const [piece, , word = ""] of text.matchAll(WORDS)) {
    if (line === "" || width(line) + width(piece) <= columns) line += piece;
    else {
      lines.push(line);
      line = word;
    }
  }
  return [...lines, line];
}

/** The text with spaces after it, up to `columns`. */
export function padEnd(text: string, columns: number): string {
  return text + " ".repeat(Math.max(0, columns - width(text)));
}

/** The text with spaces before it, up to `columns`. */
export function padStart(text: string, columns: number): string {
  return " ".repeat(Math.max(0, columns - width(text))) + text;
}

/** A time in milliseconds since 1970 as its UTC day, `2026-01-31`; `-` without a time. */
export function date(ms: number | null | undefined): string {
  return isoText(ms, (day) => day);
}

/** A time in milliseconds since 1970 as `2026-01-31 23:59:59Z`, UTC; `-` without a time. */
export function time(ms: number | null | undefined): string {
  return isoText(ms, (day, clock) => `${day} ${clock.slice(0, 8)}Z`);
}

/** A number of things in words: "1 event", "2 events". */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

/** Splits a time. A number outside of the calendar stays a number, so that it is visible. */
function isoText(
  ms: number | null | undefined,
  write: (day: string, clock: string) => string,
): string {
  if (ms === null || ms === undefined) return "-";
  const at = new Date(ms);
  if (Number.isNaN(at.getTime())) return String(ms);
  const [day = "", clock = ""] = at.toISOString().split("T");
  return write(day, clock);
}
