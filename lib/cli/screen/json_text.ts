/**
 * JSON as text. Nothing here parses a whole document and writes it again: that would change numbers
 * past 2^53, spellings such as `0.10`, the order of keys and repeated keys. Every function expects
 * valid JSON, and takes linear time at any depth.
 *
 * @module
 */

import { NetworkError } from "../../errors.ts";
import { visible } from "./display.ts";

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const BACKSLASH = 0x5c;

/** The levels of growing indentation: without a limit, deep nesting would have quadratic size. */
const DEEPEST_INDENT = 100;

/**
 * JSON text laid out as `JSON.stringify(value, null, indent)` would, with every token as it was.
 * Only characters that could drive a terminal are written as `\uXXXX`, which is the same value.
 */
export function formatJson(text: string, indent = 2): string {
  const margin = " ".repeat(indent);
  const newline = (depth: number) =>
    indent > 0 ? `\n${margin.repeat(Math.min(Math.max(depth, 0), DEEPEST_INDENT))}` : "";
  const colon = indent > 0 ? ": " : ":";
  let out = "";
  let depth = 0;
  for (let at = skipSpace(text, 0); at < text.length;) {
    const end = tokenEnd(text, at);
    const next = skipSpace(text, end);
    const code = text.charCodeAt(at);
    if (isOpening(code) && isClosing(text.charCodeAt(next))) {
      out += text.charAt(at) + text.charAt(next);
      at = skipSpace(text, next + 1);
      continue;
    }
    if (isOpening(code)) out += text.charAt(at) + newline(++depth);
    else if (isClosing(code)) out += newline(--depth) + text.charAt(at);
    else if (code === COMMA) out += "," + newline(depth);
    else if (code === COLON) out += colon;
    else out += visible(text.slice(at, end));
    at = next;
  }
  return out;
}

/**
 * The text of each item of a list, as the service sent it.
 *
 * @throws {NetworkError} when the page has no `items`.
 */
export function listItems(pageText: string): string[] {
  return elements(pageText, itemsStart(pageText));
}

/**
 * One list from the pages of a walk: the last page, with the items of all pages in its `items`, at
 * most `limit` of them, and with the fields that only earlier pages have. If that cuts a page, the
 * list continues at `nextPage`. A single page without a cut stays as it is, byte for byte.
 *
 * @throws {NetworkError} when there is no page, or one has no `items`.
 */
export function joinPages(
  pageTexts: readonly string[],
  limit = Infinity,
  nextPage?: string | null,
): string {
  const last = pageTexts.at(-1);
  if (last === undefined) throw new NetworkError("Cannot show the list: no page was received");
  const items = pageTexts.flatMap(listItems);
  if (pageTexts.length === 1 && items.length <= limit) return last;
  const joined = `[${items.slice(0, limit).join(",")}]`;
  const whole = withEarlier(replaced(last, itemsStart(last), joined), pageTexts.slice(0, -1));
  const next = items.length > limit && nextPage !== undefined && valueStart(whole, "next_page");
  return next ? replaced(whole, next, JSON.stringify(nextPage)) : whole;
}

/**
 * The text of an object whose array under `key` keeps only the elements at `places`. An object
 * without such an array stays as it is.
 */
export function keepItems(text: string, key: string, places: ReadonlySet<number>): string {
  const start = valueStart(text, key);
  if (start === undefined || text.charAt(start) !== "[") return text;
  const kept = elements(text, start).filter((_, place) => places.has(place));
  return replaced(text, start, `[${kept.join(",")}]`);
}

/** The text of an object's value of a key, unchanged. Undefined without such a key. */
export function valueText(text: string, key: string): string | undefined {
  const start = valueStart(text, key);
  return start === undefined ? undefined : text.slice(start, valueEnd(text, start));
}

/** The members of an object: each key, and the text of its value. None for anything else. */
export function membersOf(text: string): [key: string, value: string][] {
  return Array.from(members(text), ({ key, value, end }) => [keyOf(key), text.slice(value, end)]);
}

/** The texts of the elements of an array. None for anything else. */
export function elementsOf(text: string): string[] {
  const start = skipSpace(text, 0);
  return text.charAt(start) === "[" ? elements(text, start) : [];
}

/** The text of an object with another value of a key that it has. */
export function withValue(text: string, key: string, value: string): string {
  const start = valueStart(text, key);
  return start === undefined ? text : replaced(text, start, value);
}

/** The text with another value in the place of the one that starts at `start`. */
function replaced(text: string, start: number, value: string): string {
  return text.slice(0, start) + value + text.slice(valueEnd(text, start));
}

/** The start of a page's array `items`. */
function itemsStart(text: string): number {
  const start = valueStart(text, "items");
  if (start !== undefined && text.charAt(start) === "[") return start;
  throw new NetworkError("Cannot show the list: the service's answer has no items", {
    hint: "Check that CLI_BASE_URL is the service's address.",
  });
}

/** Adds the fields of earlier pages that the last page lacks, except its cursor. */
function withEarlier(last: string, earlier: readonly string[]): string {
  const own = new Set(["next_page", ...Array.from(members(last), ({ key }) => keyOf(key))]);
  const added = new Map<string, string>();
  for (const page of earlier) {
    for (const { key, value, end } of members(page)) {
      if (!own.has(keyOf(key))) added.set(keyOf(key), `${key}:${page.slice(value, end)}`);
    }
  }
  if (added.size === 0) return last;
  const close = last.lastIndexOf("}");
  return `${last.slice(0, close)},${[...added.values()].join(",")}${last.slice(close)}`;
}

/** The start of an object's value of a key. As in JSON.parse, the last of equal keys counts. */
function valueStart(text: string, key: string): number | undefined {
  let found: number | undefined;
  for (const member of members(text)) if (isKey(member.key, key)) found = member.value;
  return found;
}

/** The members of an object: each key's token, with the start and the end of its value. */
function* members(text: string): Generator<{ key: string; value: number; end: number }> {
  const open = skipSpace(text, 0);
  let at = text.charAt(open) === "{" ? open + 1 : text.length;
  while (at < text.length) {
    const name = skipSpace(text, at);
    if (text.charAt(name) === "}") return;
    const nameEnd = tokenEnd(text, name);
    const value = skipSpace(text, skipSpace(text, nameEnd) + 1);
    const end = valueEnd(text, value);
    yield { key: text.slice(name, nameEnd), value, end };
    const comma = skipSpace(text, end);
    if (text.charAt(comma) !== ",") return;
    at = comma + 1;
  }
}

/** The key that a token spells. */
function keyOf(token: string): string {
  return token.includes("\\") ? String(JSON.parse(token)) : token.slice(1, -1);
}

/** Whether a token is a key, however it is spelled. */
function isKey(token: string, key: string): boolean {
  return token === `"${key}"` || (token.includes("\\") && JSON.parse(token) === key);
}

/** The texts of the elements of the array that starts at `start`. */
function elements(text: string, start: number): string[] {
  const found: string[] = [];
  let at = skipSpace(text, start + 1);
  while (at < text.length && text.charAt(at) !== "]") {
    const end = valueEnd(text, at);
    found.push(text.slice(at, end));
    const comma = skipSpace(text, end);
    at = text.charAt(comma) === "," ? skipSpace(text, comma + 1) : comma;
  }
  return found;
}

/** The end of the value that starts at `at`. It counts levels, since recursion could overflow. */
function valueEnd(text: string, at: number): number {
  let depth = 0;
  let end = at;
  do {
    const start = skipSpace(text, end);
    end = tokenEnd(text, start);
    const code = text.charCodeAt(start);
    if (isOpening(code)) depth++;
    else if (isClosing(code)) depth--;
  } while (depth > 0 && end < text.length);
  return end;
}

/** The end of the token that starts at `at`: a string, a mark, a number or a word. */
function tokenEnd(text: string, at: number): number {
  const code = text.charCodeAt(at);
  if (code === QUOTE) return stringEnd(text, at);
  let end = at + 1;
  if (isMark(code)) return end;
  while (end < text.length && !endsWord(text.charCodeAt(end))) end++;
  return end;
}

/** The end of the string that starts at `at`. A regular expression could overflow the stack. */
function stringEnd(text: string, at: number): number {
  for (let i = at + 1; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === QUOTE) return i + 1;
    if (code === BACKSLASH) i++;
  }
  return text.length;
}

/** The first position from `at` that is not white space of JSON. */
export function skipSpace(text: string, at: number): number {
  let i = at;
  while (i < text.length && isSpace(text.charCodeAt(i))) i++;
  return i;
}

/** Space, tab, line feed or carriage return. */
function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
}

/** One of `,` `:` `[` `]` `{` `}`. */
function isMark(code: number): boolean {
  return code === COMMA || code === COLON || isOpening(code) || isClosing(code);
}

/** Whether a number or a word ends before this character. */
function endsWord(code: number): boolean {
  return isSpace(code) || isMark(code) || code === QUOTE;
}

/** `[` or `{`. */
function isOpening(code: number): boolean {
  return code === 0x5b || code === 0x7b;
}

/** `]` or `}`. */
function isClosing(code: number): boolean {
  return code === 0x5d || code === 0x7d;
}
