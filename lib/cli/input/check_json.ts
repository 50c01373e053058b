/**
 * The position of errors in JSON text. `JSON.parse` has a position only for some errors, quotes the
 * text (which may contain secrets), and silently changes large numbers.
 *
 * @module
 */

import { skipSpace } from "../screen/json_text.ts";

/** An error in a text, with its position. */
interface JsonFault {
  /** The line, from 1. */
  line: number;
  /** The character within the line, from 1. */
  column: number;
  /** The error. */
  what: string;
}

/** The most levels of nesting: far more than any body has, far less than the stack allows. */
const DEEPEST = 500;

/** The longest number that is checked, in characters: every double needs fewer. */
const LONGEST_NUMBER = 400;

/** The expected tokens, in words. */
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

/** The expected tokens. */
type State = keyof typeof WANTED;

/** A mark such as `{`, or `string`, or `word` for numbers, true, false and null. */
type Kind = string;

/** An error with its offset. */
interface FaultAt {
  /** Its offset, in UTF-16 units from 0. */
  at: number;
  /** The error. */
  what: string;
}

/**
 * The first error in a text: invalid JSON, a number that would change, a duplicate name, or too
 * deep nesting.
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

/** Reads the tokens. It has its own stack, since recursion could overflow. */
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

/** Whether the innermost object already has a member of this name. Adds the name. */
function isAgain(names: readonly Set<string>[], token: string): boolean {
  const name: string = JSON.parse(token);
  const known = names.at(-1);
  const again = known?.has(name) === true;
  known?.add(name);
  return again;
}

/** A text, shortened if long. */
function shortened(text: string): string {
  return text.length > 40 ? `${text.slice(0, 40)}…` : text;
}

/** The state after a token, or undefined if the token is not allowed there. */
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

/** The tokens allowed after a value. */
function stateAfterValue(levels: readonly string[]): State {
  const inside = levels.at(-1);
  return inside === undefined ? "end" : inside === "}" ? "nextInObject" : "nextInArray";
}

/** Reads the token at `at`. Any other character becomes a mark that is allowed nowhere. */
function readToken(text: string, at: number): { kind: Kind; end: number } | FaultAt {
  const first = text.charAt(at);
  if (first === '"') return readString(text, at);
  const [word] = text.slice(at, at + 5).match(/^(?:true|false|null)/) ?? [];
  if (word !== undefined) return { kind: "word", end: at + word.length };
  return /[-\d]/.test(first) ? readNumber(text, at) : { kind: first, end: at + 1 };
}

/** Reads a string. A regular expression could overflow the stack on a long one. */
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

/** Reads a number, and checks that parsing keeps its value. */
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
 * Whether a number survives parsing as a double and printing: integers with all digits, others with
 * as many digits as written.
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
  // `toPrecision` rounds ties away from zero, unlike the shortest form.
  return isWritten(String(value)) ||
    !/^-?\d+$/.test(number) && isWritten(value.toPrecision(digits));
}

/** A decimal as its digits, without zeros at either end, with the power of ten. */
function decimalOf(text: string): { digits: string; exponent: number } {
  const [, whole = "", fraction = "", power = "0"] =
    /^-?(\d+)(?:\.(\d+))?(?:e([-+]?\d+))?$/i.exec(text) ?? [];
  const digits = (whole + fraction).replace(/^0+/, "");
  const kept = digits.replace(/0+$/, "");
  return { digits: kept, exponent: Number(power) - fraction.length + digits.length - kept.length };
}
