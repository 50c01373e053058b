/**
 * The text of the launcher of `deno task install`: a program named `cli` for a folder on PATH. It
 * uses absolute paths only, so no file of the current folder, such as `node_modules`, `.npmrc`,
 * `deno.json` or `package.json`, can replace the program.
 *
 * @module
 */

import { join } from "node:path";
import { DENO_VERSION, taskFlags } from "./flags.ts";

/** The target of a launcher. */
export interface Started {
  /** The absolute path of Deno. */
  deno: string;
  /** The absolute path of the clone that holds `cli.ts`. */
  clone: string;
  /** The topmost folder that the installation created for the launcher, if it did. */
  made?: string | undefined;
}

/** The start of the line that identifies our launchers, without the comment sign. */
const MARK = "A launcher of cli, written by `deno task install` in ";

/** The beginning of the line that names the folder which the installation created. */
const MADE = "The installation created the folder ";

/** A launcher for a POSIX shell. */
export function shellLauncher({ deno, clone, made }: Started): string {
  return `#!/bin/sh
# ${MARK}${clone}
${made === undefined ? "" : `# ${MADE}${made}\n`}# Delete this file to remove it.
deno=${shellQuoted(deno)}
clone=${shellQuoted(clone)}
if [ ! -x "$deno" ] || [ ! -f "$clone/scripts/package/start.sh" ]; then
  printf 'Cannot start cli: "%s" or "%s" is no longer there\\n' "$deno" "$clone" >&2
  echo 'In a clone of the repository, run: npx -y deno@${DENO_VERSION} task install' >&2
  exit 1
fi
. "$clone/scripts/package/start.sh"
`;
}

/**
 * A launcher for Windows. It contains the flags, since a batch file that calls another one parses
 * \`^\` twice.
 */
export function batchLauncher({ deno, clone, made }: Started, denoJson: string): string {
  const config = ["deno.json", "deno.lock", "cli.ts"].map((name) =>
    batchQuoted(`${clone.replace(/[\\/]$/, "")}\\${name}`)
  );
  const [settings = "", lock = "", program = ""] = config;
  const flags = taskFlags(denoJson).map((flag) => /[*,]/.test(flag) ? `"${flag}"` : flag);
  const words = ["--config", settings, "--lock", lock, ...flags, program, "%*"];
  return [
    "@echo off",
    `rem ${MARK}${clone.replaceAll("%", "%%")}`,
    ...made === undefined ? [] : [`rem ${MADE}${made.replaceAll("%", "%%")}`],
    "rem Delete this file to remove it.",
    "setlocal",
    `set "INIT_CWD="`,
    `${batchQuoted(deno)} run ${words.join(" ")}`,
    "",
  ].join("\r\n");
}

/** The clone of a launcher, or undefined for other text. */
export function cloneOf(launcher: string): string | undefined {
  return noted(launcher, MARK);
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
