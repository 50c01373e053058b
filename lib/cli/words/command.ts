/**
 * Commands and groups of commands. Only this file uses the argument parser, and complaints.ts its
 * errors, so it can be replaced here.
 *
 * A command's arguments and flags have the names of the API's fields; on the command line an
 * underscore is a hyphen (`display_name` is `--display-name`).
 *
 * @module
 */

import {
  type Application,
  buildApplication,
  buildCommand,
  buildRouteMap,
  type Command as StricliCommand,
  type CommandContext,
  type FlagParametersForType,
  type RouteMap,
  run,
  text_en,
  type TypedPositionalParameters,
} from "@stricli/core";
import { UsageError } from "../../errors.ts";
import type { Context } from "../context.ts";
import {
  type Argument,
  type Arguments,
  type Flag,
  type Flags,
  opposite,
  wire,
} from "./parameters.ts";
import { findEntry, type FoundEntry, isGroup } from "./find_entry.ts";
import type { HintRule } from "./hints.ts";
import type { Complaint } from "./complaints.ts";
import { cannot, commandLine } from "../screen/command_lines.ts";
import type { Command, Group } from "./tree.ts";

export * from "./parameters.ts";
export type { Command, Group } from "./tree.ts";

type ValuesOf<P> = {
  [N in keyof P]: P[N] extends Argument<infer T> | Flag<infer T> ? T : never;
};

/** The input of a command: its arguments and flags by name. */
export type Input<A, F> = ValuesOf<A> & ValuesOf<F>;

/** The definition of a command. */
interface CommandSpec<A, F> {
  /** Its description, as an imperative: "Archive an offering". */
  brief: string;
  /** More details, for its help text. */
  details?: string | undefined;
  /** Example command lines, for its help text. */
  examples?: readonly string[] | undefined;
  /** Values given by position, in order. Only the last may be optional or many. */
  args?: A;
  /** Values given by name. */
  flags?: F;
  /** The next command after a refusal, if the object's own commands would not help. */
  hint?: HintRule | undefined;
  /** The flag of a request field, if it has another name: `{ lookup_key: "--id" }`. */
  params?: Readonly<Record<string, string>> | undefined;
  /** Runs it. */
  run(context: Context, input: Input<A, F>): Promise<void>;
}

/** Makes the parser's object of each command: of a group's commands, one is run. */
const parsedForms = new WeakMap<Command, () => StricliCommand<CommandContext>>();

/** Makes a command. */
export function command<
  A extends Arguments = Record<never, never>,
  F extends Flags = Record<never, never>,
>(
  spec: CommandSpec<A, F>,
): Command {
  const args: Arguments = spec.args ?? {};
  const flags: Flags = spec.flags ?? {};
  const parsed = () =>
    buildCommand<Record<string, unknown>, string[], CommandContext>({
      docs: { brief: spec.brief },
      parameters: {
        flags: flagParameters(flags),
        aliases: Object.fromEntries(
          Object.entries(flags).flatMap(([name, { short }]) =>
            // The parser uses -H for its own help, so globals.ts replaces it with the long name.
            short && short !== "H" ? [[short, wire(name)]] : []
          ),
        ),
        positional: positionalParameters(args),
      },
      async func(given, ...values) {
        if (!isRunning(this)) throw new TypeError("A command was run outside of runCommand");
        const input = { ...namedValues(args, values), ...flagValues(flags, given) };
        try {
          // The parser has checked the input against these arguments and flags.
          await spec.run(this.context, input as Input<A, F>);
        } catch (error) {
          this.failures.push({ error, input });
        }
      },
    });
  const { brief, details, examples = [], hint, params = {} } = spec;
  const made: Command = { brief, details, examples, args, flags, hint, params };
  parsedForms.set(made, parsed);
  return made;
}

/** Makes a group of commands. */
export function group(
  brief: string,
  aliases: readonly string[],
  commands: Record<string, Command | Group>,
): Group {
  return { brief, aliases, commands };
}

/**
 * Finds the named command and runs it.
 *
 * @throws the command's error; `UsageError` for invalid words.
 */
export async function runCommand(
  root: Group,
  words: readonly string[],
  context: Context,
): Promise<void> {
  const complaints: Complaint[] = [];
  const failures: Failure[] = [];
  const process = {
    exitCode: 0,
    // Help is written by help.ts, so the parser prints nothing here.
    stdout: { write: () => {} },
    stderr: { write: (text: string) => void complaints.push({ text }) },
  };
  const running: Running & CommandContext = { context, failures, process };
  const found = findEntry(root, words);
  refuseEmptyFlags(found, words);
  await run(application(root, found, complaints), words, running);
  const [failure] = failures;
  if (failure) throw await hinted(failure, found, context);
  if (complaints.length === 0 && process.exitCode === 0) return;
  // Most words are right.
  const { refusedWords } = await import("./complaints.ts");
  throw refusedWords(root, found, words, complaints);
}

/** The error of a command with its hint. */
async function hinted(
  { error, input }: Failure,
  { names, entry }: FoundEntry,
  context: Context,
): Promise<unknown> {
  if (isGroup(entry)) return error;
  const { withHint } = await import("./hints.ts");
  return await withHint(error, { ...entry, names, input, context });
}

/** Refuses `--flag=`: the parser would treat it as an argument and send it. */
function refuseEmptyFlags({ names, entry }: FoundEntry, words: readonly string[]): void {
  const end = words.includes("--") ? words.indexOf("--") : words.length;
  const empty = words.slice(0, end).find((word) => /^--[^=]+=$/.test(word));
  if (empty === undefined) return;
  throw new UsageError(`${cannot(entry.brief)}: ${empty.slice(0, -1)} needs a value`, {
    hint: `Run: ${commandLine(...names, "--help")}`,
  });
}

/** The data of a running command in the parser's context. */
interface Running {
  /** The command's context. */
  readonly context: Context;
  /** The command's error. */
  readonly failures: Failure[];
}

/** A command's error and its input. */
interface Failure {
  /** The error. */
  readonly error: unknown;
  /** The values, by name. */
  readonly input: Readonly<Record<string, unknown>>;
}

function isRunning(value: object): value is Running {
  return "context" in value && "failures" in value;
}

/** The parser's application for the tree. It notes what it refuses; the words are found later. */
function application(
  root: Group,
  { names, entry }: FoundEntry,
  complaints: Complaint[],
): Application<CommandContext> {
  const noted = (complaint: Complaint) => {
    complaints.push(complaint);
    return "";
  };
  // Where no command was found, the parser looks for the next word among all of them.
  return buildApplication(routeMap(root, isGroup(entry) ? [] : names), {
    name: "cli",
    scanner: { caseStyle: "original", allowArgumentEscapeSequence: true },
    documentation: { caseStyle: "original" },
    localization: {
      text: {
        ...text_en,
        noCommandRegisteredForInput: ({ input }) => noted({ input }),
        exceptionWhileParsingArguments: (error) => noted({ error }),
      },
    },
  });
}

/** The parser's map of a group's commands: of those on the way, or of all without a way. */
function routeMap({ brief, commands }: Group, way: readonly string[]): RouteMap<CommandContext> {
  const [next, ...rest] = way;
  const entries = Object.entries(commands).filter(([name]) => next === undefined || name === next);
  const routes = entries.map(([name, entry]) =>
    [name, isGroup(entry) ? routeMap(entry, rest) : parsedForm(entry)] as const
  );
  const aliases = entries.flatMap(([name, entry]) =>
    isGroup(entry) ? entry.aliases.map((alias) => [alias, name]) : []
  );
  return buildRouteMap({
    routes: Object.fromEntries(routes),
    aliases: Object.fromEntries(aliases),
    docs: { brief },
  });
}

/** The parser's form of a command. */
function parsedForm(one: Command): StricliCommand<CommandContext> {
  const parsed = parsedForms.get(one);
  if (parsed === undefined) throw new TypeError("A command must come from command()");
  return parsed();
}

/** The parser's form of our flags. The opposite of a switch works, but is not shown. */
function flagParameters(flags: Flags): FlagParametersForType<Record<string, unknown>> {
  const switches = Object.entries(flags).filter(([name, { kind }]) =>
    kind === "switch" && !name.startsWith("no_")
  );
  const opposites = switches.map(([name, { brief }]) => [
    opposite(name),
    flagParameter({ brief: `Not: ${brief}`, kind: "switch", hidden: true }),
  ]);
  const entries = Object.entries(flags).map(([name, flag]) => [wire(name), flagParameter(flag)]);
  return Object.fromEntries([...opposites, ...entries]);
}

function flagParameter(flag: Flag<unknown>): Record<string, unknown> {
  const { brief, hidden } = flag;
  const optional = flag.required !== true;
  const common = { brief, optional, ...hidden && { hidden } };
  // The parser's own opposite of `--dry-run` would be `--noDry-run`.
  if (flag.kind === "switch") return { ...common, kind: "boolean", withNegated: false };
  if (flag.choices) return { ...common, kind: "enum", values: flag.choices };
  const variadic = flag.kind === "values" && { variadic: true };
  const placeholder = flag.placeholder !== undefined && { placeholder: flag.placeholder };
  return { ...common, kind: "parsed", parse: flag.parse ?? String, ...placeholder, ...variadic };
}

/** The parser's form of our arguments: an array if the last one can be repeated, else a tuple. */
function positionalParameters(
  args: Arguments,
): TypedPositionalParameters<string[], CommandContext> {
  const entries = Object.entries(args);
  if (entries.some(([, { count }]) => count === "many")) {
    const placeholder = entries.map(([name]) => wire(name)).join("> <");
    return {
      kind: "array",
      minimum: entries.length,
      parameter: { brief: "", placeholder, parse: String },
    };
  }
  const parameters = entries.map(([name, { brief, count }]) => ({
    brief,
    placeholder: wire(name),
    parse: String,
    ...count === "optional" && { optional: true },
  }));
  // The parser's types need a tuple's length, which is known only here.
  return { kind: "tuple", parameters } as unknown as TypedPositionalParameters<
    string[],
    CommandContext
  >;
}

/** Returns the values by their arguments' names. */
function namedValues(args: Arguments, values: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(args).map(([name, { count }], i) => [
      name,
      count === "many" ? values.slice(i) : values[i],
    ]),
  );
}

/** The flags' values by name. A repeatable flag is always present. */
function flagValues(flags: Flags, given: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(flags).map(([name, { kind }]) => {
      const denied = kind === "switch" && given[opposite(name)] === true ? false : undefined;
      return [name, given[wire(name)] ?? denied ?? (kind === "values" ? [] : undefined)];
    }),
  );
}
