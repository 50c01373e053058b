/**
 * The bundled program: JavaScript in `program/`, with the packages that it uses inside, for
 * `deno task install` and for the package for npm, which starts it with `bin/cli`. The bundler has a
 * configuration of its own, so nothing else downloads it.
 *
 * @module
 */

import { dirname, join } from "node:path";
import { bundleFlags, ROOT, shellFlag } from "./flags.ts";

/** The places where installers put the program of `deno`, from the package's folder. */
const DENO_PLACES = [
  "node_modules/deno/deno",
  "../../deno/deno",
  "node_modules/@deno/*/deno",
  "../../@deno/*/deno",
  // As pnpm does: each package beside its own dependencies, reached by links.
  "../../deno/../@deno/*/deno",
  "node_modules/deno/node_modules/@deno/*/deno",
  "../../deno/node_modules/@deno/*/deno",
];

/** Files that the bundler finds in place of those with their names in folders above. */
const NEAREST = {
  "package.json": {},
  // Yarn's list of packages. Those at paths that match the pattern are found in node_modules.
  ".pnp.data.json": { ignorePatternData: ".*", packageRegistryData: [] },
};

/** The program `bin/cli`, a script for a POSIX shell. */
export function binScript(template: string, denoJson: string): string {
  const flags = bundleFlags(denoJson).map(shellFlag);
  const places = DENO_PLACES.map((place) => `"$root"/${place}`);
  return template.replace("NPM_PLACES", places.join(" \\\n  "))
    .replace("TASK_FLAGS", `\\\n      ${flags.join(" \\\n      ")} \\\n     `);
}

/**
 * Bundles the program into a folder: its files, the licences of the packages in them, and deno.json.
 *
 * @param work An empty folder. It gets the sources, and all packages in `node_modules/`.
 * @throws {ToolError} when the bundler fails, or a package cannot be downloaded.
 */
export async function bundleProgram(folder: string, work: string): Promise<void> {
  await copySources(work);
  const install = ["install", "--quiet", "--frozen", "--node-modules-dir=auto"];
  await runTool(Deno.execPath(), [...install, "--entrypoint", "cli.ts"], work);
  for (const [name, settings] of Object.entries(NEAREST)) {
    await Deno.writeTextFile(join(work, name), JSON.stringify(settings));
  }
  const bundler = join(ROOT, "scripts/bundle");
  const rights = ["--allow-read", "--allow-write", "--allow-env", "--allow-run"];
  const options = ["--quiet", "--no-prompt", "--config", join(bundler, "deno.json"), ...rights];
  const words = [join(bundler, "main.ts"), await Deno.realPath(work), folder];
  await runTool(Deno.execPath(), ["run", ...options, ...words], ROOT);
  // Given on the command line, so that no other settings apply.
  await Deno.writeTextFile(join(folder, "deno.json"), "{}\n");
}

/** Writes the package's program into a folder: all that it needs to run there, besides packages. */
export async function writeProgram(folder: string): Promise<void> {
  const work = await Deno.makeTempDir();
  try {
    await bundleProgram(folder, work);
  } finally {
    await Deno.remove(work, { recursive: true });
  }
  const denoJson = await Deno.readTextFile(join(ROOT, "deno.json"));
  const template = await Deno.readTextFile(join(ROOT, "scripts/package/bin.sh"));
  await Deno.mkdir(join(folder, "bin"));
  await Deno.writeTextFile(join(folder, "bin/cli"), binScript(template, denoJson), { mode: 0o755 });
}

/** Copies what the bundler reads, to install packages beside it. */
async function copySources(folder: string): Promise<void> {
  const modules = (await filesUnder(join(ROOT, "lib"))).map((path) => `lib/${path}`);
  for (const path of ["deno.json", "deno.lock", "cli.ts", ...modules]) {
    await Deno.mkdir(dirname(join(folder, path)), { recursive: true });
    await Deno.copyFile(join(ROOT, path), join(folder, path));
  }
}

/** A program that failed. Its message has all that the program printed. */
export class ToolError extends Error {
  /** The reason in what the program printed. */
  readonly reason: string;

  /** Makes the error of a command from what it printed. */
  constructor(command: string, printed: string) {
    super(`Cannot run ${command}:\n${printed}`);
    this.name = "ToolError";
    this.reason = reasonIn(printed);
  }
}

/** The reason in what Deno prints: from the word "error" to a line of code or a list of calls. */
function reasonIn(printed: string): string {
  const [, text = printed] = /^error: (?:Uncaught (?:\(in promise\) )?)?(?:Error: )?([^]*)/m
    .exec(printed) ?? [];
  return text.split(/\n(?:\n| +at |.*\n +\^)/)[0]?.trim() ?? "";
}

/**
 * Runs a program, and returns its output.
 *
 * @throws {ToolError} when it fails.
 */
export async function runTool(program: string, args: string[], cwd: string): Promise<string> {
  const command = new Deno.Command(program, { args, cwd, env: { NO_COLOR: "1" } });
  const { success, stdout, stderr } = await command.output();
  const decoder = new TextDecoder();
  if (success) return decoder.decode(stdout);
  throw new ToolError(`${program} ${args[0]}`, decoder.decode(stdout) + decoder.decode(stderr));
}

/** The paths of all files below a folder, from it, in order, with forward slashes. */
export async function filesUnder(folder: string, below = ""): Promise<string[]> {
  const found: string[] = [];
  for await (const { name, isDirectory } of Deno.readDir(join(folder, below))) {
    const path = below === "" ? name : `${below}/${name}`;
    if (isDirectory) found.push(...await filesUnder(folder, path));
    else found.push(path);
  }
  return found.sort();
}
