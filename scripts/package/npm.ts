/**
 * Writes dist/npm/: one package for npm, with the library for Node, Bun and bundlers, and the
 * program for the package `deno`. Both are the same JavaScript, which `deno pack` makes from the
 * source.
 *
 * Run it as `deno task package`. Then `npm pack ./dist/npm` makes the file to install or publish.
 *
 * @module
 */

import { dirname, join } from "node:path";
import { DENO_VERSION, ROOT, taskFlags } from "./flags.ts";

/** The settings of deno.json that packages need. */
interface Settings {
  /** The package's name, with its scope. */
  name: string;
  /** The package's version. */
  version: string;
  /** The licence's identifier. */
  license: string;
}

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

/** The parts of a packed repository that go into the package. */
export function isForPackage(path: string): boolean {
  return /^(?:mod|cli)\.js$|^mod\.d\.ts$|^lib\/.+\.(?:js|d\.ts)$/.test(path);
}

/** The package's own `package.json`, with the versions that the lock file pins. */
export function packageJson(
  denoJson: string,
  denoLock: string,
  packages: readonly string[],
): string {
  const { name, version, license }: Settings = JSON.parse(denoJson);
  const { specifiers }: { specifiers: Record<string, string> } = JSON.parse(denoLock);
  const pinned = (used: string): [string, string] => {
    const key = Object.keys(specifiers).find((specifier) => specifier.startsWith(`npm:${used}@`));
    const found = key && specifiers[key];
    if (!found) throw new Error(`Cannot pin the package ${used}: deno.lock gives it no version`);
    // The lock file names a package's peers after an underscore.
    return [used, found.replace(/_.*/, "")];
  };
  const used: [string, string][] = [["deno", DENO_VERSION], ...packages.map(pinned)];
  const dependencies = Object.fromEntries(used.sort(([a], [b]) => a < b ? -1 : 1));
  const content = {
    name,
    version,
    description: "Typed functions and a command line for the Subscription Management Service",
    license,
    type: "module",
    exports: {
      ".": { types: "./mod.d.ts", default: "./mod.js" },
      "./package.json": "./package.json",
    },
    types: "./mod.d.ts",
    bin: { cli: "bin/cli" },
    sideEffects: false,
    engines: { node: ">=22.3" },
    dependencies,
  };
  return `${JSON.stringify(content, null, 2)}\n`;
}

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

/** Writes the package into a folder, in place of what was there. */
export async function writePackage(folder: string): Promise<void> {
  const work = await Deno.makeTempDir();
  try {
    const packed = await packRepository(work);
    await Deno.remove(folder, { recursive: true }).catch(() => {});
    await copyModules(packed, folder);
    await writeSettings(folder, await importedPackages(packed));
  } finally {
    await Deno.remove(work, { recursive: true });
  }
}

/** Runs `deno pack` to make JavaScript and types. Returns their folder. */
async function packRepository(work: string): Promise<string> {
  const tarball = join(work, "package.tgz");
  const options = ["--quiet", "--allow-dirty", "--no-source-maps", "--output", tarball];
  await run(Deno.execPath(), ["pack", ...options]);
  await run("tar", ["-xzf", tarball, "-C", work]);
  return join(work, "package");
}

/** Runs a program in the repository. Its output appears only after a failure. */
async function run(program: string, args: string[]): Promise<void> {
  const command = new Deno.Command(program, { args, cwd: ROOT, env: { NO_COLOR: "1" } });
  const { success, stdout, stderr } = await command.output();
  if (success) return;
  const decoder = new TextDecoder();
  throw new Error(
    `Cannot run ${program} ${args[0]}:\n${decoder.decode(stdout)}${decoder.decode(stderr)}`,
  );
}

/** Copies the modules of the package. */
async function copyModules(packed: string, folder: string): Promise<void> {
  for (const path of (await filesUnder(packed)).filter(isForPackage)) {
    await Deno.mkdir(dirname(join(folder, path)), { recursive: true });
    await Deno.copyFile(join(packed, path), join(folder, path));
  }
  // In a clone it saves each command some time. From node_modules it takes `--version` 45 ms, and
  // saves nothing.
  await Deno.writeTextFile(join(folder, "lib/cli/packages.js"), "export {};\n");
}

/** The names of the packages that the modules import. */
async function importedPackages(packed: string): Promise<string[]> {
  const text = await Deno.readTextFile(join(packed, "package.json"));
  const { dependencies = {} }: { dependencies?: Record<string, string> } = JSON.parse(text);
  return Object.keys(dependencies);
}

/** Writes the other files. */
async function writeSettings(folder: string, packages: string[]): Promise<void> {
  const denoJson = await Deno.readTextFile(join(ROOT, "deno.json"));
  const denoLock = await Deno.readTextFile(join(ROOT, "deno.lock"));
  const template = await Deno.readTextFile(join(ROOT, "scripts/package/bin.sh"));
  await Deno.writeTextFile(join(folder, "package.json"), packageJson(denoJson, denoLock, packages));
  // Given on the command line, so that no other settings apply.
  await Deno.writeTextFile(join(folder, "deno.json"), "{}\n");
  await Deno.mkdir(join(folder, "bin"));
  await Deno.writeTextFile(join(folder, "bin/cli"), binScript(template, denoJson), { mode: 0o755 });
  await Deno.copyFile(join(ROOT, "scripts/package/README.md"), join(folder, "README.md"));
  for (const name of ["LICENSE", "CHANGES.md"]) {
    await Deno.copyFile(join(ROOT, name), join(folder, name));
  }
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

if (import.meta.main) {
  await writePackage(join(ROOT, "dist", "npm"));
  console.log("Wrote dist/npm. To make the file that npm installs: npm pack ./dist/npm");
}
