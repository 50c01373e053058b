/**
 * Making failures out of differences: a sentence, a diff, and what would be written instead.
 *
 * @module
 */

import type { Difference } from "../file/match.ts";
import type { Failure } from "./outcome.ts";
import type { Step } from "../file/scenario.ts";
import { isoMoment } from "../values/times.ts";
import type { Json, Position } from "../values/tree.ts";

/** A failure of a step. */
export function failureOf(
  { number, title }: Pick<Step, "number" | "title">,
  { line, column }: Position,
  message: string,
  more: Partial<Pick<Failure, "diff" | "because" | "update">> = {},
): Failure {
  return {
    step: number,
    title,
    line,
    column,
    message,
    diff: [],
    because: [],
    update: undefined,
    ...more,
  };
}

/** A failure for each difference. `what` begins the sentences: "The subscription s differs". */
export function failuresFrom(
  step: Step,
  found: readonly Difference[],
  what: string,
  because: readonly string[],
): Failure[] {
  return found.map(({ line, column, where, expected, actual, meant, exact, route }, i) => {
    const like = meant === undefined ? "" : `; did you mean ${JSON.stringify(meant)}?`;
    return failureOf(step, { line, column }, (where === "" ? what : `${what} in ${where}`) + like, {
      diff: [...lines("-", expected), ...lines("+", shownLike(expected, actual))],
      because: i === 0 ? because : [],
      update: exact && actual !== undefined
        ? { route, value: shownLike(expected, actual) ?? null }
        : undefined,
    });
  });
}

/** A value as the expectation has it: moments as people write them where that was expected. */
function shownLike(expected: Json, actual: Json | undefined): Json | undefined {
  const asMoment = typeof expected === "string" && typeof actual === "number" && actual > 1e11;
  return asMoment ? isoMoment(actual) : actual;
}

/** A value as lines of a diff. */
function lines(sign: "-" | "+", value: Json | undefined): string[] {
  const whole = value === undefined ? "(nothing)" : JSON.stringify(value);
  const text = whole.length <= 80 ? whole : JSON.stringify(value, undefined, 2);
  const short = text.length > 4000 ? `${text.slice(0, 4000)}…` : text;
  return short.split("\n").map((line) => `${sign} ${line}`);
}

/** Two lists of words as the lines of a diff. */
export async function diffOf(
  expected: readonly string[],
  actual: readonly string[],
): Promise<string[]> {
  const { diffArrays } = await import("diff");
  return diffArrays([...expected], [...actual]).flatMap(({ value, added, removed }) =>
    value.map((word) => `${added ? "+" : removed ? "-" : " "} ${word}`)
  );
}
