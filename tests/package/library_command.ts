/**
 * The command that installs the library alone, as the package's README has it.
 *
 * @module
 */

import { join } from "node:path";
import { ROOT } from "../../scripts/package/flags.ts";

/** The text of the package's README. */
export const README: string = await Deno.readTextFile(join(ROOT, "scripts/package/README.md"));

/** The command that installs the library alone from somewhere. */
export function libraryCommand(from: string): string {
  const [, command] = /`(npm install [^`]*)@svc\/cli`/.exec(README) ?? [];
  if (command === undefined) throw new Error("README.md of the package has no such command");
  return command + from;
}
