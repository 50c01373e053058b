/**
 * Man pages from the tree of commands: one for the program, for each group and for each command.
 *
 * @module
 */

import { fileReason } from "../../file_reason.ts";
import { join } from "node:path";
import { ConfigError } from "../../errors.ts";
import { VERSION } from "../../version.ts";
import {
  type CommandOutline,
  type FlagOutline,
  flagWord,
  type GroupOutline,
  type Outline,
} from "./outline.ts";

/** A man page. */
interface ManPage {
  /** The file's name: `cli-offerings-list.1`. */
  file: string;
  /** The page's source for man. */
  text: string;
}

/** Makes all pages. */
export function manPages(outline: Outline): ManPage[] {
  return [
    ...outline.groups.map((group) => page(group.path, group.brief, groupBody(group, outline))),
    ...outline.commands.map((command) =>
      page(command.path, command.brief, commandBody(command, outline))
    ),
  ];
}

/**
 * Writes all pages into a folder, and returns how many.
 *
 * @throws {ConfigError} when the folder cannot be written to.
 */
export async function writeManPages(outline: Outline, folder: string): Promise<number> {
  const pages = manPages(outline);
  try {
    await Deno.mkdir(folder, { recursive: true });
    for (const { file, text } of pages) await Deno.writeTextFile(join(folder, file), text);
  } catch (error) {
    const why = fileReason(error);
    throw new ConfigError(`Cannot write man pages to ${folder}: ${why}`, { cause: error });
  }
  return pages.length;
}

/** The name of an entry's page. */
function nameOf(path: readonly string[]): string {
  return ["cli", ...path].join("-");
}

/** A page with its head. */
function page(path: readonly string[], brief: string, body: readonly string[]): ManPage {
  const name = nameOf(path);
  const lines = [
    `.TH ${name.toUpperCase()} 1 "" "cli ${VERSION}" "cli manual"`,
    ".SH NAME",
    `${escaped(name)} \\- ${escaped(brief)}`,
    ...body,
  ];
  return { file: `${name}.1`, text: `${lines.join("\n")}\n` };
}

/** The page of a group. */
function groupBody({ path, aliases }: GroupOutline, outline: Outline): string[] {
  const inside = ({ path: other }: { path: string[] }) =>
    other.length === path.length + 1 && path.every((word, i) => other[i] === word);
  const entries = [...outline.groups, ...outline.commands].filter(inside);
  return [
    ".SH SYNOPSIS",
    `.B ${escaped(["cli", ...path].join(" "))}`,
    ".I command",
    "[arguments] [flags]",
    ...aliases.length === 0 ? [] : [".SH ALIASES", escaped(aliases.join(", "))],
    ".SH COMMANDS",
    ...entries.flatMap((entry) => [
      ".TP",
      `.BR ${escaped(nameOf(entry.path))} (1)`,
      escaped(entry.brief),
    ]),
    ...flagSection("GLOBAL FLAGS", outline.global_flags),
  ];
}

/** The page of a command. */
function commandBody(command: CommandOutline, { global_flags }: Outline): string[] {
  const { path, usage, details, flags, examples, effect } = command;
  const effects = { reads: "It changes nothing.", writes: "It changes something." };
  return [
    ".SH SYNOPSIS",
    escaped(usage),
    ".SH DESCRIPTION",
    ...(details ?? command.brief).split("\n").map(escaped),
    ".PP",
    effects[effect],
    ...section(
      "ARGUMENTS",
      command.arguments.flatMap((
        { name, brief },
      ) => [".TP", `.I ${escaped(name)}`, escaped(brief)]),
    ),
    ...flagSection("FLAGS", flags),
    ...flagSection("GLOBAL FLAGS", global_flags),
    ...section(
      "EXAMPLES",
      examples.flatMap((line, i) => [
        ...i === 0 ? [] : [".PP"],
        ".EX",
        escaped(line),
        ".EE",
      ]),
    ),
    ".SH SEE ALSO",
    `.BR ${escaped(nameOf(path.slice(0, -1)))} (1)`,
  ];
}

/** A section, if it is not empty. */
function section(heading: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [`.SH ${heading}`, ...lines];
}

/** Flags with their descriptions. */
function flagSection(heading: string, flags: readonly FlagOutline[]): string[] {
  return section(
    heading,
    flags.flatMap((flag) => [
      ".TP",
      `.B ${escaped([...flag.short === null ? [] : [`${flag.short},`], flagWord(flag)].join(" "))}`,
      escaped(flag.brief),
    ]),
  );
}

/** A line of text, escaped so that man reads no request in it. */
function escaped(line: string): string {
  return line.replaceAll("\\", "\\e").replaceAll("-", "\\-").replace(/^(?=[.'])/, "\\&");
}
