/**
 * Reads and checks what a request carries: its size, its JSON, and its fields against a schema.
 *
 * @module
 */

import type { z } from "zod";
import { innermost, ruleOf } from "./body_rules.ts";
import { invalid, malformed, type Refusal } from "../contract/errors.ts";

/** The largest body, in bytes: 4 MiB. */
export const LARGEST_BODY = 4 * 1024 * 1024;

/** The deepest nesting of a body. */
const DEEPEST = 64;

/** A body as it came: its text, and the JSON value in it. */
export interface RawBody {
  /** The text, for the idempotency key's comparison. */
  text: string;
  /** The value, an empty object for an empty body. */
  value: unknown;
}

/**
 * Reads a JSON body.
 *
 * @throws {Refusal} 413 over 4 MiB, 400 for another content type or encoding, or for what is not
 * JSON.
 */
export async function readBody(request: Request): Promise<RawBody> {
  const encoding = request.headers.get("Content-Encoding") ?? "identity";
  if (!/^\s*(identity)?\s*$/i.test(encoding)) {
    throw malformed(`The body must be sent as it is, not with Content-Encoding: ${encoding}`);
  }
  const text = decode(await readBytes(request));
  if (text.trim() === "") return { text: "", value: {} };
  const type = request.headers.get("Content-Type") ?? "";
  if (!/^application\/json\s*(;|$)/i.test(type)) {
    throw malformed(`The body must be JSON: send Content-Type: application/json, not "${type}"`);
  }
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
 * Checks values against a schema and returns them as the schema makes them.
 *
 * @throws {Refusal} 400 `parameter_error` that names the first offending field.
 */
export function validate<S extends z.ZodType>(schema: S, value: unknown): z.infer<S> {
  const result = schema.safeParse(value, { reportInput: true });
  if (!result.success) throw explain(result.error.issues, value);
  // Free JSON is answered as it was sent. A number in a field of its own has met a rule before this.
  const name = inexactNumber(value)?.join(".");
  if (name === undefined) return result.data;
  const rule =
    `must be at most ${Number.MAX_SAFE_INTEGER} either way, to be kept exactly; send it ` +
    "as text";
  throw invalid(name, `'${name}' ${rule}`);
}

/** The refusal for the first issue. */
function explain(issues: readonly z.core.$ZodIssue[], root: unknown): Refusal {
  const first = firstOf(issues);
  if (!first) return malformed("The body is not as it must be");
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

/** The issue to tell of. A field's own bound tells more than that of all whole numbers. */
function firstOf([first, second]: readonly z.core.$ZodIssue[]): z.core.$ZodIssue | undefined {
  const general = (first?.code === "too_big" || first?.code === "too_small") &&
    first.origin === "int" && first.code === second?.code;
  return general && first.path.join(".") === second.path.join(".") ? second : first;
}

/** The path to a number whose digits are lost in reading, if there is one. */
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

/** The value that a path leads to, if there is one. */
function valueAt(root: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((value, key) => {
    const entries = typeof value === "object" && value !== null ? Object.entries(value) : [];
    return entries.find(([name]) => name === key)?.[1];
  }, root);
}

/** Reads the bytes, but never more than allowed. */
async function readBytes(request: Request): Promise<Uint8Array> {
  const tooLarge = () => malformed(`The body is larger than ${LARGEST_BODY} bytes`, 413);
  const told = request.headers.get("Content-Length");
  if (Number(told ?? 0) > LARGEST_BODY) throw tooLarge();
  // HTTP holds senders to the length that they tell; read as a whole it takes half as long.
  if (told !== null) return await request.bytes();
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request.body ?? []) {
    size += chunk.byteLength;
    if (size > LARGEST_BODY) throw tooLarge();
    chunks.push(chunk);
  }
  const [only] = chunks;
  if (chunks.length <= 1) return only ?? new Uint8Array();
  const all = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    all.set(chunk, at);
    at += chunk.byteLength;
  }
  return all;
}

const utf8 = new TextDecoder("utf-8", { fatal: true });

/** Decodes UTF-8, a byte order mark allowed. */
function decode(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw malformed("The body is not valid UTF-8");
  }
}

/** Refuses what JSON can carry but would come back changed, or not at all. */
function checkValue(root: unknown): void {
  let level: unknown[] = [root];
  for (let depth = 0; level.length > 0; depth++) {
    const next: unknown[] = [];
    for (const value of level) {
      if (typeof value === "string") checkText(value);
      if (typeof value !== "object" || value === null) continue;
      if (depth >= DEEPEST) throw malformed(`The body is nested deeper than ${DEEPEST} levels`);
      if (!Array.isArray(value)) Object.keys(value).forEach(checkName);
      for (const inner of Object.values(value)) next.push(inner);
    }
    level = next;
  }
}

/** Refuses text that is not whole Unicode or holds a NUL. */
function checkText(text: string): void {
  if (!text.isWellFormed() || text.includes("\0")) {
    throw malformed("The body holds text that is not valid Unicode, or a NUL character");
  }
}

/** Refuses names of fields that are no text, and the one that JavaScript treats apart. */
function checkName(name: string): void {
  checkText(name);
  if (name === "__proto__") throw malformed("The body holds a field that is named __proto__");
}
