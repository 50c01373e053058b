/**
 * Writes dist/npm/: one package for npm, with the library for Node, Bun and bundlers, and the
 * program for the package `deno`. The library is JavaScript that `deno pack` makes from the source,
 * module by module; the program is bundled.
 *
 * Run it as `deno task package`. Then `npm pack ./dist/npm` makes the file to install or publish.
 *
 * @module
 */

import { dirname, join } from "node:path";
import { LEFT_OUT } from "../bundle/licences.ts";
import { DENO_VERSION, ROOT } from "./flags.ts";
import { filesUnder, runTool, writeProgram } from "./program.ts";

/** The settings of deno.json that packages need. */
interface Settings {
  /** The package's name, with its scope. */
  name: string;
  /** The package's version. */
  version: string;
  /** The licence's identifier. */
  license: string;
}

/** What `deno info` prints about modules. */
interface Graph {
  /** The modules that are reached, and what each imports. */
  modules: { specifier: string; dependencies?: { specifier: string }[] }[];
}

/** The modules and packages that the library loads. */
export interface Library {
  /** The paths of its modules, as JavaScript. */
  modules: string[];
  /** The names of packages. */
  packages: string[];
}

/** The library, from what `deno info --json mod.ts` prints. */
export function libraryOf({ modules }: Graph): Library {
  const root = import.meta.resolve("../../");
  const own = modules.map(({ specifier }) => specifier).filter((path) => path.startsWith(root));
  const packages = modules.flatMap(({ dependencies = [] }) => dependencies)
    .flatMap(({ specifier }) => /^npm:((?:@[^/]+\/)?[^@/]+)/.exec(specifier)?.[1] ?? []);
  return {
    modules: own.map((path) => decodeURI(path.slice(root.length)).replace(/\.ts$/, ".js")),
    packages: [...new Set(packages)],
  };
}

/** Whether a file of a packed repository belongs to the library: a module, or the types of one. */
export function isOfLibrary(path: string, { modules }: Library): boolean {
  return modules.includes(path.replace(/\.d\.ts$/, ".js"));
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

/** Writes the package into a folder, in place of what was there. */
export async function writePackage(folder: string): Promise<void> {
  const work = await Deno.makeTempDir();
  try {
    const packed = await packRepository(work);
    await Deno.remove(folder, { recursive: true }).catch(() => {});
    await Deno.mkdir(folder, { recursive: true });
    const library = libraryOf(JSON.parse(await runTool(Deno.execPath(), INFO, ROOT)));
    for (const path of (await filesUnder(packed)).filter((path) => isOfLibrary(path, library))) {
      await Deno.mkdir(dirname(join(folder, path)), { recursive: true });
      await Deno.copyFile(join(packed, path), join(folder, path));
    }
    await writeProgram(folder);
    await writeSettings(folder, library.packages);
  } finally {
    await Deno.remove(work, { recursive: true });
  }
}

/** Asks what the library loads. */
const INFO = ["info", "--quiet", "--frozen", "--json", "mod.ts"];

/** Runs `deno pack` to make JavaScript and types. Returns their folder. */
async function packRepository(work: string): Promise<string> {
  const tarball = join(work, "package.tgz");
  const options = ["--quiet", "--allow-dirty", "--no-source-maps", "--output", tarball];
  await runTool(Deno.execPath(), ["pack", ...options], ROOT);
  await runTool("tar", ["-xzf", tarball, "-C", work], ROOT);
  return join(work, "package");
}

/** Writes the other files. */
async function writeSettings(folder: string, packages: readonly string[]): Promise<void> {
  const denoJson = await Deno.readTextFile(join(ROOT, "deno.json"));
  const denoLock = await Deno.readTextFile(join(ROOT, "deno.lock"));
  const dependencies = [...packages, ...LEFT_OUT];
  const text = packageJson(denoJson, denoLock, dependencies);
  await Deno.writeTextFile(join(folder, "package.json"), text);
  await Deno.copyFile(join(ROOT, "scripts/package/README.md"), join(folder, "README.md"));
  for (const name of ["LICENSE", "CHANGES.md"]) {
    await Deno.copyFile(join(ROOT, name), join(folder, name));
  }
}

if (import.meta.main) {
  await writePackage(join(ROOT, "dist", "npm"));
  console.log("Wrote dist/npm. To make the file that npm installs: npm pack ./dist/npm");
}
