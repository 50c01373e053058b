/**
 * Files, pairs, times and counts from users. Every error names the flag and the expected form.
 *
 * @module
 */

import { UsageError } from "../../errors.ts";

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
        hint: `Pass a name and a value: ${flag} key=value`,
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
