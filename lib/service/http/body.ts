/**
 * Reads a request body and checks its size, its JSON and its fields.
 *
 * @module
 */

import type { z } from "zod";
import { innermost, ruleOf } from "./body_rules.ts";
import { readBytes } from "./bytes.ts";
import { invalid, malformed, type Refusal } from "../contract/errors.ts";

/** The largest body, in bytes: 4 MiB. */
export const LARGEST_BODY = 4 * 1024 * 1024;

/** The deepest nesting of a body. */
export const DEEPEST_BODY = 64;

/**
 * The most values in a body, fields and items counted together. Parsing and validating each value
 * blocks all other requests.
 */
export const MOST_VALUES = 20_000;

/** The most fields in one object of a body. An object of many fields costs far more than a list. */
export const MOST_FIELDS = 1000;

/** A body as it came: its text, and the JSON value in it. */
export interface RawBody {
  /** The text, which the idempotency key's check compares. */
  text: string;
  /** The value, an empty object for an empty body. */
  value: unknown;
}

/**
 * Reads a JSON body.
 *
 * @throws {Refusal} 413 over 4 MiB; 400 for another content type or encoding, too many values, or
 * invalid JSON.
 */
export async function readBody(request: Request): Promise<RawBody> {
  const encoding = request.headers.get("Content-Encoding") ?? "identity";
  if (!/^\s*(identity)?\s*$/i.test(encoding)) {
    throw malformed(`The body must not be compressed; it has Content-Encoding: ${encoding}`);
  }
  const text = decode(await readBytes(request, LARGEST_BODY));
  if (text.trim() === "") return { text: "", value: {} };
  const type = request.headers.get("Content-Type") ?? "";
  if (!/^application\/json\s*(;|$)/i.test(type)) {
    throw malformed(`The body must be JSON: send Content-Type: application/json, not "${type}"`);
  }
  checkCount(text);
  try {
    const value: unknown = JSON.parse(text);
    checkValue(value);
    return { text, value };
  } catch (error) {
    if (!(error instanceof SyntaxError || error instanceof RangeError)) throw error;
    throw malformed("The body is not valid JSON");
  }
}

/**
 * Checks values against a schema and returns the schema's output.
 *
 * @throws {Refusal} 400 `parameter_error` that names the first offending field.
 */
export function validate<S extends z.ZodType>(schema: S, value: unknown): z.infer<S> {
  const result = schema.safeParse(value);
  if (!result.success) throw explain(result.error.issues, value);
  // Free JSON is returned as sent. The schema has already checked numbers in fields of their own.
  const name = inexactNumber(value)?.join(".");
  if (name === undefined) return result.data;
  const rule =
    `must be at most ${Number.MAX_SAFE_INTEGER} in magnitude to keep its exact value; send it ` +
    "as text";
  throw invalid(name, `'${name}' ${rule}`);
}

/** The refusal for the first issue. */
function explain(issues: readonly z.core.$ZodIssue[], root: unknown): Refusal {
  const first = firstOf(issues);
  if (!first) return malformed("The body is invalid");
  const issue = innermost(first);
  const path = issue.path.map(String);
  if (issue.code === "unrecognized_keys") {
    const name = [...path, issue.keys[0] ?? ""].join(".");
    const why = issue.message.startsWith("cannot ") ? issue.message : "is not a known field";
    return invalid(name, `'${name}' ${why}`);
  }
  if (path.length === 0) return malformed(`The body ${ruleOf(issue)}`);
  const name = path.join(".");
  if (valueAt(root, path) === undefined) return invalid(name, `'${name}' is a required property`);
  return invalid(name, `'${name}' ${ruleOf(issue)}`);
}

/** The issue to report. A field's own limit is more helpful than the limit of all integers. */
function firstOf([first, second]: readonly z.core.$ZodIssue[]): z.core.$ZodIssue | undefined {
  const general = (first?.code === "too_big" || first?.code === "too_small") &&
    first.origin === "int" && first.code === second?.code;
  return general && first.path.join(".") === second.path.join(".") ? second : first;
}

/** The path to a number that loses digits when parsed, if there is one. */
function inexactNumber(value: unknown): string[] | undefined {
  if (typeof value === "number") {
    const exact = Number.isFinite(value) &&
      (!Number.isInteger(value) || Number.isSafeInteger(value));
    return exact ? undefined : [];
  }
  if (typeof value !== "object" || value === null) return undefined;
  for (const [name, inner] of Object.entries(value)) {
    const path = inexactNumber(inner);
    if (path) return [name, ...path];
  }
  return undefined;
}

/** The value at a path, if there is one. */
function valueAt(root: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((value, key) => {
    const entries = typeof value === "object" && value !== null ? Object.entries(value) : [];
    return entries.find(([name]) => name === key)?.[1];
  }, root);
}

const utf8 = new TextDecoder("utf-8", { fatal: true });

/** Decodes UTF-8, with or without a byte order mark. */
function decode(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw malformed("The body is not valid UTF-8");
  }
}

/** Refuses a body with too many values or fields, before any time is spent on them. */
function checkCount(text: string): void {
  // A field and what parts it from the next one take five characters.
  if (text.length <= 5 * MOST_FIELDS) return;
  let values = 0;
  // The fields of the object at hand, and those of what it lies in.
  let fields = 0;
  const outer: number[] = [];
  let quoted = false;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === QUOTE) quoted = !quoted;
    else if (quoted) i += code === BACKSLASH ? 1 : 0;
    else if (code === COMMA) values++;
    else if (code === COLON) fields++;
    else if (code === BRACE_END || code === BRACKET_END) fields = outer.pop() ?? 0;
    else if (code === BRACE || code === BRACKET) {
      values++;
      outer.push(fields);
      fields = 0;
    }
    if (values > MOST_VALUES) throw malformed(`The body has more than ${MOST_VALUES} values`);
    if (fields > MOST_FIELDS) {
      throw malformed(`The body has an object with more than ${MOST_FIELDS} fields`);
    }
  }
}

const [QUOTE, BACKSLASH, COMMA, COLON, BRACE, BRACKET, BRACE_END, BRACKET_END] = [...'"\\,:{[}]']
  .map((sign) => sign.charCodeAt(0));

/** Refuses valid JSON that would come back changed, or not at all. */
function checkValue(root: unknown): void {
  let level: unknown[] = [root];
  for (let depth = 0; level.length > 0; depth++) {
    const next: unknown[] = [];
    for (const value of level) {
      if (typeof value === "string") checkText(value);
      if (typeof value !== "object" || value === null) continue;
      if (depth >= DEEPEST_BODY) {
        throw malformed(`The body is nested deeper than ${DEEPEST_BODY} levels`);
      }
      if (!Array.isArray(value)) Object.keys(value).forEach(checkName);
      for (const inner of Object.values(value)) next.push(inner);
    }
    level = next;
  }
}

/** Refuses text with an unpaired surrogate or a NUL. */
function checkText(text: string): void {
  if (!text.isWellFormed() || text.includes("\0")) {
    throw malformed("The body contains invalid Unicode or a NUL character");
  }
}

/** Refuses invalid field names, and the one that is special in JavaScript. */
function checkName(name: string): void {
  checkText(name);
  if (name === "__proto__") throw malformed("The body has a field named __proto__");
}
