/**
 * Finds the command or group named by a command line.
 *
 * @module
 */

import { type Flags, wire } from "./parameters.ts";
import type { Command, Group } from "./tree.ts";

/** Commands and groups by name. */
type Commands = Readonly<Record<string, Command | Group>>;

/** The named command or group. */
export interface FoundEntry {
  /** The names on the way, aliases resolved: `["offerings", "view"]`. */
  readonly names: readonly string[];
  /** The command or group. */
  readonly entry: Command | Group;
  /** The other words. */
  readonly rest: readonly string[];
}

/** Follows words into the tree, as far as they match. */
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

/** Whether an entry is a group. */
export function isGroup(entry: Command | Group): entry is Group {
  return "commands" in entry;
}

/** The entry for a word, with its own name. */
function findNamed(commands: Commands, word: string): [string, Command | Group] | undefined {
  return Object.entries(commands).find(([name, entry]) =>
    name === word || (isGroup(entry) && entry.aliases.includes(word))
  );
}

/** The arguments of a command: the words after its names, without flags and their values. */
export function argumentsIn({ flags }: Command, rest: readonly string[]): string[] {
  const found: string[] = [];
  for (let i = 0; i < rest.length; i++) {
    const word = rest[i] ?? "";
    if (word === "--") return [...found, ...rest.slice(i + 1)];
    if (!word.startsWith("-")) found.push(word);
    else if (takesNext(flags, word)) i++;
  }
  return found;
}

/** Whether the value of a flag is the word after it. */
function takesNext(flags: Readonly<Flags>, word: string): boolean {
  return Object.entries(flags).some(([name, { kind, short }]) =>
    kind !== "switch" && (word === `--${wire(name)}` || word === `-${short}`)
  );
}
