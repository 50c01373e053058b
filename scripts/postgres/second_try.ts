/**
 * Which tests of a run failed, so that they can run once more by themselves: on a busy machine, a test
 * with several processes may fail because one of them got no processor time.
 *
 * @module
 */

import { XMLParser } from "fast-xml-parser";

/** When more tests fail, the machine is not the reason. */
export const MOST_FAILED = 3;

/** A test in a report that has run. */
interface Told {
  /** Its name; that of a step begins with its test's name and " > ". */
  name: string;
  /** Whether it failed. */
  failed: boolean;
}

/** The tests that failed, by a report in JUnit's format. Undefined: none has, or too many. */
export function failedFew(report: string): string[] | undefined {
  const failed = testsIn(report).filter((one) => one.failed).map(({ name }) => name);
  const tests = failed.filter((name) => !failed.some((test) => name.startsWith(`${test} > `)));
  return tests.length > 0 && tests.length <= MOST_FAILED ? tests : undefined;
}

/** Whether each of some tests has run in a report, and none has failed in it. */
export function havePassed(names: readonly string[], report: string): boolean {
  const told = testsIn(report);
  return told.every(({ failed }) => !failed) &&
    names.every((wanted) => told.some(({ name }) => name === wanted));
}

/** A value of `--filter` that selects tests by their whole names. */
export function filterOf(names: readonly string[]): string {
  return `/^(?:${names.map((name) => name.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&")).join("|")})$/`;
}

/** A report in JUnit's format, as far as it is used here. */
interface Report {
  /** All of it. Not there in the file of a run that was stopped. */
  testsuites?: { testsuite?: { testcase?: Case[] }[] };
}

/** A test of a report. */
interface Case {
  /** The name. */
  name: string;
  /** Why it failed. */
  failure?: unknown;
  /** Why it could not run. */
  error?: unknown;
  /** There when it did not run, as the filter leaves it out. */
  skipped?: unknown;
}

function testsIn(text: string): Told[] {
  const isArray = (name: string) => name === "testsuite" || name === "testcase";
  const parser = new XMLParser({ ignoreAttributes: false, attributeNamePrefix: "", isArray });
  const { testsuites }: Report = parser.parse(text);
  return (testsuites?.testsuite ?? []).flatMap(({ testcase = [] }) =>
    testcase.filter(({ skipped }) => skipped === undefined).map(({ name, failure, error }) => ({
      name,
      failed: failure !== undefined || error !== undefined,
    }))
  );
}
