/**
 * The program of the package for npm: `bin/cli`, which starts Deno, and JavaScript in `program/`, with
 * the packages that it uses inside. The bundler has a configuration of its own, so nothing else
 * downloads it.
 *
 * @module
 */

import { dirname, join } from "node:path";
import { ROOT, taskFlags } from "./flags.ts";

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

/** The program `bin/cli`, a script for a POSIX shell. */
export function binScript(template: string, denoJson: string): string {
  // There is no lock file: npm has installed the versions in package.json.
  const flags = ["--node-modules-dir=manual", "--no-lock", ...taskFlags(denoJson)]
    .filter((flag) => flag !== "--frozen")
    .map((flag) => /[*,]/.test(flag) ? `'${flag}'` : flag);
  const places = DENO_PLACES.map((place) => `"$root"/${place}`);
  return template.replace("NPM_PLACES", places.join(" \\\n  "))
    .replace("TASK_FLAGS", `\\\n      ${flags.join(" \\\n      ")} \\\n     `);
}

/** Writes the program into a folder: all that it needs to run there, besides Deno. */
export async function writeProgram(folder: string): Promise<void> {
  const work = await Deno.makeTempDir();
  try {
    await copySources(work);
    const install = ["install", "--quiet", "--frozen", "--node-modules-dir=auto"];
    await runTool(Deno.execPath(), [...install, "--entrypoint", "cli.ts"], work);
    const bundler = join(ROOT, "scripts/bundle");
    const rights = ["--allow-read", "--allow-write", "--allow-env", "--allow-run"];
    const options = ["--quiet", "--no-prompt", "--config", join(bundler, "deno.json"), ...rights];
    const words = [join(bundler, "main.ts"), await Deno.realPath(work), folder];
    await runTool(Deno.execPath(), ["run", ...options, ...words], ROOT);
  } finally {
    await Deno.remove(work, { recursive: true });
  }
  const denoJson = await Deno.readTextFile(join(ROOT, "deno.json"));
  const template = await Deno.readTextFile(join(ROOT, "scripts/package/bin.sh"));
  // Given on the command line, so that no other settings apply.
  await Deno.writeTextFile(join(folder, "deno.json"), "{}\n");
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

/**
 * Runs a program, and returns its output.
 *
 * @throws {Error} with all that the program printed, when it fails.
 */
export async function runTool(program: string, args: string[], cwd: string): Promise<string> {
  const command = new Deno.Command(program, { args, cwd, env: { NO_COLOR: "1" } });
  const { success, stdout, stderr } = await command.output();
  const decoder = new TextDecoder();
  if (success) return decoder.decode(stdout);
  throw new Error(
    `Cannot run ${program} ${args[0]}:\n${decoder.decode(stdout)}${decoder.decode(stderr)}`,
  );
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
