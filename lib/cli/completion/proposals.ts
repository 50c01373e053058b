/**
 * The next possible words of a command line: commands, flags, choices and ids of objects.
 *
 * @module
 */

import { isAtTop, loadFor } from "../commands/mod.ts";
import type { Globals, World } from "../context.ts";
import { aliasWords, readAliases } from "../words/aliases.ts";
import { GLOBAL_FLAGS, splitGlobals } from "../words/globals.ts";
import { type Flag, wire } from "../words/parameters.ts";
import { argumentsIn, findEntry, isGroup } from "../words/find_entry.ts";
import type { Command } from "../words/tree.ts";
import { FILES, type Proposal } from "./proposal.ts";
import { kindOfArgument, kindOfFlag, valuesOf } from "./values.ts";

/** A flag with the name that its field has. */
type NamedFlag = readonly [name: string, flag: Flag<unknown>];

/** Proposes words that begin with the typed text. */
export async function proposalsFor(
  words: readonly string[],
  current: string,
  world: World,
): Promise<Proposal[]> {
  const all = await allProposals(words, current, world);
  return all.filter((one) => one === FILES || one.value.startsWith(current));
}

/** Proposes the next word. */
async function allProposals(
  words: readonly string[],
  current: string,
  world: World,
): Promise<Proposal[]> {
  const { all, own, globals } = await wordsTyped(words, world);
  const [first = ""] = own;
  if (own.length > 0 && !isAtTop(first)) return [];
  const root = await loadFor(first === "help" ? own.slice(1) : own);
  const found = findEntry(root, first === "help" ? own.slice(1) : own);
  const { entry, names, rest } = found;
  const flags: NamedFlag[] = Object.entries({
    ...isGroup(entry) ? {} : entry.flags,
    ...GLOBAL_FLAGS,
  });
  const [, name, typed] = /^(--[\w-]+)=(.*)$/s.exec(current) ?? [];
  if (name !== undefined && typed !== undefined) {
    const flag = flags.find(([own]) => `--${wire(own)}` === name);
    const values = flag ? await valuesOfFlag(flag, names, globals, world) : [];
    if (values.includes(FILES)) return values;
    return values.map(({ value, meaning }) => ({ value: `${name}=${value}`, meaning }));
  }
  if (current.startsWith("-")) return flagProposals(flags, all);
  const waiting = flagWaiting(flags, all.at(-1));
  if (waiting) return await valuesOfFlag(waiting, names, globals, world);
  if (isGroup(entry)) {
    if (rest.length > 0) return [];
    const commands = Object.entries(entry.commands)
      .map(([value, { brief }]) => ({ value, meaning: brief }));
    return first === "" ? [...commands, ...await aliasProposals(world)] : commands;
  }
  const argument = argumentAt(entry, rest);
  if (argument === undefined) return [];
  return await valuesOf(kindOfArgument(names, argument), globals, world);
}

/** The words before the one that is being typed. */
interface Before {
  /** All words, with an alias expanded. */
  all: readonly string[];
  /** Those that are no global flags. */
  own: readonly string[];
  /** The global flags. */
  globals: Globals;
}

/** Reads the words before the one that is being typed. */
async function wordsTyped(typed: readonly string[], { around }: World): Promise<Before> {
  const { firstAt, words: [first = ""] } = splitGlobals(typed);
  const meant = firstAt < 0 || isAtTop(first) ? undefined : await aliasWords(around, first);
  const all = meant ? typed.toSpliced(firstAt, 1, ...meant) : typed;
  // A global flag that waits for its value has none yet.
  const isWaiting = flagWaiting(Object.entries(GLOBAL_FLAGS), all.at(-1)) !== undefined;
  const { words: own, globals } = splitGlobals(isWaiting ? all.slice(0, -1) : all);
  return { all, own, globals };
}

/** The aliases with their command lines. */
async function aliasProposals({ around }: World): Promise<Proposal[]> {
  const aliases = await readAliases(around).catch(() => ({}));
  return Object.entries(aliases).map(([value, line]) => ({ value, meaning: `cli ${line}` }));
}

/** The flag that waits for its value after a word. */
function flagWaiting(flags: readonly NamedFlag[], word: string | undefined): NamedFlag | undefined {
  if (word === undefined || !/^--?\w/.test(word) || word.includes("=")) return undefined;
  return flags.find(([name, { kind, short }]) =>
    kind !== "switch" && (word === `--${wire(name)}` || word === `-${short}`)
  );
}

/** The name of the argument that comes after the words of a command. */
function argumentAt(command: Command, rest: readonly string[]): string | undefined {
  const { length: given } = argumentsIn(command, rest);
  const all = Object.entries(command.args);
  const [name, last] = all[Math.min(given, all.length - 1)] ?? [];
  return given < all.length || last?.count === "many" ? name : undefined;
}

/** The flags that are not there yet. */
function flagProposals(flags: readonly NamedFlag[], words: readonly string[]): Proposal[] {
  const given = new Set(words.map((word) => word.replace(/=.*$/s, "")));
  return flags
    .filter(([name, { hidden, kind }]) =>
      hidden !== true && (kind === "values" || !given.has(`--${wire(name)}`))
    )
    .map(([name, { brief }]) => ({ value: `--${wire(name)}`, meaning: brief }));
}

/** The values that a flag takes. */
async function valuesOfFlag(
  [name, { choices }]: NamedFlag,
  names: readonly string[],
  globals: ReturnType<typeof splitGlobals>["globals"],
  world: World,
): Promise<Proposal[]> {
  if (choices) return choices.map((value) => ({ value, meaning: "" }));
  return await valuesOf(kindOfFlag(names, name), globals, world);
}
