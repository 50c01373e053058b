/**
 * Runs one command line: finds the command, runs it, and turns what it threw into an exit code.
 *
 * @module
 */

import { UsageError } from "../errors.ts";
import { type Command, type Group, runCommand } from "./command.ts";
import { findEntry, loadAll } from "./commands/mod.ts";
import { createContext, type Globals, type World } from "./context.ts";
import { createOutput } from "./output.ts";
import { EXIT, reportError } from "./report.ts";

/** Runs a command line and returns its exit code. */
export async function run(argv: readonly string[], world: World): Promise<number> {
  const { words, globals, problem } = splitGlobals(argv);
  const write = (text: string) => world.terminal.writeOut(text);
  if (problem) return fail(problem, undefined, world, globals);
  if (words[0] === "--version" || words[0] === "-V") words.splice(0, 1, "version");
  const context = createContext(world, globals);
  const help = (text: string) => write(isHelp(words) ? text + GLOBAL_HELP : text);
  try {
    const { brief, failure } = await runCommand(await entriesFor(words), words, context, help);
    if (failure === undefined) return EXIT.done;
    return fail(failure, brief, world, globals);
  } catch (error) {
    return fail(error, undefined, world, globals);
  }
}

const GLOBAL_HELP = `
GLOBAL FLAGS
     [--output]      How to print: table (default) or json
     [--profile]     The stored sign-in to use
     [--project-id]  The project to work in
`;

/** Loads the one group that is meant; all of them for help, and to say what there is instead. */
async function entriesFor(words: readonly string[]): Promise<Record<string, Group | Command>> {
  const [first = ""] = words;
  const found = findEntry(first);
  return found ? { [found.name]: await found.load() } : await loadAll();
}

function isHelp(words: readonly string[]): boolean {
  const end = words.indexOf("--");
  return words.slice(0, end < 0 ? words.length : end)
    .some((word) => word === "--help" || word === "-h") || words.length < 2;
}

/** Says what went wrong on standard error. */
function fail(error: unknown, brief: string | undefined, world: World, globals: Globals): number {
  const { exitCode, message, hint, json } = reportError(error, brief);
  if (globals.output === "json") {
    world.terminal.writeErr(`${JSON.stringify(json)}\n`);
    return exitCode;
  }
  createOutput(world.terminal, "table").error(message, hint);
  return exitCode;
}

/** A command line without the flags that every command takes. */
interface Split {
  /** The other words. */
  words: string[];
  /** The flags' values. */
  globals: Globals;
  /** What is wrong with them. */
  problem: UsageError | undefined;
}

const GLOBAL = /^--(output|profile|project-id)(?:=(.*))?$/s;

/** Takes the global flags out of a command line, wherever they stand before a `--`. */
function splitGlobals(argv: readonly string[]): Split {
  const words: string[] = [];
  const given: Record<string, string> = {};
  let problem: UsageError | undefined;
  for (let i = 0; i < argv.length; i++) {
    const word = argv[i] ?? "";
    if (word === "--") {
      words.push(...argv.slice(i));
      break;
    }
    const [, name, value = argv[i + 1]] = GLOBAL.exec(word) ?? [];
    if (name === undefined) {
      words.push(word);
      continue;
    }
    if (!word.includes("=")) i++;
    if (value === undefined || value === "") {
      problem ??= new UsageError(`Cannot read --${name}: its value is missing`, {
        hint: name === "output" ? "Pass --output table or --output json." : `Pass --${name} VALUE.`,
      });
    }
    given[name] = value ?? "";
  }
  const output = given["output"] ?? "table";
  if (output !== "table" && output !== "json") {
    problem ??= new UsageError(`Cannot print as "${output}": there is no such format`, {
      hint: "Pass --output table or --output json.",
    });
  }
  const globals: Globals = {
    output: output === "json" ? "json" : "table",
    profile: given["profile"],
    projectId: given["project-id"],
  };
  // Help may stand anywhere; the parser wants it after the command's words.
  const first = words.findIndex((word) => word === "--help" || word === "-h");
  if (first === 0 && words.length > 1) words.push(...words.splice(0, 1));
  return { words, globals, problem };
}
