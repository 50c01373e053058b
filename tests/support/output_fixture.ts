/**
 * The output of the command line by itself, for tests of what it writes.
 *
 * @module
 */

import { createOutput, type Format, type Output } from "../../lib/cli/screen/output.ts";

/** An output and what was written to it, one element per write. */
export interface Screen {
  /** The output. */
  readonly output: Output;
  /** What was written to standard output. */
  readonly out: string[];
  /** What was written to standard error. */
  readonly err: string[];
}

/** An output on a terminal of some columns, or in a pipe. */
export function screen(columns?: number, color = false, format: Format = "table"): Screen {
  const out: string[] = [];
  const err: string[] = [];
  const output = createOutput({
    writeOut: (text) => void out.push(text),
    writeErr: (text) => void err.push(text),
    outColumns: columns,
    errColumns: columns,
    outColor: color,
    errColor: color,
  }, format);
  return { output, out, err };
}
