/**
 * How the program is started: the flags of the task `cli`, which stand in deno.json and nowhere
 * else. Launchers, packages and compiled programs all take them from here.
 *
 * @module
 */

import { fileURLToPath } from "node:url";

/** The version of Deno that everything here is started with. */
export const DENO_VERSION = "2.9.6";

/** The folder of the repository, with a separator at its end. */
export const ROOT = fileURLToPath(new URL("../../", import.meta.url));

/** The words of the task `cli`, from the text of deno.json. */
function words(denoJson: string): string[] {
  const settings: { tasks?: Record<string, { command?: string }> } = JSON.parse(denoJson);
  return settings.tasks?.cli?.command?.split(" ") ?? [];
}

/**
 * The permissions that the task `cli` has, from the text of deno.json.
 *
 * @throws {Error} when it has none: then every one would be asked for, or refused.
 */
export function taskPermissions(denoJson: string): string[] {
  const flags = words(denoJson).filter((word) => /^--(allow|ignore)-/.test(word));
  if (flags.length > 0) return flags;
  throw new Error("Cannot start cli without permissions: the task cli in deno.json lists none");
}

/** All flags that the task `cli` gives to `deno run`, from the text of deno.json. */
export function taskFlags(denoJson: string): string[] {
  taskPermissions(denoJson);
  return words(denoJson).filter((word) => word.startsWith("--"));
}
