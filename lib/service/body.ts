/**
 * Reads and checks what a request carries: its size, its JSON, and its fields against a schema.
 *
 * @module
 */

import type { z } from "zod";
import { invalid, malformed, type Refusal } from "./errors.ts";

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
 * @throws {Refusal} 413 over 4 MiB, 400 for another content type or for what is not JSON.
 */
export async function readBody(request: Request): Promise<RawBody> {
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
  if (result.success) return result.data;
  throw explain(result.error.issues, "");
}

/** The refusal for the first issue; inside a choice between schemas, for the nearest one. */
function explain(issues: readonly z.core.$ZodIssue[], prefix: string): Refusal {
  const [issue] = issues;
  if (!issue) return malformed("The request is not as it must be");
  const param = [prefix, ...issue.path].filter((part) => part !== "").map(String).join(".");
  if (issue.code === "unrecognized_keys") {
    const key = [param, issue.keys[0] ?? ""].filter((part) => part !== "").join(".");
    return invalid(key, `'${key}' is not a known field`);
  }
  if (issue.code === "invalid_union" && issue.errors.length > 0) {
    const nearest = [...issue.errors].sort((a, b) => a.length - b.length)[0] ?? [];
    if (nearest.length > 0 && issue.input !== undefined) return explain(nearest, param);
  }
  if (issue.input === undefined) return invalid(param, `'${param}' is a required property`);
  const name = param === "" ? "The body" : `'${param}'`;
  return invalid(param, `${name} is not valid: ${issue.message}`);
}

/** Reads the bytes, but never more than allowed. */
async function readBytes(request: Request): Promise<Uint8Array> {
  const tooLarge = () => malformed(`The body is larger than ${LARGEST_BODY} bytes`, 413);
  if (Number(request.headers.get("Content-Length") ?? 0) > LARGEST_BODY) throw tooLarge();
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

/** Refuses what JSON can carry but no database keeps: NUL, lone surrogates, endless nesting. */
function checkValue(root: unknown): void {
  let level: unknown[] = [root];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > DEEPEST) throw malformed(`The body is nested deeper than ${DEEPEST} levels`);
    const next: unknown[] = [];
    for (const value of level) {
      if (typeof value === "string") checkText(value);
      if (typeof value !== "object" || value === null) continue;
      if (!Array.isArray(value)) Object.keys(value).forEach(checkText);
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
