/**
 * Bundles the program and puts a launcher named `cli` into a folder on PATH, or removes both.
 *
 * Run it as `deno task install`; {@linkcode HELP} lists its flags.
 *
 * @module
 */

import { dirname, join, resolve, sep } from "node:path";
import { parseArgs } from "node:util";
import { quoted } from "../../lib/cli/screen/command_lines.ts";
import { fileReason } from "../../lib/file_reason.ts";
import { VERSION } from "../../lib/version.ts";
import { DENO_VERSION, ROOT } from "./flags.ts";
import {
  type Bundle,
  noteLauncher,
  programsOf,
  removeOld,
  removeUnused,
  storeProgram,
} from "./installed_programs.ts";
import { cloneOf, launcherName, launcherText, madeBy, type Started } from "./launcher.ts";
import { ToolError } from "./program.ts";
import { goodFolders, othersBefore, pathFolders, type Search } from "./search_path.ts";

/** The parts of the machine that an installation uses. */
export interface Machine extends Search {
  /** The current folder. */
  cwd: string;
  /** The absolute path of Deno. */
  deno: string;
  /** The absolute path of this clone. */
  clone: string;
  /** Asks the user; undefined without a terminal. */
  ask: ((question: string) => string | null) | undefined;
  /** Prints a result. */
  say(line: string): void;
  /** Prints a warning or an error. */
  warn(line: string): void;
  /** Prints what happens now, on a terminal. */
  progress(line: string): void;
  /** Bundles the program of this clone. */
  bundle: Bundle;
  /** Downloads the packages of the clone's own files, so that their first run is fast. */
  prepare(): Promise<void>;
}

/** An error that the user can correct. Only its message is printed. */
class Refusal extends Error {}

/** The command that runs this task again, with Node alone. */
const AGAIN = `npx -y deno@${DENO_VERSION} task install`;

/** The help text. */
const HELP = `Install cli: bundle the program, and put a launcher for it into a folder

The program is a copy of this clone as it is now. After git pull, run this again.

USAGE
  ${AGAIN} [--to FOLDER] [--linked | --remove]

FLAGS
  --to FOLDER  The folder of the launcher (default: ask)
  --linked     Run the clone's own files, with each change of them; needs no bundler
  --remove     Remove the launcher in FOLDER; without --to, all launchers of this clone on PATH
  --help       Show this help`;

/** Installs or removes. Returns the exit code. */
export async function main(args: string[], machine: Machine): Promise<number> {
  try {
    const { to, linked = false, remove, help } = readArguments(args);
    if (help) {
      machine.say(HELP);
      return 0;
    }
    const folder = to === undefined ? undefined : resolve(machine.cwd, to);
    if (remove) await removeFrom(folder, machine);
    else await installInto(folder ?? await chooseFolder(machine), { ...machine, linked });
    return 0;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    machine.warn(error.message);
    return 1;
  }
}

/** What to do. */
interface Wanted {
  /** The launcher's folder. */
  to?: string | undefined;
  /** Whether the launcher runs the clone's own files. */
  linked?: boolean | undefined;
  /** Whether to remove launchers. */
  remove?: boolean | undefined;
  /** Whether to show the help only. */
  help?: boolean | undefined;
}

/** The flags. */
const FLAGS = {
  to: { type: "string" },
  linked: { type: "boolean" },
  remove: { type: "boolean" },
  help: { type: "boolean", short: "h" },
} as const;

/** Reads the command line. */
function readArguments(args: string[]): Wanted {
  try {
    const { values } = parseArgs({ args, options: FLAGS });
    if (values.to === "") throw new Error("--to needs a folder");
    if (values.linked && values.remove) throw new Error("--linked and --remove exclude each other");
    return values;
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new Refusal(
      `Cannot install cli: ${why}\nRun: ${AGAIN} [--to FOLDER] [--linked | --remove]`,
    );
  }
}

/** Lets the user choose a folder for the launcher. */
async function chooseFolder(machine: Machine): Promise<string> {
  const folders = await goodFolders(machine);
  const [first] = folders;
  if (!machine.ask || !first) {
    const example = first ?? "/usr/local/bin";
    throw new Refusal(
      "Cannot ask where to install cli: " +
        `${first ? "there is no terminal" : "HOME is not set"}\nRun: ${AGAIN} --to ${
          quotedFor(example)
        }`,
    );
  }
  machine.say("Folders for cli:");
  folders.forEach((folder, i) => machine.say(`  ${i + 1}  ${folder}`));
  const answer = machine.ask("Number, or the path of another folder [1]:");
  if (answer === null) throw new Refusal("Cannot install cli: no folder was chosen");
  const words = answer.trim();
  if (words === "") return first;
  const chosen = /^\d+$/.test(words) ? folders[Number(words) - 1] : resolve(machine.cwd, words);
  if (chosen === undefined) throw new Refusal(`Cannot install cli: there is no folder ${words}`);
  return chosen;
}

/** What to install. */
interface Installation extends Machine {
  /** Whether the launcher runs the clone's own files. */
  linked: boolean;
}

/** Writes the program and then the launcher, and prints their facts. */
async function installInto(folder: string, machine: Installation): Promise<void> {
  const { clone, linked } = machine;
  const path = join(folder, launcherName());
  const there = await launcherAt(path);
  if (there === "other") {
    throw new Refusal(
      `Cannot write ${JSON.stringify(path)}: another program has this name\nChoose another ` +
        `folder: ${AGAIN} --to FOLDER`,
    );
  }
  if ((await Deno.stat(folder).catch(() => undefined))?.isDirectory === false) {
    throw new Refusal(
      `Cannot install cli into ${JSON.stringify(folder)}: it is not a folder\nChoose a folder: ` +
        `${AGAIN} --to FOLDER`,
    );
  }
  if (/[\r\n]/.test(clone + machine.deno + folder)) {
    throw new Refusal(
      "Cannot install cli: a path has a line break. Move the clone, or choose another folder",
    );
  }
  const to = ` --to ${quotedFor(folder)}`;
  const [program, note] = linked ? [] : await makeProgram(path, to, machine);
  const made = await writeLauncher(path, { ...machine, program }, note);
  machine.say(
    `Installed ${path}, which runs ${
      linked ? join(clone, "cli.ts") : `cli ${VERSION}, bundled from ${clone}`
    }`,
  );
  if (made !== undefined) machine.say(`Created the folder ${made}`);
  if (!linked) machine.say(`To update it after git pull, run in ${clone}: ${AGAIN}${to}`);
  machine.say(
    `To remove it, run in ${clone}: ${AGAIN} --remove${isOnPath(folder, machine) ? "" : to}`,
  );
  await warnAbout(folder, machine);
  if (linked) await machine.prepare();
  else await removeOld(clone, await usualLaunchers(machine));
}

/** Bundles the program of a launcher. Returns its folder, and what notes that launcher. */
async function makeProgram(
  launcher: string,
  to: string,
  { clone, bundle, progress }: Machine,
): Promise<[folder: string, note: () => Promise<void>]> {
  const refuse = (error: unknown): never => {
    const reason = error instanceof ToolError ? error.reason : fileReason(error);
    throw new Refusal(
      `Cannot bundle the program in ${JSON.stringify(programsOf(clone))}: ${reason}\n` +
        `To run the clone's own files instead, which needs no bundler: ${AGAIN} --linked${to}`,
    );
  };
  progress("Bundling the program...");
  const folder = await storeProgram(clone, bundle).catch(refuse);
  return [folder, () => noteLauncher(clone, launcher).catch(refuse)];
}

/** Warns if `cli` would not start this launcher. */
async function warnAbout(folder: string, machine: Machine): Promise<void> {
  const [other] = await othersBefore(folder, PROGRAM_NAMES, machine);
  if (isOnPath(folder, machine)) {
    if (other) machine.warn(`Warning: "cli" runs ${other}, which comes first on PATH`);
    return;
  }
  machine.warn(
    `Warning: ${folder} is not on PATH${other ? `, and "cli" runs ${other}` : ""}. ` +
      "To add it in this terminal, run:",
  );
  machine.warn(
    onWindows ? `  set "PATH=${folder};%PATH%"` : `  export PATH=${quotedFor(folder)}:"$PATH"`,
  );
}

const onWindows = Deno.build.os === "windows";

/** A path, quoted for this system's shell. */
function quotedFor(path: string): string {
  return onWindows ? `"${path}"` : quoted(path);
}

/** The file names that a system tries for a program named `cli`. */
const PROGRAM_NAMES = onWindows ? ["cli.com", "cli.exe", "cli.bat", "cli.cmd"] : ["cli"];

function isOnPath(folder: string, machine: Machine): boolean {
  return pathFolders(machine).includes(folder);
}

/** Removes the launchers of this clone, from one folder or from all that are on PATH. */
async function removeFrom(folder: string | undefined, machine: Machine): Promise<void> {
  const { clone } = machine;
  const launchers = folder === undefined
    ? await usualLaunchers(machine)
    : await launchersIn([folder], clone);
  for (const path of launchers) {
    const made = madeBy(await Deno.readTextFile(path));
    await change("remove", path, () => Deno.remove(path));
    machine.say(`Removed ${path}`);
    if (made !== undefined) await removeEmpty(dirname(path), made);
  }
  const { removed, kept } = await removeUnused(clone, await usualLaunchers(machine));
  for (const { program, reason } of kept) {
    machine.say(`The program in ${program} stays: ${reason}. To remove it later, run this again`);
  }
  if (launchers.length > 0) return;
  if (folder === undefined && removed.length + kept.length > 0) {
    for (const program of removed) machine.say(`Removed ${program}, which no launcher started`);
    return;
  }
  const where = folder === undefined
    ? "no folder on PATH has a"
    : `${JSON.stringify(folder)} has no`;
  throw new Refusal(
    `Cannot remove cli: ${where} launcher of ${JSON.stringify(clone)}`,
  );
}

/** The launchers of this clone on PATH, and in the folders that an installation proposes. */
async function usualLaunchers(machine: Machine): Promise<string[]> {
  return await launchersIn([...pathFolders(machine), ...await goodFolders(machine)], machine.clone);
}

/** The launchers of a clone in folders. */
async function launchersIn(folders: readonly string[], clone: string): Promise<string[]> {
  const found: string[] = [];
  for (const path of new Set(folders.map((at) => join(at, launcherName())))) {
    if (await launcherAt(path) === clone) found.push(path);
  }
  return found;
}

/** The content of a path: nothing, another program, or a launcher with its clone. */
async function launcherAt(path: string): Promise<string | undefined> {
  const info = await Deno.lstat(path).catch(() => undefined);
  if (!info) return undefined;
  // A launcher has less than 1 KB, besides two paths.
  if (!info.isFile || info.size > 64 * 1024) return "other";
  return cloneOf(await Deno.readTextFile(path).catch(() => "")) ?? "other";
}

/**
 * Writes a launcher under another name first, so that a start in between finds a complete file.
 * Returns the topmost folder that it had to create.
 *
 * @param note Notes the launcher. That comes before its rename, so that each one is noted, and after
 * the write, so that none is noted in a folder that cannot have it.
 */
async function writeLauncher(
  path: string,
  started: Started,
  note?: () => Promise<void>,
): Promise<string | undefined> {
  const folder = dirname(path);
  const temporary = join(folder, `.cli-${crypto.randomUUID()}`);
  const before = madeBy(await Deno.readTextFile(path).catch(() => ""));
  const missing = await topmostMissing(folder);
  const text = await launcherText({ ...started, made: missing ?? before });
  await change("write", path, async () => {
    await Deno.mkdir(folder, { recursive: true });
    try {
      await Deno.writeTextFile(temporary, text, { createNew: true, mode: 0o755 });
      await note?.();
      await Deno.rename(temporary, path);
    } catch (error) {
      await Deno.remove(temporary).catch(() => {});
      throw error;
    }
  });
  return missing;
}

/** The topmost folder on the way to this one that does not exist. */
async function topmostMissing(folder: string): Promise<string | undefined> {
  let missing: string | undefined;
  for (let at = folder; !await Deno.lstat(at).catch(() => undefined); at = dirname(at)) {
    missing = at;
    if (dirname(at) === at) break;
  }
  return missing;
}

/** Removes a folder, and those above it up to one, as far as they are empty. */
async function removeEmpty(folder: string, topmost: string): Promise<void> {
  for (let at = folder; at === topmost || at.startsWith(topmost + sep); at = dirname(at)) {
    try {
      await Deno.remove(at);
    } catch {
      return;
    }
  }
}

/** Changes a file. An error names the file. */
async function change(what: string, path: string, run: () => Promise<void>): Promise<void> {
  try {
    await run();
  } catch (error) {
    if (error instanceof Refusal) throw error;
    throw new Refusal(
      `Cannot ${what} ${JSON.stringify(path)}: ${
        fileReason(error)
      }\nChoose another folder: ${AGAIN} --to FOLDER`,
    );
  }
}

/** Downloads the program's packages. */
async function loadPackages(deno: string, clone: string): Promise<void> {
  const { code } = await new Deno.Command(deno, {
    args: ["install", "--quiet", "--frozen", "--entrypoint", join(clone, "cli.ts")],
    cwd: clone,
  }).spawn().status;
  if (code !== 0) {
    console.error("Cannot download the packages of cli now: its first run tries again");
  }
}

/** The real machine. */
function systemMachine(): Machine {
  const [deno, clone] = [Deno.execPath(), resolve(ROOT)];
  const canAsk = Deno.stdin.isTerminal() && Deno.stdout.isTerminal();
  return {
    path: Deno.env.get("PATH") ?? "",
    home: Deno.env.get(Deno.build.os === "windows" ? "USERPROFILE" : "HOME"),
    // `deno task` starts this in the clone, and keeps the original folder in INIT_CWD.
    cwd: Deno.env.get("INIT_CWD") ?? Deno.cwd(),
    deno,
    clone,
    ask: canAsk ? (question) => prompt(question, "1") : undefined,
    say: (line) => console.log(line),
    warn: (line) => console.error(line),
    progress: (line) => {
      if (Deno.stderr.isTerminal()) console.error(line);
    },
    // Not loaded for --linked: the image has no bundler.
    bundle: async (folder, work) => {
      const { bundleComplete } = await import("./complete_program.ts");
      await bundleComplete(folder, work);
    },
    prepare: () => loadPackages(deno, clone),
  };
}

if (import.meta.main) Deno.exitCode = await main(Deno.args, systemMachine());
