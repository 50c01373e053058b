/**
 * Where JSON text is wrong. `JSON.parse` names a position only for some errors, quotes the text
 * (which may hold secrets), and changes large numbers without a word.
 *
 * @module
 */

import { skipSpace } from "../screen/json_text.ts";

/** One thing wrong with a text, and where. */
interface JsonFault {
  /** The line, from 1. */
  line: number;
  /** The character within the line, from 1. */
  column: number;
  /** What is wrong there. */
  what: string;
}

/** Levels of nesting that are let through: far more than any body has, far less than a stack. */
const DEEPEST = 500;

/** Characters of the longest number worth a look: every double can be written with fewer. */
const LONGEST_NUMBER = 400;

/** What may come next, in words. */
const WANTED = {
  value: "a value",
  firstValue: 'a value or "]"',
  key: "a name in double quotes",
  firstKey: 'a name in double quotes or "}"',
  colon: '":"',
  nextInObject: '"," or "}"',
  nextInArray: '"," or "]"',
  end: "the end of the text",
};

/** What may come next. */
type State = keyof typeof WANTED;

/** A mark such as `{`, or `string`, or `word` for numbers, true, false and null. */
type Kind = string;

/** A fault by its offset. */
interface FaultAt {
  /** Where it is, in UTF-16 units from 0. */
  at: number;
  /** What is wrong there. */
  what: string;
}

/**
 * The first thing that keeps a text from being JSON, or from arriving as it is written: a number
 * that would be changed, a name that an object has twice, or nesting without end.
 *
 * @example
 * ```ts
 * import { deepStrictEqual } from "node:assert/strict";
 * import { findJsonFault } from "./check_json.ts";
 *
 * const what = "expected a name in double quotes";
 * deepStrictEqual(findJsonFault('{"a": 1,}'), { line: 1, column: 9, what });
 * ```
 */
export function findJsonFault(text: string): JsonFault | undefined {
  const fault = findFaultAt(text);
  return fault && { ...positionOf(text, fault.at), what: fault.what };
}

/** The line and column of an offset, both from 1. */
export function positionOf(text: string, at: number): { line: number; column: number } {
  const lines = text.slice(0, at).split(/\r\n|\n|\r/);
  return { line: lines.length, column: [...(lines.at(-1) ?? "")].length + 1 };
}

/** Walks through the tokens. It keeps its own levels, since recursion would run out. */
function findFaultAt(text: string): FaultAt | undefined {
  const levels: string[] = [];
  const names: Set<string>[] = [];
  let state: State = "value";
  let at = skipSpace(text, 0);
  while (at < text.length) {
    const token = readToken(text, at);
    if ("what" in token) return token;
    if (state === "key" || state === "firstKey") {
      const again = token.kind === "string" && isAgain(names, text.slice(at, token.end));
      if (again) {
        return { at, what: `the name ${shortened(text.slice(at, token.end))} appears twice` };
      }
    }
    if (token.kind === "{") names.push(new Set());
    if (token.kind === "}") names.pop();
    const next = stateAfter(state, token.kind, levels);
    if (next === undefined) return { at, what: `expected ${WANTED[state]}` };
    if (levels.length > DEEPEST) return { at, what: `more than ${DEEPEST} levels of nesting` };
    state = next;
    at = skipSpace(text, token.end);
  }
  return state === "end" ? undefined : { at, what: `the text ends; expected ${WANTED[state]}` };
}

/** Whether the innermost object has a member of that name already. It has from now on. */
function isAgain(names: readonly Set<string>[], token: string): boolean {
  const name: string = JSON.parse(token);
  const known = names.at(-1);
  const again = known?.has(name) === true;
  known?.add(name);
  return again;
}

/** Text of which a long one is cut. */
function shortened(text: string): string {
  return text.length > 40 ? `${text.slice(0, 40)}…` : text;
}

/** The state after a token, or undefined when the token may not stand there. */
function stateAfter(state: State, kind: Kind, levels: string[]): State | undefined {
  const inside = levels.at(-1);
  const first = state === "firstValue" || state === "firstKey";
  if ((first || state.startsWith("next")) && kind === inside) {
    levels.pop();
    return stateAfterValue(levels);
  }
  if (state === "colon") return kind === ":" ? "value" : undefined;
  if (state === "key" || state === "firstKey") return kind === "string" ? "colon" : undefined;
  if (state === "nextInObject") return kind === "," ? "key" : undefined;
  if (state === "nextInArray") return kind === "," ? "value" : undefined;
  if (state === "end") return undefined;
  if (kind === "{" || kind === "[") {
    levels.push(kind === "{" ? "}" : "]");
    return kind === "{" ? "firstKey" : "firstValue";
  }
  return kind === "string" || kind === "word" ? stateAfterValue(levels) : undefined;
}

/** What may follow a whole value. */
function stateAfterValue(levels: readonly string[]): State {
  const inside = levels.at(-1);
  return inside === undefined ? "end" : inside === "}" ? "nextInObject" : "nextInArray";
}

/** Reads the token at `at`. What begins no token is a mark, which then stands nowhere. */
function readToken(text: string, at: number): { kind: Kind; end: number } | FaultAt {
  const first = text.charAt(at);
  if (first === '"') return readString(text, at);
  const [word] = text.slice(at, at + 5).match(/^(?:true|false|null)/) ?? [];
  if (word !== undefined) return { kind: "word", end: at + word.length };
  return /[-\d]/.test(first) ? readNumber(text, at) : { kind: first, end: at + 1 };
}

/** Reads a string. A regular expression would run out of stack on a long one. */
function readString(text: string, at: number): { kind: Kind; end: number } | FaultAt {
  for (let i = at + 1; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === 0x22) return { kind: "string", end: i + 1 };
    if (code < 0x20) return { at: i, what: "a string holds a raw line break or control character" };
    if (code !== 0x5c) continue;
    const [escape] = text.slice(i, i + 6).match(/^\\(?:["\\/bfnrt]|u[\dA-Fa-f]{4})/) ?? [];
    if (escape === undefined) return { at: i, what: "this is not an escape of JSON" };
    i += escape.length - 1;
  }
  return { at, what: "the string that starts here has no end" };
}

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?/y;

/** Reads a number, and makes sure that it arrives as it is written. */
function readNumber(text: string, at: number): { kind: Kind; end: number } | FaultAt {
  NUMBER.lastIndex = at;
  const [number] = NUMBER.exec(text) ?? [];
  if (number === undefined || /[\d.]/.test(text.charAt(at + number.length))) {
    return { at, what: "this is not a number of JSON" };
  }
  if (keepsItsValue(number)) return { kind: "word", end: at + number.length };
  return { at, what: `the number ${shortened(number)} would be sent as ${Number(number)}` };
}

/**
 * Whether a number survives being read into a double and written again: whole numbers to the last
 * digit, others to as many digits as they are written with.
 */
function keepsItsValue(number: string): boolean {
  if (number.length > LONGEST_NUMBER) return false;
  if (/^[-\d.]{1,15}$/.test(number)) return true;
  const written = decimalOf(number);
  const value = Number(number);
  if (written.digits === "") return true;
  const digits = Math.min(written.digits.length, 100);
  const isWritten = (text: string) => {
    const kept = decimalOf(text);
    return kept.digits === written.digits && kept.exponent === written.exponent;
  };
  // `toPrecision` rounds a tie away from zero, the shortest form need not.
  return isWritten(String(value)) ||
    !/^-?\d+$/.test(number) && isWritten(value.toPrecision(digits));
}

/** A decimal as its digits, without zeros at either end, and the power of ten they count. */
function decimalOf(text: string): { digits: string; exponent: number } {
  const [, whole = "", fraction = "", power = "0"] =
    /^-?(\d+)(?:\.(\d+))?(?:e([-+]?\d+))?$/i.exec(text) ?? [];
  const digits = (whole + fraction).replace(/^0+/, "");
  const kept = digits.replace(/0+$/, "");
  return { digits: kept, exponent: Number(power) - fraction.length + digits.length - kept.length };
}
