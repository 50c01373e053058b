/**
 * jq programs on JSON texts. The only file that knows the package with jq in it.
 *
 * @module
 */

import { type Jq, loadJq } from "jq-wasm/inline";
import { ToolkitError, UsageError } from "../../errors.ts";

/** What a jq program makes of some JSON values. */
interface JqResults {
  /** The results as jq prints them. */
  text: string;
  /** What the program says besides, with `debug` and the like. */
  said: string;
  /** Why it failed, if it did. The results are those before that. */
  error: ToolkitError | undefined;
}

/** How a program's results are printed. */
interface JqOptions {
  /** Whether strings are printed without quotes. */
  raw: boolean;
  /** Whether each result is on one line. */
  compact: boolean;
  /** Runs work that nothing but the end of the process can stop. */
  stoppable<T>(work: () => T): T;
}

let loaded: Promise<Jq> | undefined;

/**
 * Loads jq, checks a program, and gives a function that runs it on JSON values in a text.
 *
 * @throws {UsageError} when the program is not one.
 */
export async function loadProgram(
  program: string,
  { raw, compact, stoppable }: JqOptions,
): Promise<(text: string) => JqResults> {
  const jq = await (loaded ??= loadJq());
  const safe = withoutEnvironment(program);
  // Without any input a program is compiled and never run.
  const check = jq.raw("", safe, ["--"]);
  if (check.exitCode !== 0) {
    throw new UsageError(`Cannot use the jq program: ${complaint(check.stderr)}`, {
      hint: "The language is described at https://jqlang.org/manual/",
    });
  }
  const flags = compact ? ["-c", "--"] : ["--"];
  return (text) => {
    const { stdout, stderr, exitCode } = stoppable(() => jq.raw(text, safe, flags));
    // The package trims what jq prints. JSON has no space around it but the end of its last line.
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
 * The program with an empty object for `$ENV` and `env`. jq reads the variables of its process there,
 * and those may hold secrets; the package invents some.
 */
function withoutEnvironment(program: string): string {
  return /env/i.test(program) ? `def env: {}; {} as $ENV | ${program}` : program;
}

/**
 * Results with strings as they are, as with jq's own `-r`. jq is not run with that flag, because the
 * package trims the output, and space around a string would be lost. Only a result that is a string
 * has a line that begins with a quote: what is inside of another value is indented or on its line.
 */
function withoutQuotes(results: string): string {
  return results.split("\n")
    .map((line) => line.startsWith('"') ? String(JSON.parse(line)) : line)
    .join("\n");
}

/** The first line of what jq complains about. */
function complaint(stderr: string): string {
  const [first = ""] = stderr.trim().split("\n");
  return first.replace(/^jq: error( \(at [^)]*\))?:? ?/, "") || "it failed";
}
