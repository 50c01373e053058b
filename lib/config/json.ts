/**
 * JSON that people edit by hand: faults are reported by line and column, without quoting the text,
 * which may contain a token.
 *
 * @module
 */

import { ConfigError } from "../errors.ts";
import { isJson } from "../json_text.ts";

/** A JSON object. */
export type JsonObject = Record<string, unknown>;

/** A place in a text, both numbers from 1. */
interface TextPlace {
  /** The line. */
  line: number;
  /** The column, in UTF-16 units. */
  column: number;
}

/** Whether a value is a JSON object: not null and not an array. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * Parses the text of a settings file.
 *
 * @throws {ConfigError} when it is not a JSON object. It names the file, the line and the column.
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
  throw new ConfigError(`Cannot read ${file}: it does not contain a JSON object`, { hint });
}

/** The first position where a text is not JSON, or undefined when all of it is JSON. */
export function jsonFault(text: string): TextPlace | undefined {
  return isJson(text) ? undefined : placeAt(text, faultOffset(text));
}

/** The line and column of an offset. */
function placeAt(text: string, offset: number): TextPlace {
  const before = text.slice(0, offset);
  return { line: before.split("\n").length, column: offset - before.lastIndexOf("\n") };
}

const TOKEN =
  /[ \t\n\r]*(?:([[\]{},:])|("(?:[^"\\\p{Cc}]|[\x7f-\x9f]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*")|(-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null))/uy;

/** The offset of the first invalid token. V8 reports it only sometimes. */
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

/** Whether a token is allowed, given the expected tokens and the open bracket. */
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

/** The expected tokens after an allowed token. */
function wantedAfter(wanted: string, kind: string, open: string | undefined): string {
  if (kind === "{") return "key or }";
  if (kind === "[") return "value or ]";
  if (kind === ":") return "value";
  if (kind === ",") return open === "{" ? "key" : "value";
  return wanted.startsWith("key") && kind === "string" ? ":" : "more";
}
