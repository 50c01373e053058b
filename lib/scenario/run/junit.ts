/**
 * Outcomes as a JUnit file, which CI systems show. It has no times: the same run gives the same
 * bytes.
 *
 * @module
 */

import type { Failure, Outcome } from "./outcome.ts";
import type { Problem } from "../values/tree.ts";

/** A file that has mistakes. */
interface WrongFile {
  /** The file. */
  readonly file: string;
  /** What is wrong with it. */
  readonly problems: readonly Problem[];
}

/** The text of a JUnit file: a suite for each scenario, a case for each step. */
export function junitText(outcomes: readonly Outcome[], wrong: readonly WrongFile[] = []): string {
  const suites = [...outcomes.map(suiteOf), ...wrong.map(suiteOfWrong)];
  const sum = (name: "tests" | "failures" | "errors") =>
    suites.reduce((total, suite) => total + suite[name], 0);
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="scenarios" tests="${sum("tests")}" failures="${sum("failures")}" errors="${
      sum("errors")
    }">`,
    ...suites.map(({ text }) => text),
    "</testsuites>",
    "",
  ].join("\n");
}

/** A suite, with its counts. */
interface Suite {
  /** Its lines. */
  text: string;
  /** How many cases it has. */
  tests: number;
  /** How many of them failed. */
  failures: number;
  /** How many of them could not run. */
  errors: number;
}

function suiteOf({ file, name, steps }: Outcome): Suite {
  const failed = steps.filter(({ failures, skipped }) => failures.length > 0 && !skipped).length;
  const skipped = steps.filter((step) => step.skipped).length;
  const cases = steps.map((step) => {
    const head = `    <testcase name="${escape(`${step.number}. ${step.title}`)}" classname="${
      escape(file)
    }" file="${escape(file)}" line="${step.line}"`;
    if (step.failures.length === 0 && !step.skipped) return `${head}/>`;
    const inner = step.skipped
      ? [`      <skipped message="${escape(step.failures[0]?.message ?? "There is no webhook")}"/>`]
      : step.failures.map((failure) => failureText(file, failure));
    return [`${head}>`, ...inner, "    </testcase>"].join("\n");
  });
  const counts = `tests="${steps.length}" failures="${failed}" errors="0" skipped="${skipped}"`;
  const head = `  <testsuite name="${escape(name || file)}" file="${escape(file)}" ${counts}>`;
  const text = [head, ...cases, "  </testsuite>"].join("\n");
  return { text, tests: steps.length, failures: failed, errors: 0 };
}

function failureText(file: string, { line, message, diff, because }: Failure): string {
  const body = [`${file}:${line}`, ...diff, ...because].join("\n");
  return `      <failure type="expectation" message="${escape(message)}">${escape(body)}</failure>`;
}

function suiteOfWrong({ file, problems }: WrongFile): Suite {
  const cases = problems.map(({ line, column, message }) =>
    [
      `    <testcase name="${escape(message)}" classname="${escape(file)}" line="${line}">`,
      `      <error type="file" message="${escape(message)}">${
        escape(`${file}:${line}:${column}`)
      }</error>`,
      "    </testcase>",
    ].join("\n")
  );
  const count = problems.length;
  const head = `  <testsuite name="${escape(file)}" file="${escape(file)}" tests="${count}" ` +
    `failures="0" errors="${count}" skipped="0">`;
  return {
    text: [head, ...cases, "  </testsuite>"].join("\n"),
    tests: count,
    failures: 0,
    errors: count,
  };
}

/** A text inside of XML. What XML cannot hold is shown as its code. */
function escape(text: string): string {
  return [...text.toWellFormed()].map((one) => {
    const code = one.codePointAt(0) ?? 0;
    const known = ENTITIES[one];
    if (known !== undefined) return known;
    const allowed = code === 9 || code === 10 || code >= 0x20 && code !== 0x7f && code !== 0xfffe &&
        code !== 0xffff;
    return allowed ? one : `\\u${code.toString(16).padStart(4, "0")}`;
  }).join("");
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&apos;",
  "\n": "&#10;",
};
