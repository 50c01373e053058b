/**
 * The global flags, accepted at any position.
 *
 * @module
 */

import { UsageError } from "../../errors.ts";
import type { Globals } from "../context.ts";
import { FORMATS } from "../data/shape.ts";
import { choice, type Flags, text, toggle, wire } from "./parameters.ts";
import { FORMAT_HINT, readShape, readWatch } from "./shape_flags.ts";

/** The global flags, for help texts. */
export const GLOBAL_FLAGS: Readonly<Flags> = {
  output: choice("The output format (default: table)", FORMATS, { placeholder: "format" }),
  fields: text("Show these fields only, such as id,name; alone, list their names", {
    placeholder: "names",
  }),
  jq: text("Print the result of this jq program for the JSON", { placeholder: "program" }),
  raw_output: toggle("With --jq, print strings without quotes", { short: "r" }),
  watch: text("Repeat every 2 seconds, or at this interval in seconds", { placeholder: "seconds" }),
  profile: text("The profile to use", { placeholder: "name" }),
  project_id: text("The project to use", { placeholder: "id" }),
  allow_insecure_host: toggle("Send tokens to another machine over plain HTTP"),
  timeout: text("The longest time the command may take: 30s, 2m (default: no limit)", {
    placeholder: "time",
  }),
  help: toggle("Show this help", { short: "h" }),
};

/** A command line without the global flags. */
export interface Split {
  /** The other words. */
  words: string[];
  /** The flags' values. */
  globals: Globals;
  /** Whether help is requested. */
  help: boolean;
  /** The error of the flags, if any. */
  problem: UsageError | undefined;
  /** The position of the first other word on the command line; -1 without one. */
  firstAt: number;
}

const HELP = /^(-h|-H|--help|--help-?all)$/i;

const INSECURE = `--${wire("allow_insecure_host")}`;

const RAW = /^(-r|--raw-output)$/;

/** Flags with an optional value, and the form of that value. */
const OPTIONAL: Readonly<Record<string, RegExp>> = { fields: /^[^-]/, watch: /^\d+s?$/ };

/** The flags with a value, optional or not. */
const VALUED = new RegExp(
  `^--(${
    Object.entries(GLOBAL_FLAGS).filter(([, { kind }]) => kind !== "switch")
      .map(([name]) => wire(name)).join("|")
  })(?:=(.*))?$`,
  "s",
);

/** Splits the global flags from a command line, at any position before a `--`. */
export function splitGlobals(argv: readonly string[]): Split {
  const words: string[] = [];
  const given = new Map<string, string>();
  let help = false;
  let allowInsecureHost = false;
  let raw = false;
  let firstAt = -1;
  let problem: UsageError | undefined;
  const end = argv.includes("--") ? argv.indexOf("--") : argv.length;
  for (let i = 0; i < end; i++) {
    const word = argv[i] ?? "";
    const [, name, own] = VALUED.exec(word) ?? [];
    if (name === undefined) {
      if (word === "-H" && words[0] === "api" && i + 1 < end) words.push("--header");
      else if (HELP.test(word)) help = true;
      else if (word === INSECURE) allowInsecureHost = true;
      else if (RAW.test(word)) raw = true;
      else {
        if (words.length === 0) firstAt = i;
        words.push(word);
      }
      continue;
    }
    // A value that looks like a flag counts as a flag, unless it follows an `=`.
    const follows = own === undefined && i + 1 < end && isValueOf(name, argv[i + 1] ?? "");
    const value = own ?? (follows ? argv[++i] : undefined) ?? "";
    if (value === "" && !(name in OPTIONAL && own === undefined)) problem ??= missingValue(name);
    if (given.has(name)) problem ??= givenTwice(name);
    given.set(name, value);
  }
  const shape = readShape(given, raw);
  const watchMs = readWatch(given.get("watch"));
  if (shape instanceof UsageError) problem ??= shape;
  if (watchMs instanceof UsageError) problem ??= watchMs;
  const limit = given.get("timeout");
  const timeoutMs = limit ? readTimeout(limit) : undefined;
  if (timeoutMs instanceof UsageError) problem ??= timeoutMs;
  const globals = {
    ...shape instanceof UsageError ? { output: "table" as const } : shape,
    watchMs: typeof watchMs === "number" ? watchMs : undefined,
    profile: given.get("profile"),
    projectId: given.get("project-id"),
    timeoutMs: typeof timeoutMs === "number" ? timeoutMs : undefined,
    allowInsecureHost,
  };
  return { words: [...words, ...argv.slice(end)], globals, help, problem, firstAt };
}

/** Whether a word is the value of the flag before it. */
function isValueOf(name: string, word: string): boolean {
  return OPTIONAL[name]?.test(word) ?? !word.startsWith("--");
}

/** The longest limit, in milliseconds, that timers support. */
const LONGEST_TIMEOUT_MS = 2 ** 31 - 1;

/** Reads `--timeout`: seconds, or a number with a unit. */
function readTimeout(limit: string): number | UsageError {
  const [, count, unit = "s"] = /^([1-9]\d*)(ms|s|m|h)?$/.exec(limit) ?? [];
  const unitMs = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 }[unit] ?? NaN;
  const ms = Number(count) * unitMs;
  if (ms <= LONGEST_TIMEOUT_MS) return ms;
  const why = /^0+(ms|s|m|h)?$/.test(limit)
    ? "it must be longer than zero"
    : Number.isNaN(ms)
    ? "it is not a duration"
    : "it is more than 24 days";
  return new UsageError(`Cannot use ${JSON.stringify(limit)} for --timeout: ${why}`, {
    hint: "Pass seconds (--timeout 30), or a number with ms, s, m or h (--timeout 2m).",
  });
}

function missingValue(name: string): UsageError {
  return new UsageError(`Cannot read --${name}: its value is missing`, {
    hint: name === "output" ? FORMAT_HINT : `Pass --${name} VALUE.`,
  });
}

function givenTwice(name: string): UsageError {
  return new UsageError(`Cannot read the command line: --${name} is given twice`, {
    hint: "Leave one of them out.",
  });
}
