/**
 * The output of command lines on a screen, compared with golden files.
 *
 * @module
 */

import { equal, ok } from "node:assert/strict";
import { visible, width } from "../../lib/cli/screen/display.ts";
import { linesOf } from "./cli_fixture.ts";
import { matchGolden, steadyIds } from "./golden.ts";
import type { Ran } from "./harness.ts";

/** A command line with its output: `! ` marks standard error. */
export function shown(line: string, { code, out, err }: Ran): string {
  const errors = err === "" ? "" : linesOf(err).map((one) => `! ${one}\n`).join("");
  return `$ cli ${line}\n${out}${errors}${code === 0 ? "" : `exit ${code}\n`}\n`;
}

/** Compares a screen of some columns with its golden file. */
export async function matchScreen(name: string, text: string, columns = 80): Promise<void> {
  for (const line of linesOf(text)) {
    // Texts to copy, such as the next command, are not cut.
    ok(width(line) <= columns || /^[$!] |^ {2}cli /.test(line), `wider than ${columns}: ${line}`);
    equal(visible(line), line);
  }
  // Ports of receivers that are cut, too.
  const steady = text.replace(
    /(?<=127\.0\.0\.1:)\d+(?=…)/g,
    (port) => "40000".slice(0, port.length),
  );
  await matchGolden(name, steadyIds(steady));
}
