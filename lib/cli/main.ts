/**
 * Runs one command line: finds the command, runs it, and turns its error into an exit code.
 *
 * @module
 */

import { alarm } from "../alarm.ts";
// What the files below load is named here as well. Deno reads the source map of each file that is the
// first to import another one, which takes as long as to load a small file.
import "./input/input.ts";
import "./screen/clusters.ts";
import "./screen/display.ts";
import "./screen/json_text.ts";
import "./screen/live_line.ts";
import "./screen/table.ts";
import "./screen/waiting.ts";
import "./words/parameters.ts";
import "./words/shape_flags.ts";
import "../config/machine.ts";
import "../config/shell_word.ts";
import "../platform/deno.ts";
import "../platform/mod.ts";
import "../platform/node.ts";
import "../platform/types.ts";
import { UsageError } from "../errors.ts";
import { type Group, runCommand } from "./words/command.ts";
import { isAtTop, loadFor } from "./commands/mod.ts";
import { createContext, type Globals, systemWorld, type World } from "./context.ts";
import { isJson, isShaped } from "./data/shape.ts";
import type { DataWriter } from "./data/writer.ts";
import { type Split, splitGlobals } from "./words/globals.ts";
import { createOutput } from "./screen/output.ts";
import { findEntry, type FoundEntry, isGroup } from "./words/find_entry.ts";
import type { reportFailure } from "./failure.ts";
import type { Failed } from "./screen/report.ts";
import { commandLine } from "./screen/command_lines.ts";

/** What the program uses of its process besides a world. */
export interface Process {
  /** The command line. */
  readonly args: readonly string[];
  /** The operating system. */
  readonly build: Pick<typeof Deno.build, "os">;
  /** Calls a function for each signal of a kind. */
  addSignalListener(signal: Deno.Signal, stop: () => void): void;
  /** Ends that. */
  removeSignalListener(signal: Deno.Signal, stop: () => void): void;
  /** Ends the process. */
  exit(code: number): void;
}

/** Runs the command line of a process, and returns its exit code. */
export async function start(process: Process): Promise<number> {
  holdProgram(Deno.mainModule);
  const interrupt = new AbortController();
  const stoppable = listenForStop(interrupt, process);
  return await run(process.args, await systemWorld(interrupt.signal, stoppable));
}

/** The time after which a command counts as a lasting one, in milliseconds. */
const LASTING_MS = 250;

/**
 * Keeps the files of an installed program there while a lasting command may still load some of them:
 * `deno task install` removes no program whose main file is locked. The lock ends with the process,
 * however that ends. A short command takes none, which saves it a third of a millisecond.
 */
function holdProgram(mainModule: string): void {
  if (!mainModule.endsWith("/program/cli.js")) return;
  alarm(LASTING_MS, () => {
    try {
      // Open for reading only, since the program may belong to somebody else.
      Deno.openSync(new URL(mainModule)).tryLockSync(false);
    } catch {
      // A drive without locks.
    }
  });
}

/**
 * How long signals may belong to the same Ctrl-C, in milliseconds: a terminal sends it to all
 * programs of a command line, and those that run others (`npx`, `deno task`) pass it on.
 */
const SAME_STOP_MS = 500;

/**
 * The first Ctrl-C stops the work; a second one does not wait for it. Returns a function that runs
 * work in which no signal is heard, with signals as they are by themselves: they end the process.
 */
export function listenForStop(
  interrupt: AbortController,
  outer: Omit<Process, "args">,
): <T>(work: () => T) => T {
  let isAnother = false;
  const stop = (signal: Deno.Signal, code: number) => {
    if (isAnother) outer.exit(code);
    if (interrupt.signal.aborted) return;
    Deno.unrefTimer(setTimeout(() => isAnother = true, SAME_STOP_MS));
    interrupt.abort(signal);
  };
  const stops: [signal: Deno.Signal, stop: () => void][] = [["SIGINT", () => stop("SIGINT", 130)]];
  if (outer.build.os !== "windows") stops.push(["SIGTERM", () => stop("SIGTERM", 143)]);
  const listen = () => stops.forEach(([signal, stop]) => outer.addSignalListener(signal, stop));
  listen();
  return (work) => {
    stops.forEach(([signal, stop]) => outer.removeSignalListener(signal, stop));
    try {
      return work();
    } finally {
      listen();
    }
  };
}

/** The exit code of success. */
const DONE = 0;

/** Runs a command line and returns its exit code. */
export async function run(argv: readonly string[], world: World): Promise<number> {
  if (argv[0] === "__complete") {
    const { complete } = await import("./completion/complete.ts");
    await complete(argv.slice(1), world);
    return DONE;
  }
  const split = await withAlias(splitGlobals(argv), argv, world);
  const { globals, problem } = split;
  if (problem) return await fail(problem, { words: [] }, world, globals);
  const { words: all, help } = plainWords(split);
  let failed: Failed | undefined;
  try {
    const root: Group = await loadFor(all.filter((word) => word !== "--"));
    const words = withoutEarlyDashes(root, all);
    const found = findEntry(root, words);
    const { names, entry, rest } = found;
    failed = { names, brief: entry.brief };
    if (asksHelp(found, help)) await showHelp(found, world, globals);
    else if (isGroup(entry) && rest.length === 0) await refuseGroup(found, world, globals);
    else await runShaped(root, words, world, globals, found);
    return DONE;
  } catch (error) {
    return await fail(error, { failed, words: all }, world, globals);
  }
}

/** Runs a command and prints its data in the format of the flags. */
async function runShaped(
  root: Group,
  words: readonly string[],
  world: World,
  globals: Globals,
  found: FoundEntry,
): Promise<void> {
  if (globals.watchMs !== undefined) {
    const { watch } = await import("./watch.ts");
    return await watch(root, words, world, globals, found);
  }
  let data: DataWriter | undefined;
  if (isShaped(globals)) {
    const { openData } = await import("./open_data.ts");
    data = await openData(globals, world, found);
  }
  await runCommand(root, words, createContext(world, globals, data));
  data?.end();
}

/** The command line with an alias expanded, if its first word is one and no command. */
async function withAlias(split: Split, argv: readonly string[], { around }: World): Promise<Split> {
  const { firstAt, words: [first = ""] } = split;
  if (firstAt < 0 || isAtTop(first) || first.startsWith("-")) return split;
  const { aliasWords } = await import("./words/aliases.ts");
  const meant = await aliasWords(around, first).catch(() => undefined);
  return meant ? splitGlobals(argv.toSpliced(firstAt, 1, ...meant)) : split;
}

/** Expands `cli help offerings` and `cli --version`. */
function plainWords({ words, help }: Split): Pick<Split, "words" | "help"> {
  const [first, ...rest] = words;
  if (first === "help") return { words: rest, help: true };
  return {
    words: ["--version", "-V", "-v"].includes(first ?? "") ? ["version", ...rest] : words,
    help,
  };
}

/** Drops a `--` before the command's own words: it separates nothing there. */
function withoutEarlyDashes(root: Group, words: readonly string[]): readonly string[] {
  const { names, entry, rest } = findEntry(root, words);
  if (!isGroup(entry) || rest[0] !== "--") return words;
  return withoutEarlyDashes(root, [...words.slice(0, names.length), ...rest.slice(1)]);
}

/** Whether a command line asks for help. The program alone does. */
function asksHelp({ names, entry, rest: [next] }: FoundEntry, help: boolean): boolean {
  if (!isGroup(entry)) return help;
  return next === "help" || (next === undefined && (help || names.length === 0));
}

/** Refuses a group without a command, and shows a person the commands on standard error. */
async function refuseGroup(
  found: FoundEntry,
  { terminal }: World,
  globals: Globals,
): Promise<never> {
  if (!isJson(globals)) {
    const { helpText, styleOf } = await import("./words/help.ts");
    const style = styleOf(terminal.errColumns, terminal.errColor);
    terminal.writeErr(`${helpText(found, style)}\n`);
  }
  const names = JSON.stringify(found.names.join(" "));
  throw new UsageError(`Cannot run ${names}: it is a group of commands`, {
    hint: `Run: ${commandLine(...found.names, "--help")}`,
  });
}

/** Shows the usage of the command or group. */
async function showHelp(
  found: FoundEntry,
  { terminal }: World,
  { output }: Globals,
): Promise<void> {
  const { helpJson, helpText, styleOf } = await import("./words/help.ts");
  if (output === "json") return createOutput(terminal, "json").json(helpJson(found));
  terminal.writeOut(helpText(found, styleOf(terminal.outColumns, terminal.outColor)));
}

/** Reports an error on standard error. Its code is loaded only now: most commands succeed. */
async function fail(...all: Parameters<typeof reportFailure>): Promise<number> {
  const { reportFailure } = await import("./failure.ts");
  return await reportFailure(...all);
}
