/**
 * JSON that people edit by hand: faults are reported by line and column, and never by quoting the
 * text, which may hold a token.
 *
 * @module
 */

import { ConfigError } from "../errors.ts";

/** An object as JSON holds it. */
export type JsonObject = Record<string, unknown>;

/** A place in a text, both numbers from 1. */
interface TextPlace {
  /** The line. */
  line: number;
  /** The column, in UTF-16 units. */
  column: number;
}

/** Whether a value is an object in the sense of JSON: not null and not an array. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * Parses the text of a file of settings.
 *
 * @throws {ConfigError} when it is no JSON object. It names the file, the line and the column.
 */
export function parseJsonFile(path: string, text: string): JsonObject {
  const file = JSON.stringify(path);
  const hint = `Correct ${path}, or remove it and set it up again.`;
  const fault = jsonFault(text);
  if (fault) {
    const { line, column } = fault;
    throw new ConfigError(`Cannot read ${file}: it is not JSON at line ${line}, column ${column}`, {
      hint,
    });
  }
  const value: unknown = JSON.parse(text);
  if (isJsonObject(value)) return value;
  throw new ConfigError(`Cannot read ${file}: it holds no JSON object`, { hint });
}

/** Where a text stops being JSON, or undefined when all of it is JSON. */
export function jsonFault(text: string): TextPlace | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch {
    return placeAt(text, faultOffset(text));
  }
}

/** The line and column of an offset. */
function placeAt(text: string, offset: number): TextPlace {
  const before = text.slice(0, offset);
  return { line: before.split("\n").length, column: offset - before.lastIndexOf("\n") };
}

const TOKEN =
  /[ \t\n\r]*(?:([[\]{},:])|("(?:[^"\\\p{Cc}]|[\x7f-\x9f]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*")|(-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null))/uy;

/** The offset of the first token that cannot stand where it stands. V8 tells it only at times. */
function faultOffset(text: string): number {
  const open: string[] = [];
  let wanted = "value";
  for (let at = 0;;) {
    const start = at + (/^[ \t\n\r]*/.exec(text.slice(at))?.[0].length ?? 0);
    TOKEN.lastIndex = at;
    const token = TOKEN.exec(text);
    const kind = token?.[1] ?? (token?.[2] ? "string" : "scalar");
    if (!token || !allowed(wanted, kind, open.at(-1))) return start;
    if (kind === "{" || kind === "[") open.push(kind);
    if (kind === "}" || kind === "]") open.pop();
    wanted = wantedAfter(wanted, kind, open.at(-1));
    at = TOKEN.lastIndex;
  }
}

/** Whether a token may come, given what is wanted and the bracket that is open. */
function allowed(wanted: string, kind: string, open: string | undefined): boolean {
  if (wanted === "value" || wanted === "value or ]") {
    return ["{", "[", "string", "scalar"].includes(kind) || wanted === `value or ${kind}`;
  }
  if (wanted === "key or }") return kind === "string" || kind === "}";
  if (wanted === "key") return kind === "string";
  if (wanted === ":") return kind === ":";
  return open === "{"
    ? kind === "," || kind === "}"
    : open === "[" && (kind === "," || kind === "]");
}

/** What is wanted after a token that was allowed. */
function wantedAfter(wanted: string, kind: string, open: string | undefined): string {
  if (kind === "{") return "key or }";
  if (kind === "[") return "value or ]";
  if (kind === ":") return "value";
  if (kind === ",") return open === "{" ? "key" : "value";
  return wanted.startsWith("key") && kind === "string" ? ":" : "more";
}
