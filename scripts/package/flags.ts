/**
 * The flags of the program: those of the task `cli`, which only deno.json has. Launchers, packages
 * and compiled programs all use them.
 *
 * @module
 */

import { fileURLToPath } from "node:url";

/** The required version of Deno. */
export const DENO_VERSION = "2.9.6";

/** The folder of the repository, with a separator at its end. */
export const ROOT = fileURLToPath(new URL("../../", import.meta.url));

/** The words of the task `cli`, from the text of deno.json. */
function words(denoJson: string): string[] {
  const settings: { tasks?: Record<string, { command?: string }> } = JSON.parse(denoJson);
  return settings.tasks?.cli?.command?.split(" ") ?? [];
}

/**
 * The permissions of the task `cli`, from the text of deno.json.
 *
 * @throws {Error} without permissions: then each would be asked for, or refused.
 */
export function taskPermissions(denoJson: string): string[] {
  const flags = words(denoJson).filter((word) => /^--(allow|ignore)-/.test(word));
  if (flags.length > 0) return flags;
  throw new Error("Cannot start cli without permissions: the task cli in deno.json lists none");
}

/** All flags of `deno run` in the task `cli`, from the text of deno.json. */
export function taskFlags(denoJson: string): string[] {
  taskPermissions(denoJson);
  return words(denoJson).filter((word) => word.startsWith("--"));
}

/**
 * The flags of `deno run` for the bundled program. It has no lock file: the packages outside of the
 * bundle lie beside it, in the versions of deno.lock.
 */
export function bundleFlags(denoJson: string): string[] {
  const flags = taskFlags(denoJson).filter((flag) => flag !== "--frozen");
  return ["--node-modules-dir=manual", "--no-lock", ...flags];
}

/** A flag as a word for a POSIX shell. */
export function shellFlag(flag: string): string {
  return /[*,]/.test(flag) ? `'${flag}'` : flag;
}
