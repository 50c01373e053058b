/**
 * JSON files from users. Every error names the file, the place in it, and the expected form.
 *
 * @module
 */

import { joinBytes } from "../../bytes.ts";
import { Cancelled, UsageError } from "../../errors.ts";
import { fileReason } from "../../file_reason.ts";
import { skipSpace } from "../screen/json_text.ts";
import { untilAborted } from "../../signals.ts";
import { findJsonFault, positionOf } from "./check_json.ts";
import type { Files } from "./input.ts";

/** The largest JSON input, in bytes: more than any body that the service accepts. */
const LARGEST_JSON = 4 * 1024 * 1024;

/**
 * Reads the JSON object in a file, or in the standard input for the path `-`.
 *
 * @throws {UsageError} when it cannot be read, is larger than 4 MiB, is not UTF-8, JSON or an
 * object, or has a number that would change or a duplicate name.
 */
export async function readJsonFile(files: Files, path: string): Promise<Record<string, unknown>> {
  const name = path === "-" ? "standard input" : JSON.stringify(path);
  const text = decodeUtf8(await readBytes(files, path, name), name);
  if (text.trim() === "") throw new UsageError(`Cannot read ${name}: it is empty`);
  // Gap: the API has no numbers beyond 2^53. A number that would change is refused.
  const fault = findJsonFault(text);
  if (fault) {
    const { line, column, what } = fault;
    throw new UsageError(`Cannot read ${name}: line ${line}, column ${column}: ${what}`);
  }
  // `JSON.parse` treats `__proto__` as an ordinary key; it reaches no prototype.
  const value: unknown = JSON.parse(text);
  if (isObject(value)) return value;
  const { line, column } = positionOf(text, skipSpace(text, 0));
  const kind = Array.isArray(value) ? "an array" : value === null ? "null" : `a ${typeof value}`;
  throw new UsageError(
    `Cannot read ${name}: line ${line}, column ${column}: expected an object, found ${kind}`,
    { hint: "Write one JSON object, which begins with { and ends with }" },
  );
}

/** Whether a value is a JSON object. */
function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Reads all bytes, up to a limit. */
async function readBytes(files: Files, path: string, name: string): Promise<Uint8Array> {
  if (path === "-" && files.stdinIsTerminal) {
    const end = Deno.build.os === "windows" ? "Ctrl-Z and Enter" : "Ctrl-D";
    files.say(`Reading JSON from standard input; end with ${end}`);
  }
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    const opened = path === "-"
      ? files.stdin()
      : await untilAborted(files.readFile(path), files.signal);
    for await (const chunk of interruptible(opened, files.signal)) {
      size += chunk.byteLength;
      if (size > LARGEST_JSON) throw new UsageError(`Cannot read ${name}: it exceeds 4 MiB`);
      chunks.push(chunk);
    }
  } catch (error) {
    if (error instanceof UsageError) throw error;
    if (files.signal?.aborted) throw new Cancelled("Stopped", { cause: files.signal.reason });
    throw unreadable(name, error);
  }
  return joinBytes(chunks);
}

/** The same bytes, until the signal fires. */
function interruptible(
  stream: ReadableStream<Uint8Array>,
  signal: AbortSignal | undefined,
): ReadableStream<Uint8Array> {
  if (!signal) return stream;
  return stream.pipeThrough(new TransformStream<Uint8Array, Uint8Array>(), { signal });
}

/** The error for a file that cannot be read. */
function unreadable(name: string, error: unknown): UsageError {
  const why = error instanceof Deno.errors.NotFound
    ? "no such file"
    : error instanceof Deno.errors.PermissionDenied
    ? "permission denied"
    : error instanceof Deno.errors.IsADirectory
    ? "it is a directory"
    : fileReason(error);
  return new UsageError(`Cannot read ${name}: ${why}`, {
    hint: "Pass the path of a JSON file, or - for standard input.",
    cause: error,
  });
}

/** Decodes UTF-8, without a byte order mark at the start. */
function decodeUtf8(bytes: Uint8Array, name: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (error) {
    const mark = `${bytes[0]},${bytes[1]}`;
    const utf16 = mark === "255,254" || mark === "254,255";
    throw new UsageError(`Cannot read ${name}: it is ${utf16 ? "UTF-16, not" : "not"} UTF-8`, {
      hint: "Save it as UTF-8.",
      cause: error,
    });
  }
}
