/**
 * The text of the launcher of `deno task install`: a program named `cli` for a folder on PATH. It
 * uses absolute paths only, so no file of the current folder, such as `node_modules`, `.npmrc`,
 * `deno.json` or `package.json`, can replace the program.
 *
 * @module
 */

import { join } from "node:path";
import { bundleFlags, DENO_VERSION, taskFlags } from "./flags.ts";

/** The target of a launcher. */
export interface Started {
  /** The absolute path of Deno. */
  deno: string;
  /** The absolute path of the clone that holds `cli.ts`. */
  clone: string;
  /** The absolute path of the bundled program; without it, `cli.ts` and its modules run. */
  program?: string | undefined;
  /** The topmost folder that the installation created for the launcher, if it did. */
  made?: string | undefined;
}

/** The start of the line that identifies our launchers, without the comment sign. */
const MARK = "A launcher of cli, written by `deno task install` in ";

/** The beginning of the line that names the folder of the bundled program. */
const PROGRAM = "Its program is in the folder ";

/** The beginning of the line that names the folder which the installation created. */
const MADE = "The installation created the folder ";

/** A launcher for a POSIX shell. */
export function shellLauncher(started: Started): string {
  const { deno, clone, program } = started;
  const [name, folder] = program === undefined ? ["clone", clone] : ["program", program];
  const [script, ...others] = program === undefined
    ? ["$clone/scripts/package/start.sh"]
    : ["$program/start.sh", "$program/program/cli.js"];
  const checks = [script, ...others].map((path) => `[ ! -f "${path}" ]`);
  return `#!/bin/sh
${notes(started).map((line) => `# ${line}`).join("\n")}
deno=${shellQuoted(deno)}
${name}=${shellQuoted(folder)}
if ${['[ ! -x "$deno" ]', ...checks].join(" || ")}; then
  printf 'Cannot start cli: "%s" or "%s" is no longer there\\n' "$deno" "$${name}" >&2
  echo 'In a clone of the repository, run: npx -y deno@${DENO_VERSION} task install' >&2
  exit 1
fi
. "${script}"
`;
}

/** The comments of a launcher. */
function notes({ clone, program, made }: Started): string[] {
  return [
    `${MARK}${clone}`,
    ...program === undefined ? [] : [`${PROGRAM}${program}`],
    ...made === undefined ? [] : [`${MADE}${made}`],
    "Delete this file to remove it.",
  ];
}

/**
 * A launcher for Windows. It contains the flags, since a batch file that calls another one parses
 * \`^\` twice.
 */
export function batchLauncher(started: Started, denoJson: string): string {
  const { deno, clone, program } = started;
  const path = (name: string) =>
    batchQuoted(`${(program ?? clone).replace(/[\\/]$/, "")}\\${name}`);
  const words = program === undefined
    ? ["--lock", path("deno.lock"), ...taskFlags(denoJson).map(batchFlag), path("cli.ts")]
    : [...bundleFlags(denoJson).map(batchFlag), path("program\\cli.js")];
  return [
    "@echo off",
    ...notes(started).map((line) => `rem ${line.replaceAll("%", "%%")}`),
    "setlocal",
    `set "INIT_CWD="`,
    `${batchQuoted(deno)} run --config ${path("deno.json")} ${words.join(" ")} %*`,
    "",
  ].join("\r\n");
}

/** A flag as a word for a batch file. */
function batchFlag(flag: string): string {
  return /[*,]/.test(flag) ? `"${flag}"` : flag;
}

/** The clone of a launcher, or undefined for other text. */
export function cloneOf(launcher: string): string | undefined {
  return noted(launcher, MARK);
}

/** The folder of a launcher's bundled program, if it has one. */
export function programOf(launcher: string): string | undefined {
  return noted(launcher, PROGRAM);
}

/** The topmost folder that was created for a launcher, if there was one. */
export function madeBy(launcher: string): string | undefined {
  return noted(launcher, MADE);
}

/** The text of a launcher's comment after a mark. */
function noted(launcher: string, mark: string): string | undefined {
  const line = launcher.split(/\r?\n/).find((text) => text.includes(mark));
  const path = line?.slice(line.indexOf(mark) + mark.length);
  return line?.startsWith("rem ") ? path?.replaceAll("%%", "%") : path;
}

/** The name of the launcher's file on a system. */
export function launcherName(os: string = Deno.build.os): string {
  return os === "windows" ? "cli.cmd" : "cli";
}

/** The launcher of this clone for this system. */
export async function launcherText(started: Started, os: string = Deno.build.os): Promise<string> {
  if (os !== "windows") return shellLauncher(started);
  return batchLauncher(started, await Deno.readTextFile(join(started.clone, "deno.json")));
}

/** A word, quoted for a POSIX shell. */
function shellQuoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}

/** A word, quoted for a batch file. A path on Windows contains no quotation mark. */
function batchQuoted(word: string): string {
  return `"${word.replaceAll("%", "%%")}"`;
}
