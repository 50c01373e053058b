/**
 * Runs one command line: finds the command, runs it, and turns its error into an exit code.
 *
 * @module
 */

import { Cancelled, NetworkError, UsageError } from "../errors.ts";
import { type Group, runCommand } from "./words/command.ts";
import { isAtTop, loadFor } from "./commands/mod.ts";
import { createContext, type Globals, type World } from "./context.ts";
import { isJson, isShaped } from "./data/shape.ts";
import type { DataWriter } from "./data/writer.ts";
import { visible } from "./screen/display.ts";
import { type Split, splitGlobals } from "./words/globals.ts";
import { createOutput } from "./screen/output.ts";
import { findEntry, type FoundEntry, isGroup } from "./words/find_entry.ts";
import { rewrittenHint } from "./words/rewritten.ts";
import { EXIT, type Failed, reportError } from "./screen/report.ts";
import { refusalIn } from "./words/hints.ts";
import { commandLine } from "./words/shell.ts";

export { systemWorld } from "./context.ts";

/** Runs a command line and returns its exit code. */
export async function run(argv: readonly string[], world: World): Promise<number> {
  if (argv[0] === "__complete") {
    const { complete } = await import("./completion/complete.ts");
    await complete(argv.slice(1), world);
    return EXIT.done;
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
    return EXIT.done;
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
    const { watch } = await import("./data/watch.ts");
    return await watch(root, words, world, globals, found);
  }
  let data: DataWriter | undefined;
  if (isShaped(globals)) {
    const { openData } = await import("./data/open.ts");
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

/** Reports an error on standard error. */
async function fail(
  error: unknown,
  { failed, words }: { failed?: Failed | undefined; words: readonly string[] },
  world: World,
  globals: Globals,
): Promise<number> {
  const { exitCode, message, hint, json } = reportError(timedOut(error, world, globals), failed, {
    givenToken: Boolean(world.around.env("CLI_REFRESH_TOKEN")?.trim()),
    data: dataIn(words),
    rewritten: rewrittenHint(words),
    signIn: await signInAnew(error, world, globals),
    terminated: world.signal.reason === "SIGTERM",
  });
  // On one line, after any notes, and with nothing in it that drives a terminal.
  if (isJson(globals)) world.terminal.writeErr(`${visible(JSON.stringify(json))}\n`);
  else createOutput(world.terminal, "table").error(message, hint);
  return exitCode;
}

/** The error of a command that reached its `--timeout`. */
function timedOut(error: unknown, { signal }: World, { timeoutMs }: Globals): unknown {
  if (!(error instanceof Cancelled) || timeoutMs === undefined || signal.aborted) return error;
  return new NetworkError(`Cannot finish within ${timeoutMs / 1000} s: the time limit has passed`, {
    hint: "Pass a larger --timeout, or look for the cause with: cli doctor",
    cause: error,
  });
}

/** The data folder in a command line. */
function dataIn(words: readonly string[]): string | undefined {
  const at = words.findIndex((word) => /^--data(=|$)/.test(word));
  const [, own] = /^--data=(.*)$/s.exec(words[at] ?? "") ?? [];
  return at < 0 ? undefined : own ?? words[at + 1];
}

/** The command that signs in again, if the service refused the sign-in. */
async function signInAnew(
  error: unknown,
  { around }: World,
  { profile }: Globals,
): Promise<string | undefined> {
  const status = refusalIn(error)?.status;
  if (status !== 401 && status !== 403) return;
  const { resolveCredential } = await import("../auth/credential.ts");
  const quiet = { ...around, cwd: around.cwd, home: around.home, warn: () => {} };
  const used = await resolveCredential(quiet, { profile }).catch(() => undefined);
  if (used?.kind !== "local" || status === 401) return used?.signIn;
  // A folder's sign-in comes from another sign-in, and has no more permissions.
  return `cli auth login, then ${used.signIn} --profile default`;
}
