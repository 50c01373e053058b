/**
 * Complaints about the words of a command line. They are loaded only for words that are refused.
 *
 * @module
 */

import {
  ArgumentParseError,
  ArgumentScannerError,
  formatMessageForArgumentScannerError,
} from "@stricli/core";
import { UsageError } from "../../errors.ts";
import { type FoundEntry, isGroup } from "./find_entry.ts";
import { GLOBAL_FLAGS } from "./globals.ts";
import { wire } from "./parameters.ts";
import { cannot, commandLine } from "../screen/command_lines.ts";
import { likelyFlag, meantBy } from "./suggestions.ts";
import type { Command, Group } from "./tree.ts";

/** What the parser complains of: an error of an argument, an unknown command, or its own text. */
export type Complaint =
  | { readonly error: unknown }
  | { readonly input: string }
  | { readonly text: string };

/** The error for words that the parser refused. */
export function refusedWords(
  root: Group,
  found: FoundEntry,
  words: readonly string[],
  complaints: readonly Complaint[],
): UsageError {
  const texts = complaints.map((one) =>
    "error" in one
      ? complaintOf(one.error, found.entry, words)
      : "input" in one
      ? unknownCommand(root, found.names, one.input)
      : one.text
  );
  const message = inOneLine(texts.join("\n")) || "Cannot run the command";
  const [, meant] = /; did you mean "([^"-][^"]*)"/.exec(message) ?? [];
  const hint = `Run: ${commandLine(...meant === undefined ? found.names : [meant], "--help")}`;
  const dashed = /there is no flag -[^-]/.test(message);
  return new UsageError(message, { hint: dashed ? `${hint}; ${DASHED}` : hint });
}

/** The spelling of values and arguments that begin with a dash. */
const DASHED =
  'for a value that begins with "-", write --flag=-value; for an argument, put -- before it';

/** Several complaints as one sentence with a shared beginning. */
function inOneLine(complaints: string): string {
  const lines = complaints.split("\n").map((line) => line.trim()).filter(Boolean);
  const [first = "", ...others] = new Set(lines);
  const [start = ""] = /^Cannot [^:]*: /.exec(first) ?? [];
  return [first, ...others.map((line) => line.startsWith(start) ? line.slice(start.length) : line)]
    .join("; ");
}

/** The complaint about a word that names no command. */
function unknownCommand(root: Group, names: readonly string[], input: string): string {
  const known = meantBy(root, names, input).map((one) => JSON.stringify(one));
  const meant = known.length > 0 ? `; did you mean ${known.join(" or ")}?` : "";
  return `Cannot run ${JSON.stringify([...names, input].join(" "))}: ` +
    `there is no such command${meant}`;
}

/** The parser's complaints, in our words. */
function complaintOf(error: unknown, entry: Command | Group, words: readonly string[]): string {
  if (error instanceof ArgumentParseError && error.exception instanceof UsageError) {
    return error.exception.message;
  }
  const flags = isGroup(entry) ? [] : Object.entries(entry.flags)
    .flatMap(([name, { hidden }]) => hidden === true ? [] : wire(name));
  return `${cannot(entry.brief)}: ${sentenceOf(error, words, flags).split("\n")[0]}`;
}

/** The sentence of a parser's error. */
function sentenceOf(error: unknown, words: readonly string[], flags: readonly string[]): string {
  if (!(error instanceof ArgumentScannerError)) return String(error);
  return formatMessageForArgumentScannerError(error, {
    UnsatisfiedPositionalError: ({ placeholder, limit }) =>
      limit ? `<${placeholder}>... is missing` : `<${placeholder}> is missing`,
    UnsatisfiedFlagError: ({ externalFlagName: name }) =>
      words.some((word) => word.startsWith(`--${name}`))
        ? `--${name} needs a value`
        : `--${name} is missing`,
    UnexpectedPositionalError: ({ input }) => `unexpected argument ${JSON.stringify(input)}`,
    FlagNotFoundError: ({ input }) => {
      const meant = likelyFlag(input, [...flags, ...Object.keys(GLOBAL_FLAGS).map(wire)]);
      return `there is no flag --${input}${meant ? `; did you mean --${meant}?` : ""}`;
    },
    AliasNotFoundError: ({ input }) => `there is no flag -${input}`,
    UnexpectedFlagError: ({ externalFlagName }) => `--${externalFlagName} is given twice`,
    ArgumentParseError: ({ externalFlagNameOrPlaceholder: name, input }) =>
      `--${name} cannot be ${JSON.stringify(input)}; it takes yes or no`,
    EnumValidationError: ({ externalFlagName, input, values }) =>
      `--${externalFlagName} cannot be ${JSON.stringify(input)}; it takes ${values.join(", ")}`,
  });
}
