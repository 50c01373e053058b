/**
 * The tree of commands, for tests that go through all of them.
 *
 * @module
 */

import type { Command, Group } from "../../lib/cli/words/command.ts";
import { isGroup } from "../../lib/cli/words/find_entry.ts";

/** The commands of a group and of those inside it; only those that are wanted, if the caller says so. */
export function commandsOf(
  { commands }: Group,
  isWanted: (command: Command) => boolean = () => true,
): string[] {
  return Object.entries(commands).flatMap(([name, entry]) => {
    if (isGroup(entry)) return commandsOf(entry, isWanted).map((inner) => `${name} ${inner}`);
    return isWanted(entry) ? [name] : [];
  });
}
