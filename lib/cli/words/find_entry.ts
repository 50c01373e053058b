/**
 * Finds the command or group that the words of a command line name.
 *
 * @module
 */

import type { Command, Group } from "./tree.ts";

/** Commands and groups by name. */
type Commands = Readonly<Record<string, Command | Group>>;

/** The command or group that words name. */
export interface FoundEntry {
  /** The names on the way, aliases resolved: `["offerings", "view"]`. */
  readonly names: readonly string[];
  /** The command or group. */
  readonly entry: Command | Group;
  /** The other words. */
  readonly rest: readonly string[];
}

/** Follows words into the tree, as far as they name something. */
export function findEntry(root: Group, words: readonly string[]): FoundEntry {
  const names: string[] = [];
  let entry: Command | Group = root;
  for (const word of words) {
    const found: [string, Command | Group] | undefined = isGroup(entry)
      ? findNamed(entry.commands, word)
      : undefined;
    if (!found) break;
    names.push(found[0]);
    entry = found[1];
  }
  return { names, entry, rest: words.slice(names.length) };
}

/** Whether an entry holds others. */
export function isGroup(entry: Command | Group): entry is Group {
  return "commands" in entry;
}

/** The entry that a word names, with its own name. */
function findNamed(commands: Commands, word: string): [string, Command | Group] | undefined {
  return Object.entries(commands).find(([name, entry]) =>
    name === word || (isGroup(entry) && entry.aliases.includes(word))
  );
}
