/**
 * The help text of commands and groups, for people and for programs.
 *
 * @module
 */

import type { Command, Group } from "./tree.ts";
import { padEnd, width, wrap } from "../screen/display.ts";
import { GLOBAL_FLAGS } from "./globals.ts";
import { type Argument, type Flag, type Flags, opposite, wire } from "./parameters.ts";
import { type FoundEntry, isGroup } from "./find_entry.ts";
import { commandLine } from "../screen/command_lines.ts";

/** The layout of help. */
interface HelpStyle {
  /** The width of a line, in columns. */
  columns: number;
  /** Highlights a heading. */
  bold(text: string): string;
}

/** The layout for a stream: its columns, if a terminal shows it, and whether it shows colours. */
export function styleOf(columns: number | undefined, isColored: boolean): HelpStyle {
  const bold = (text: string) => isColored ? `\x1b[1m${text}\x1b[22m` : text;
  return { columns: Math.min(columns ?? 80, 100), bold };
}

/** A part of a help text: a heading, and lines or rows of two columns below it. */
interface Section {
  /** The heading. */
  heading: string;
  /** Names and their meanings. A name without a meaning is an example to copy. */
  rows: readonly (readonly [name: string, meaning: string])[];
}

/** The indentation below a heading. */
const MARGIN = "  ";

/** The meaning of a wider name goes on the next line. */
const WIDEST_NAME = 34;

/** The help text of a command or group. */
export function helpText({ names, entry }: FoundEntry, { columns, bold }: HelpStyle): string {
  const details = isGroup(entry) ? undefined : entry.details;
  const intro = [entry.brief, ...details === undefined ? [] : ["", ...details.split("\n")]];
  const sections = isGroup(entry) ? groupSections(names, entry) : commandSections(names, entry);
  const blocks = [
    intro.flatMap((line) => wrap(line, columns)),
    ...[...sections, { heading: "Global flags", rows: flagRows(GLOBAL_FLAGS) }]
      .filter(({ rows }) => rows.length > 0)
      .map(({ heading, rows }) => [bold(heading.toUpperCase()), ...rowLines(rows, columns)]),
  ];
  return `${blocks.map((lines) => lines.join("\n")).join("\n\n")}\n`;
}

/** The same as JSON, for `--help --output json`. */
export function helpJson({ names, entry }: FoundEntry): string {
  const common = { command: commandLine(...names), brief: entry.brief };
  if (isGroup(entry)) {
    const commands = Object.entries(entry.commands).map(([name, inner]) => ({
      name,
      ...isGroup(inner) && { aliases: inner.aliases },
      brief: inner.brief,
    }));
    return JSON.stringify({ ...common, aliases: entry.aliases, commands });
  }
  return JSON.stringify({
    ...common,
    details: entry.details ?? null,
    usage: usageOf(names, entry),
    arguments: Object.entries(entry.args).map(([name, { brief, count }]) => ({
      name: wire(name),
      count,
      brief,
    })),
    flags: shownFlags(entry.flags).map(([name, { brief, kind, short, choices, required }]) => ({
      name: `--${wire(name)}`,
      short: short === undefined ? null : `-${short}`,
      kind,
      required: isRequired(required),
      choices: choices ?? null,
      brief,
    })),
    examples: entry.examples,
  });
}

/** The help of a group. */
function groupSections(names: readonly string[], group: Group): Section[] {
  const usage = commandLine(...names, names.length > 0 ? "<command>" : "<group> <command>");
  return [
    { heading: "Usage", rows: [[`${usage} [arguments] [flags]`, ""]] },
    { heading: "Aliases", rows: group.aliases.map((alias) => [alias, ""] as const) },
    { heading: "Commands", rows: Object.entries(group.commands).map(commandRow) },
    exampleSection(group.examples ?? []),
  ];
}

/** A command or group in the help of its group. */
function commandRow([name, entry]: [string, Command | Group]): readonly [string, string] {
  if (!isGroup(entry)) return [[name, ...argumentWords(entry)].join(" "), entry.brief];
  const aliases = entry.aliases.length > 0 ? ` (${entry.aliases.join(", ")})` : "";
  return [name + aliases, entry.brief];
}

/** The help of a command. */
function commandSections(names: readonly string[], command: Command): Section[] {
  const args = Object.entries(command.args);
  return [
    { heading: "Usage", rows: [[usageOf(names, command), ""]] },
    {
      heading: "Arguments",
      rows: args.map(([name, argument]) => [argumentWord([name, argument]), argument.brief]),
    },
    { heading: "Flags", rows: flagRows(command.flags) },
    exampleSection(command.examples),
  ];
}

function exampleSection(examples: readonly string[]): Section {
  return { heading: "Examples", rows: examples.map((line) => [line, ""] as const) };
}

/** The usage line of a command. */
function usageOf(names: readonly string[], command: Command): string {
  const flags = shownFlags(command.flags);
  const required = flags.filter(([, flag]) => isRequired(flag.required))
    .map(([name, flag]) => flagWord(name, flag));
  const others = flags.length > required.length ? ["[flags]"] : [];
  return commandLine(...names, ...argumentWords(command), ...required, ...others);
}

function argumentWords(command: Command): string[] {
  return Object.entries(command.args).map(argumentWord);
}

/** An argument in a usage line: `<id>`, `[id]` or `<id>...`. */
function argumentWord([name, { count }]: [string, Argument<unknown>]): string {
  if (count === "optional") return `[${wire(name)}]`;
  return `<${wire(name)}>${count === "many" ? "..." : ""}`;
}

/** The flags that help shows. */
function shownFlags(flags: Readonly<Flags>): [string, Flag<unknown>][] {
  return Object.entries(flags).filter(([, { hidden }]) => hidden !== true);
}

/** Flags, one per row, with their long names aligned. */
function flagRows(flags: Readonly<Flags>): [string, string][] {
  const shown = shownFlags(flags);
  const anyShort = shown.some(([, { short }]) => short !== undefined);
  return shown.map(([name, flag]) => {
    const short = flag.short === undefined ? (anyShort ? "    " : "") : `-${flag.short}, `;
    const no = flag.on ? `, --${opposite(name)}` : "";
    return [short + flagWord(name, flag) + no, meaningOf(flag)];
  });
}

/** Whether a flag is required, for the parser or the command. */
function isRequired(required: Flag<unknown>["required"]): boolean {
  return required === true || required === "by the command";
}

/** A flag in a help text: `--file <path>`. */
function flagWord(name: string, { kind, choices, placeholder }: Flag<unknown>): string {
  const value = placeholder ?? (choices ? "choice" : "value");
  return `--${wire(name)}${kind === "switch" ? "" : ` <${value}>`}`;
}

/** The description of a flag, with its choices. */
function meaningOf({ brief, kind, choices, required }: Flag<unknown>): string {
  const notes = [
    ...choices ? [choices.join(", ")] : [],
    ...kind === "values" ? ["repeatable"] : [],
    ...isRequired(required) ? ["required"] : [],
    ...required === "without --file" ? ["required without --file"] : [],
  ];
  return notes.length === 0 ? brief : `${brief} [${notes.join("; ")}]`;
}

/** With less room beside the names, the meanings go on the next lines. */
const LEAST_BESIDE = 24;

/** The lines of a section. Names are never broken. */
function rowLines(rows: Section["rows"], columns: number): string[] {
  const names = rows.filter(([, meaning]) => meaning !== "").map(([name]) => width(name));
  const widest = Math.max(0, ...names.filter((one) => one <= WIDEST_NAME));
  const beside = MARGIN.length + widest + 2;
  const below = columns - beside < LEAST_BESIDE;
  const indent = below ? MARGIN.length * 3 : beside;
  return rows.flatMap(([name, meaning]) => {
    if (meaning === "") return [MARGIN + name];
    const lines = wrap(meaning, Math.max(1, columns - indent)).map((line) =>
      " ".repeat(indent) + line
    );
    if (below || width(name) > widest) return [MARGIN + name, ...lines];
    const [first = "", ...rest] = lines;
    return [MARGIN + padEnd(name, widest) + first.slice(MARGIN.length + widest), ...rest];
  });
}
