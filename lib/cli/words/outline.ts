/**
 * The whole tree of commands as data, for `cli commands`, man pages and completion.
 *
 * @module
 */

import type { Argument, Flag, Flags } from "./parameters.ts";
import { opposite, wire } from "./parameters.ts";
import { type Effect, effectOf } from "./effect.ts";
import { GLOBAL_FLAGS } from "./globals.ts";
import { isGroup } from "./find_entry.ts";
import { commandLine } from "../screen/command_lines.ts";
import type { Command, Group } from "./tree.ts";

/** A value given by position. */
interface ArgumentOutline {
  /** Its name. */
  name: string;
  /** Whether it is required, optional or repeatable. */
  count: Argument<unknown>["count"];
  /** Its description. */
  brief: string;
}

/** A value given by name. */
export interface FlagOutline {
  /** Its name, with its dashes. */
  name: string;
  /** Its short form, with its dash, or null. */
  short: string | null;
  /** The flag that turns it off, for a switch that is on by default, or null. */
  opposite: string | null;
  /** Whether it has no value, one, or one per repetition. */
  kind: Flag<unknown>["kind"];
  /** Whether it is required. */
  required: boolean;
  /** Its choices, or null. */
  choices: readonly string[] | null;
  /** The placeholder of its value, or null. */
  placeholder: string | null;
  /** Its description. */
  brief: string;
}

/** A command. */
export interface CommandOutline {
  /** Its words. */
  path: string[];
  /** Whether it reads or changes something. */
  effect: Effect;
  /** Its description. */
  brief: string;
  /** More details, or null. */
  details: string | null;
  /** Its usage line. */
  usage: string;
  /** Its arguments, in order. */
  arguments: ArgumentOutline[];
  /** Its own flags. */
  flags: FlagOutline[];
  /** Example command lines. */
  examples: readonly string[];
}

/** A group of commands. */
export interface GroupOutline {
  /** Its words. */
  path: string[];
  /** Other names of its last word. */
  aliases: readonly string[];
  /** Its description. */
  brief: string;
}

/** The whole tree. */
export interface Outline {
  /** The groups, the root first. */
  groups: GroupOutline[];
  /** The commands. */
  commands: CommandOutline[];
  /** The global flags. */
  global_flags: FlagOutline[];
}

/** Outlines a tree. */
export function outlineOf(root: Group): Outline {
  const groups: GroupOutline[] = [];
  const commands: CommandOutline[] = [];
  const walk = (entry: Command | Group, path: string[]): void => {
    if (!isGroup(entry)) return void commands.push(outlineCommand(entry, path));
    groups.push({ path, aliases: entry.aliases, brief: entry.brief });
    for (const [name, inner] of Object.entries(entry.commands)) walk(inner, [...path, name]);
  };
  walk(root, []);
  return { groups, commands, global_flags: outlineFlags(GLOBAL_FLAGS) };
}

/** Outlines a command. */
function outlineCommand(command: Command, path: string[]): CommandOutline {
  const { brief, details, args, flags, examples } = command;
  const words = Object.entries(args).map(([name, { count }]) => argumentWord(name, count));
  const outlined = outlineFlags(flags);
  const needed = outlined.filter(({ required }) => required).map(flagWord);
  return {
    path,
    effect: effectOf(path),
    brief,
    details: details ?? null,
    usage: commandLine(...path, ...words, ...needed, "[flags]"),
    arguments: Object.entries(args).map(([name, argument]) => ({
      name: wire(name),
      count: argument.count,
      brief: argument.brief,
    })),
    flags: outlined,
    examples,
  };
}

/** An argument in a usage line. */
function argumentWord(name: string, count: Argument<unknown>["count"]): string {
  if (count === "optional") return `[${wire(name)}]`;
  return `<${wire(name)}>${count === "many" ? "..." : ""}`;
}

/** A flag with its placeholder. */
export function flagWord({ name, kind, choices, placeholder }: FlagOutline): string {
  if (kind === "switch") return name;
  return `${name} <${choices?.join("|") ?? placeholder ?? "value"}>`;
}

/** Outlines the flags that help shows. */
function outlineFlags(flags: Readonly<Flags>): FlagOutline[] {
  return Object.entries(flags).filter(([, { hidden }]) => hidden !== true).map(([name, flag]) => ({
    name: `--${wire(name)}`,
    short: flag.short === undefined ? null : `-${flag.short}`,
    opposite: flag.on ? `--${opposite(name)}` : null,
    kind: flag.kind,
    required: flag.required === true || flag.required === "by the command",
    choices: flag.choices ?? null,
    placeholder: flag.placeholder ?? null,
    brief: flag.brief,
  }));
}
