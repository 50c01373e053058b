/**
 * jq programs on JSON texts. Only this file uses the package for jq.
 *
 * @module
 */

import { type Jq, loadJq } from "jq-wasm/inline";
import { ToolkitError, UsageError } from "../../errors.ts";

/** The results of a jq program for some JSON values. */
interface JqResults {
  /** The results, printed by jq. */
  text: string;
  /** Other output of the program, from `debug` and the like. */
  said: string;
  /** The reason of a failure, if any. The results before it stay. */
  error: ToolkitError | undefined;
}

/** The format of a program's results. */
interface JqOptions {
  /** Whether strings are printed without quotes. */
  raw: boolean;
  /** Whether each result is on one line. */
  compact: boolean;
  /** Runs work that only the end of the process can stop. */
  stoppable<T>(work: () => T): T;
}

let loaded: Promise<Jq> | undefined;

/**
 * Loads jq, checks a program, and returns a function that runs it on the JSON values in a text.
 *
 * @throws {UsageError} for an invalid program.
 */
export async function loadProgram(
  program: string,
  { raw, compact, stoppable }: JqOptions,
): Promise<(text: string) => JqResults> {
  const jq = await (loaded ??= loadJq());
  const safe = withoutEnvironment(program);
  // Without input a program is only compiled.
  const check = jq.raw("", safe, ["--"]);
  if (check.exitCode !== 0) {
    throw new UsageError(`Cannot use the jq program: ${complaint(check.stderr)}`, {
      hint: "The language is described at https://jqlang.org/manual/",
    });
  }
  const flags = compact ? ["-c", "--"] : ["--"];
  return (text) => {
    const { stdout, stderr, exitCode } = stoppable(() => jq.raw(text, safe, flags));
    // The package trims jq's output. JSON has no space around it except the last line break.
    const json = stdout === "" ? stdout : `${stdout}\n`;
    const results = raw ? withoutQuotes(json) : json;
    if (exitCode === 0) return { text: results, said: stderr, error: undefined };
    const error = new ToolkitError(`Cannot run the jq program: ${complaint(stderr)}`, {
      hint: "Leave --jq out to see the JSON that the program gets.",
    });
    return { text: results, said: "", error };
  };
}

/**
 * The program with an empty object for `$ENV` and `env`. jq would show its process's variables
 * there, which may contain secrets; the package invents some.
 */
function withoutEnvironment(program: string): string {
  return /env/i.test(program) ? `def env: {}; {} as $ENV | ${program}` : program;
}

/**
 * Results with strings without quotes, like jq's own `-r`. jq does not get that flag, since the
 * package trims the output and would remove space around a string. Only a string result has a line
 * that begins with a quote: other values indent their strings or keep them on one line.
 */
function withoutQuotes(results: string): string {
  return results.split("\n")
    .map((line) => line.startsWith('"') ? String(JSON.parse(line)) : line)
    .join("\n");
}

/** The first line of jq's error message. */
function complaint(stderr: string): string {
  const [first = ""] = stderr.trim().split("\n");
  // After the colon, jq repeats the program on the next lines.
  return first.replace(/^jq: error( \(at [^)]*\))?:? ?(\(not a string\): )?/, "")
    .replace(/ at <top-level>, (line \d+, column \d+):$/, " at $1") || "it failed";
}
