/**
 * Faults that are none: the changed code does the same. `equal.json` lists them with the reason.
 *
 * @module
 */

import equal from "./equal.json" with { type: "json" };
import type { Fault } from "./places.ts";

/** A change that makes no difference. */
export interface Equal {
  /** The path of the file. */
  readonly file: string;
  /** The whole line, without the space around it. */
  readonly line: string;
  /** The original text, in one line. */
  readonly before: string;
  /** The replacement. */
  readonly after: string;
  /** The reason why it changes nothing. */
  readonly reason: string;
}

/** All changes that are known to make no difference. */
export const EQUAL: readonly Equal[] = equal;

/** The entry for a fault, if it is known to make no difference. */
export function equalOf(fault: Fault, known: readonly Equal[] = EQUAL): Equal | undefined {
  return known.find(({ file, line, before, after }) =>
    file === fault.file && line === fault.text && before === oneLine(fault.before) &&
    after === oneLine(fault.after)
  );
}

/** A text in one line, its beginning if it is long. */
export function oneLine(text: string): string {
  const line = text.replaceAll(/\s+/g, " ").trim();
  return line.length > 100 ? `${line.slice(0, 99)}…` : line;
}
