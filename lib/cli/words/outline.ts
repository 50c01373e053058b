/**
 * The whole tree of commands as data: what `cli commands`, man pages and completion are made of.
 *
 * @module
 */

import type { Argument, Flag, Flags } from "./parameters.ts";
import { opposite, wire } from "./parameters.ts";
import { type Effect, effectOf } from "./effect.ts";
import { GLOBAL_FLAGS } from "./globals.ts";
import { isGroup } from "./find_entry.ts";
import { commandLine } from "./shell.ts";
import type { Command, Group } from "./tree.ts";

/** A value given by position. */
interface ArgumentOutline {
  /** Its name. */
  name: string;
  /** Whether it must be given, may be left out, or may be given any number of times. */
  count: Argument<unknown>["count"];
  /** What it is. */
  brief: string;
}

/** A value given by name. */
export interface FlagOutline {
  /** Its name, with its dashes. */
  name: string;
  /** One letter that does the same, with its dash, or null. */
  short: string | null;
  /** The flag that says no, for a switch that is on by itself, or null. */
  opposite: string | null;
  /** Whether it takes no value, one, or one each time it is given. */
  kind: Flag<unknown>["kind"];
  /** Whether it must be given. */
  required: boolean;
  /** The values it takes, where they are few, or null. */
  choices: readonly string[] | null;
  /** What stands for its value, or null. */
  placeholder: string | null;
  /** What it does. */
  brief: string;
}

/** A command. */
export interface CommandOutline {
  /** The words that name it. */
  path: string[];
  /** Whether it reads or changes something. */
  effect: Effect;
  /** What it does. */
  brief: string;
  /** More about it, or null. */
  details: string | null;
  /** How it is written. */
  usage: string;
  /** Its arguments, in order. */
  arguments: ArgumentOutline[];
  /** Its own flags. */
  flags: FlagOutline[];
  /** Command lines to learn from. */
  examples: readonly string[];
}

/** A group of commands. */
export interface GroupOutline {
  /** The words that name it. */
  path: string[];
  /** Other names of its last word. */
  aliases: readonly string[];
  /** What its commands are about. */
  brief: string;
}

/** The whole tree. */
export interface Outline {
  /** The groups, the root first. */
  groups: GroupOutline[];
  /** The commands. */
  commands: CommandOutline[];
  /** The flags that every command takes. */
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

/** An argument as it is written. */
function argumentWord(name: string, count: Argument<unknown>["count"]): string {
  if (count === "optional") return `[${wire(name)}]`;
  return `<${wire(name)}>${count === "many" ? "..." : ""}`;
}

/** A flag as it is written, with its value. */
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
