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
  // Without any input a program is compiled and never run.
  const check = jq.raw("", program, ["--"]);
  if (check.exitCode !== 0) {
    throw new UsageError(`Cannot use the jq program: ${complaint(check.stderr)}`, {
      hint: "The language is described at https://jqlang.org/manual/",
    });
  }
  const layout = compact ? ["-c"] : [];
  return (text) => {
    const { stdout, stderr, exitCode } = stoppable(() =>
      raw ? runRaw(jq, text, program, layout) : jq.raw(text, program, [...layout, "--"])
    );
    // The package trims what jq prints. JSON has no space around it but the end of its last line.
    const results = raw || stdout === "" ? stdout : `${stdout}\n`;
    if (exitCode === 0) return { text: results, said: stderr, error: undefined };
    const error = new ToolkitError(`Cannot run the jq program: ${complaint(stderr)}`, {
      hint: "Leave --jq out to see the JSON that the program gets.",
    });
    return { text: results, said: "", error };
  };
}

/**
 * Runs a program whose strings are printed as they are. The package trims the output, and space around
 * a string would be lost: so a mark is printed first, and a NUL after each result.
 */
function runRaw(jq: Jq, text: string, program: string, layout: readonly string[]) {
  const mark = JSON.stringify(crypto.randomUUID());
  const marked = `if . == ${mark} then . else (${program}\n) end`;
  const { stdout, ...rest } = jq.raw(`${mark} ${text}`, marked, [
    "--raw-output0",
    ...layout,
    "--",
  ]);
  const results = stdout.split("\0").slice(1, -1);
  return { ...rest, stdout: results.map((result) => `${result}\n`).join("") };
}

/** The first line of what jq complains about. */
function complaint(stderr: string): string {
  const [first = ""] = stderr.trim().split("\n");
  return first.replace(/^jq: error( \(at [^)]*\))?:? ?/, "") || "it failed";
}
