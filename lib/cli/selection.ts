/**
 * The commands in a hint, for the sign-in and the project that the failed command selected.
 *
 * @module
 */

import { isAtTop } from "./commands/mod.ts";
import type { Globals } from "./context.ts";
import { selectionFlags } from "./screen/command_lines.ts";

/** The groups whose commands use neither a project nor a stored sign-in. */
const WITHOUT = new Set([
  ...["alias", "auth", "commands", "completion", "help", "init"],
  ...["scenario", "service", "verify", "version"],
]);

/** Adds the flags that select sign-in and project to the commands in a hint, where they are missing. */
export function inSelection(hint: string, { profile, projectId }: Globals): string {
  return hint.split(/(?<![\w./-])(?=cli [a-z])/).map((part) => {
    const [, group = ""] = /^cli ([a-z-]+)/.exec(part) ?? [];
    if (!isAtTop(group) || WITHOUT.has(group) || part.includes(" --help")) return part;
    const missing = selectionFlags({
      profile: part.includes(" --profile ") ? undefined : profile,
      projectId: group === "projects" || part.includes(" --project-id ") ? undefined : projectId,
    });
    return part.replace("cli", `cli${missing}`);
  }).join("");
}
