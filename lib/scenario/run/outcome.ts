/**
 * What came of a scenario.
 *
 * @module
 */

import type { Json, Position, Route } from "../values/tree.ts";

/** An expectation that did not hold, or a step that could not be done. */
export interface Failure extends Position {
  /** The number of the step, from 1. */
  readonly step: number;
  /** What the step is, for people. */
  readonly title: string;
  /** What is otherwise than expected, as one sentence. */
  readonly message: string;
  /** Expected and actual, line by line: `-` was expected, `+` is there. */
  readonly diff: readonly string[];
  /** What explains it, one sentence each. */
  readonly because: readonly string[];
  /** What would be written in place of the expectation; undefined where nothing can. */
  readonly update: { readonly route: Route; readonly value: Json } | undefined;
}

/** What came of a step. */
export interface StepOutcome {
  /** The number of the step, from 1. */
  readonly number: number;
  /** What the step is, for people. */
  readonly title: string;
  /** Where it stands. */
  readonly line: number;
  /** What is otherwise than expected. */
  readonly failures: readonly Failure[];
  /** Whether it was left out, since an earlier step had failed. */
  readonly skipped: boolean;
}

/** What came of a scenario. */
export interface Outcome {
  /** The file. */
  readonly file: string;
  /** The name of the scenario. */
  readonly name: string;
  /** What came of each step. */
  readonly steps: readonly StepOutcome[];
  /** How many events there were. */
  readonly events: number;
  /** The SHA-256 of all events: the same for the same file and seed. */
  readonly digest: string;
  /** Why nothing was played, if the webhook takes no connections. */
  readonly unreached?: string;
}

/** All failures of a scenario. */
export function failuresOf({ steps }: Outcome): Failure[] {
  return steps.flatMap(({ failures }) => failures);
}
