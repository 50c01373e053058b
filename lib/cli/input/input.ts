/**
 * Files, pairs, times and counts from users. Every error names the flag or the file, and the
 * expected form.
 *
 * @module
 */

import { fileReason } from "../../file_reason.ts";
import { Cancelled, UsageError } from "../../errors.ts";
import { skipSpace } from "../screen/json_text.ts";
import { findJsonFault, positionOf } from "./check_json.ts";
import { joinBytes } from "../../bytes.ts";

/** The files and the standard input of a command. */
export interface Files {
  /** Opens a file for reading. */
  readFile(path: string): Promise<ReadableStream<Uint8Array>>;
  /** The standard input. */
  stdin(): ReadableStream<Uint8Array>;
  /** Whether the standard input is a terminal. */
  readonly stdinIsTerminal: boolean;
  /** Writes a note to standard error. */
  say(text: string): void;
  /** Aborts a read. */
  readonly signal?: AbortSignal | undefined;
}

/** The largest JSON input, in bytes: more than any body that the service accepts. */
const LARGEST_JSON = 4 * 1024 * 1024;

/** The real files and the real standard input. */
export function denoFiles(say: (text: string) => void, signal?: AbortSignal | undefined): Files {
  return {
    readFile: async (path) => {
      const { isDirectory } = await Deno.stat(path);
      if (isDirectory) throw new Deno.errors.IsADirectory(path);
      return (await Deno.open(path)).readable;
    },
    stdin: () => Deno.stdin.readable,
    stdinIsTerminal: Deno.stdin.isTerminal(),
    say,
    signal,
  };
}

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
      : await unlessStopped(files.readFile(path), files.signal);
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

/** Waits for something until the signal fires: opening a pipe waits for its writer. */
async function unlessStopped<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return await work;
  const { promise: stopped, reject } = Promise.withResolvers<never>();
  const stop = () => reject(signal.reason);
  signal.addEventListener("abort", stop, { once: true });
  if (signal.aborted) stop();
  try {
    return await Promise.race([work, stopped]);
  } finally {
    signal.removeEventListener("abort", stop);
  }
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

/**
 * Reads pairs such as `--set key=value`, split at the first `=`. The value may be empty.
 *
 * @throws {UsageError} when a pair has no `=`, or no key before it.
 */
export function parsePairs(pairs: readonly string[], flag: string): [string, string][] {
  return pairs.map((pair) => {
    const at = pair.indexOf("=");
    if (at < 1) {
      const why = at === 0 ? "it has no key" : 'it has no "="';
      throw new UsageError(`Cannot use ${JSON.stringify(pair)} for ${flag}: ${why}`, {
        hint: `Write it as ${flag} key=value`,
      });
    }
    return [pair.slice(0, at), pair.slice(at + 1)];
  });
}

const DAY_MS = 86_400_000;

/** Milliseconds of the units of durations. */
const UNIT_MS: Readonly<Record<string, number>> = {
  d: DAY_MS,
  m: 30 * DAY_MS,
  y: 365 * DAY_MS,
};

/** The last time of a date, in milliseconds since 1970. */
const LAST_TIME_MS = 8.64e15;

/**
 * The end of a duration from now, in milliseconds since 1970. Durations are `forever` and
 * `lifetime` (100 years), `7d`, `3m` (of 30 days) and `1y` (of 365 days).
 *
 * @throws {UsageError} for any other text, or an end after the last possible date.
 */
export function parseDuration(text: string, now: number): number {
  if (text === "forever" || text === "lifetime") return now + 100 * 365 * DAY_MS;
  // Gap: no zero, no sign, no fraction, no leading zeros, no capitals.
  const [, count, unit = ""] = /^([1-9]\d*)([dmy])$/.exec(text) ?? [];
  const length = Number(count) * (UNIT_MS[unit] ?? NaN);
  if (now + length <= LAST_TIME_MS) return now + length;
  const why = /^0+[dmy]$/.test(text)
    ? "it must be longer than zero"
    : Number.isNaN(length)
    ? "it is not a duration"
    : "it ends after the last possible date";
  throw new UsageError(`Cannot use ${JSON.stringify(text)} as a duration: ${why}`, {
    hint: "Use forever, lifetime, or a number of days (30d), months (3m) or years (1y).",
  });
}

/**
 * A day as `YYYY-MM-DD`, unchanged.
 *
 * @throws {UsageError} for another form, or a day that does not exist.
 */
export function parseDate(text: string, flag: string): string {
  const written = /^\d{4}-\d{2}-\d{2}$/.test(text);
  const day = new Date(written ? `${text}T00:00:00Z` : NaN);
  // 30 February would become 2 March, so a day that changes does not exist.
  if (!Number.isNaN(day.getTime()) && day.toISOString().startsWith(text)) return text;
  const why = written ? "there is no such day" : "it must be written as YYYY-MM-DD";
  throw new UsageError(`Cannot use ${JSON.stringify(text)} for ${flag}: ${why}`, {
    hint: `Write a day such as ${flag} 2026-01-31`,
  });
}

/**
 * Checks that a range of days does not end before it starts. Either end is optional, and one day is
 * a range.
 *
 * @throws {UsageError} when it does.
 */
export function checkDateRange(start: string | undefined, end: string | undefined): void {
  if (start === undefined || end === undefined || start <= end) return;
  throw new UsageError(`Cannot use the days ${start} to ${end}: the end is before the start`, {
    hint: "Pass the earlier day as --start and the later one as --end.",
  });
}

/** The bounds of {@linkcode parseCount}. */
interface CountBounds {
  /** The smallest count. */
  min: number;
  /** The largest count. Default: as large as counts can be. */
  max?: number | undefined;
}

/**
 * A whole number in decimal digits.
 *
 * @throws {UsageError} for another form, or a number out of bounds.
 */
export function parseCount(text: string, flag: string, bounds: CountBounds): number {
  const { min, max = Number.MAX_SAFE_INTEGER } = bounds;
  const count = /^\d+$/.test(text) ? Number(text) : NaN;
  if (count >= min && count <= max) return count;
  const range = bounds.max === undefined ? `${min} or more` : `${min} to ${max}`;
  const why = !/^-?\d+$/.test(text)
    ? "it is not a whole number"
    : count > max && bounds.max === undefined
    ? "it is too large"
    : `it must be ${bounds.max === undefined ? range : `between ${min} and ${max}`}`;
  throw new UsageError(`Cannot use ${JSON.stringify(text)} for ${flag}: ${why}`, {
    hint: `Pass a whole number, ${range}.`,
  });
}
