/**
 * Commands and groups of commands. The only file that knows the argument parser, so another one can
 * take its place here.
 *
 * A command's arguments and flags have the names of the API's fields; on the command line an
 * underscore is a hyphen (`display_name` is `--display-name`).
 *
 * @module
 */

import {
  type Application,
  ArgumentParseError,
  ArgumentScannerError,
  buildApplication,
  buildCommand,
  buildRouteMap,
  type Command as StricliCommand,
  type CommandContext,
  type FlagParametersForType,
  formatMessageForArgumentScannerError,
  type RouteMap,
  run,
  text_en,
  type TypedPositionalParameters,
} from "@stricli/core";
import { UsageError } from "../errors.ts";
import type { Context } from "./context.ts";
import type { Argument, Flag } from "./parameters.ts";

export * from "./parameters.ts";

type Arguments = Record<string, Argument<unknown>>;
type Flags = Record<string, Flag<unknown>>;
type ValuesOf<P> = {
  [N in keyof P]: P[N] extends Argument<infer T> | Flag<infer T> ? T : never;
};

/** What a command gets to work with: its arguments and flags by name. */
export type Input<A, F> = ValuesOf<A> & ValuesOf<F>;

/** A command, as it is written. */
export interface CommandSpec<A, F> {
  /** What it does, as an order: "Archive an offering". */
  brief: string;
  /** More about it, for its help text. */
  details?: string;
  /** Values given by position, in order. Only the last may be optional or many. */
  args?: A;
  /** Values given by name. */
  flags?: F;
  /** Does it. */
  run(context: Context, input: Input<A, F>): Promise<void>;
}

/** A command, ready for the parser. */
export interface Command {
  /** What it does. */
  readonly brief: string;
  /** What the parser knows it as. */
  readonly parsed: StricliCommand<CommandContext>;
}

/** A group of commands. */
export interface Group {
  /** What its commands are about. */
  readonly brief: string;
  /** Other names of the group. */
  readonly aliases: readonly string[];
  /** Its commands by name, and groups inside it. */
  readonly commands: Readonly<Record<string, Command | Group>>;
}

/** Makes a command. */
export function command<
  A extends Arguments = Record<never, never>,
  F extends Flags = Record<never, never>,
>(
  spec: CommandSpec<A, F>,
): Command {
  const args: Arguments = spec.args ?? {};
  const flags: Flags = spec.flags ?? {};
  const parsed = buildCommand<Record<string, unknown>, string[], CommandContext>({
    docs: {
      brief: spec.brief,
      ...spec.details !== undefined && { fullDescription: `${spec.brief}.\n\n${spec.details}` },
    },
    parameters: {
      flags: flagParameters(flags),
      aliases: Object.fromEntries(
        Object.entries(flags).flatMap(([name, { short }]) => short ? [[short, wire(name)]] : []),
      ),
      positional: positionalParameters(args),
    },
    async func(given, ...values) {
      if (!isRunning(this)) throw new TypeError("A command was run outside of runCommand");
      const input = { ...namedValues(args, values), ...flagValues(flags, given) };
      this.briefs.push(spec.brief);
      try {
        // The parser has checked the input against these very arguments and flags.
        await spec.run(this.context, input as Input<A, F>);
      } catch (error) {
        this.failures.push(error);
      }
    },
  });
  return { brief: spec.brief, parsed };
}

/** Makes a group of commands. */
export function group(
  brief: string,
  aliases: readonly string[],
  commands: Record<string, Command | Group>,
): Group {
  return { brief, aliases, commands };
}

/** What became of a command line. */
export interface Outcome {
  /** What the command that ran does, where one ran. */
  brief: string | undefined;
  /** What it threw, or what is wrong with the command line. */
  failure: unknown;
}

/** Finds the command that the words name and runs it. Help goes to `write`. */
export async function runCommand(
  groups: Readonly<Record<string, Group | Command>>,
  words: readonly string[],
  context: Context,
  write: (text: string) => void,
): Promise<Outcome> {
  const complaints: string[] = [];
  const failures: unknown[] = [];
  const briefs: string[] = [];
  const state: Running & CommandContext = {
    context,
    failures,
    briefs,
    process: {
      // The parser's name for many values is one name; here it is several again.
      stdout: { write: (text) => write(text.replace(/^( {2}\S+)> <(\S+\.\.\.)/m, "$1, $2")) },
      stderr: { write: (text) => void complaints.push(text) },
    },
  };
  const process = { ...state.process, exitCode: 0 };
  await run(application(groups), words, { ...state, process });
  const [brief] = briefs;
  if (failures.length > 0) return { brief, failure: failures[0] };
  if (complaints.length === 0 && process.exitCode === 0) return { brief, failure: undefined };
  const message = complaints.join("").trim() || "Cannot run the command";
  return { brief, failure: new UsageError(message, { hint: helpHint(groups, words) }) };
}

/** What a running command finds in the parser's context. */
interface Running {
  /** The way to the world. */
  readonly context: Context;
  /** What the command threw. */
  readonly failures: unknown[];
  /** What the command does. */
  readonly briefs: string[];
}

function isRunning(value: object): value is Running {
  return "context" in value && "failures" in value && "briefs" in value;
}

/** The parser's application over these groups. */
function application(
  groups: Readonly<Record<string, Group | Command>>,
): Application<CommandContext> {
  const root = routeMap({
    brief: "Manage app subscriptions: catalogue, customers, purchases and reports",
    aliases: [],
    commands: groups,
  });
  return buildApplication(root, {
    name: "cli",
    scanner: { caseStyle: "original", allowArgumentEscapeSequence: true },
    documentation: { caseStyle: "original", disableAnsiColor: true },
    localization: { text: TEXT },
  });
}

const TEXT = {
  ...text_en,
  noCommandRegisteredForInput: ({ input, corrections }: {
    input: string;
    corrections: readonly string[];
  }) => {
    const known = corrections.map((word) => word.replaceAll("`", '"')).join(" or ");
    return `Cannot run "${input}": there is no such command${known && `; did you mean ${known}?`}`;
  },
  exceptionWhileParsingArguments: (error: unknown) =>
    error instanceof ArgumentParseError && error.exception instanceof UsageError
      ? error.exception.message
      : `Cannot read the arguments: ${sentenceOf(error).split("\n")[0]}`,
};

/** The sentence of a parser's error. */
function sentenceOf(error: unknown): string {
  if (!(error instanceof ArgumentScannerError)) return String(error);
  return formatMessageForArgumentScannerError(error, {
    UnsatisfiedPositionalError: ({ placeholder, limit }) =>
      limit ? `<${placeholder}>... are needed` : `<${placeholder}> is missing`,
    UnsatisfiedFlagError: ({ externalFlagName }) => `--${externalFlagName} needs a value`,
    UnexpectedPositionalError: ({ input }) => `${JSON.stringify(input)} is one too many`,
    FlagNotFoundError: ({ input, corrections: [first] }) =>
      `there is no flag --${input}${first ? `; did you mean --${first}?` : ""}`,
    AliasNotFoundError: ({ input }) => `there is no flag -${input}`,
    EnumValidationError: ({ externalFlagName, input, values }) =>
      `--${externalFlagName} cannot be ${JSON.stringify(input)}; it takes ${values.join(", ")}`,
  });
}

/** The parser's map of a group's commands. */
function routeMap({ brief, commands }: Group): RouteMap<CommandContext> {
  const entries = Object.entries(commands);
  const routes = entries.map(([name, entry]) =>
    [name, "parsed" in entry ? entry.parsed : routeMap(entry)] as const
  );
  const aliases = entries.flatMap(([name, entry]) =>
    "aliases" in entry ? entry.aliases.map((alias) => [alias, name]) : []
  );
  return buildRouteMap({
    routes: Object.fromEntries(routes),
    aliases: Object.fromEntries(aliases),
    docs: { brief },
  });
}

/** The command whose help tells how it should have been written. */
function helpHint(
  groups: Readonly<Record<string, Group | Command>>,
  words: readonly string[],
): string {
  const path: string[] = [];
  let entry: Group | Command = { brief: "", aliases: [], commands: groups };
  for (const word of words) {
    const found: Group | Command | undefined = "commands" in entry
      ? findNamed(entry.commands, word)
      : undefined;
    if (!found) break;
    path.push(word);
    entry = found;
  }
  return `Run: ${["cli", ...path, "--help"].join(" ")}`;
}

/** The command or group that a word names. */
function findNamed(
  commands: Readonly<Record<string, Command | Group>>,
  word: string,
): Command | Group | undefined {
  return Object.entries(commands).find(([name, entry]) =>
    name === word || ("aliases" in entry && entry.aliases.includes(word))
  )?.[1];
}

/** A field's name as it stands on the command line. */
function wire(name: string): string {
  return name.replaceAll("_", "-");
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

/** The flag that says no where a switch says yes. */
function opposite(name: string): string {
  return `no-${wire(name)}`;
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

/** The parser's form of our arguments: a row of texts where the last may be many, else a tuple. */
function positionalParameters(
  args: Arguments,
): TypedPositionalParameters<string[], CommandContext> {
  const entries = Object.entries(args);
  const briefs = entries.map(([name, { brief }]) => `${wire(name)}: ${brief}`).join("; ");
  if (entries.some(([, { count }]) => count === "many")) {
    // The parser shows `<…>...`, so this reads `<id> <product-id>...`.
    const placeholder = entries.map(([name]) => wire(name)).join("> <");
    return {
      kind: "array",
      minimum: entries.length,
      parameter: { brief: briefs, placeholder, parse: String },
    };
  }
  const parameters = entries.map(([name, { brief, count }]) => ({
    brief,
    placeholder: wire(name),
    parse: String,
    ...count === "optional" && { optional: true },
  }));
  // The parser's types know a tuple's length; ours is known only here.
  return { kind: "tuple", parameters } as unknown as TypedPositionalParameters<
    string[],
    CommandContext
  >;
}

/** Gives each value its argument's name. */
function namedValues(args: Arguments, values: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(args).map(([name, { count }], i) => [
      name,
      count === "many" ? values.slice(i) : values[i],
    ]),
  );
}

/** The flags' values under their own names, a repeatable one never missing. */
function flagValues(flags: Flags, given: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(flags).map(([name, { kind }]) => {
      const denied = kind === "switch" && given[opposite(name)] === true ? false : undefined;
      return [name, given[wire(name)] ?? denied ?? (kind === "values" ? [] : undefined)];
    }),
  );
}
