/**
 * Which files each test file can reach: its imports, theirs, and so on.
 *
 * @module
 */

import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import type { Copy } from "./copies.ts";
import { runDeno } from "./process.ts";

/** A test file with what it imports, all as paths in the repository. */
export interface TestFile {
  /** Its path. */
  readonly path: string;
  /** Its imports, with itself. */
  readonly files: ReadonlySet<string>;
  /** Whether it starts processes, which may load what it does not import. */
  readonly startsProcesses: boolean;
}

/** The output of `deno info --json`, as far as needed here. */
interface Graph {
  /** Every module with its imports. */
  modules: {
    /** Its address. */
    specifier: string;
    /** Its imports. Those of types alone have no code. */
    dependencies?: { code?: { specifier?: string } }[];
  }[];
}

/** The name of a module that imports all tests. No file has this name. */
const ALL = "_all_tests.ts";

/** The test files of a copy. */
export async function testFiles(copy: Copy): Promise<TestFile[]> {
  const tests = (await filesUnder(copy.cwd, "tests")).filter((path) => path.endsWith("_test.ts"));
  await copy.write(ALL, tests.map((path) => `import "./${path}";\n`).join(""));
  const { text } = await runDeno(["info", "--json", ALL], copy);
  const start = text.indexOf("{");
  const { modules }: Graph = JSON.parse(text.slice(start, text.lastIndexOf("}") + 1));
  await Deno.remove(join(copy.cwd, ALL));
  const imports = new Map(modules.map(({ specifier, dependencies = [] }) => [
    pathOf(copy.cwd, specifier),
    dependencies.flatMap(({ code }) => code?.specifier ?? []).map((one) => pathOf(copy.cwd, one)),
  ]));
  const starters = new Set<string>();
  for (const path of imports.keys()) {
    if (path === "" || !path.startsWith("tests/")) continue;
    const source = await Deno.readTextFile(join(copy.cwd, path));
    if (/\bDeno\.Command\b/.test(source)) starters.add(path);
  }
  return tests.map((path) => {
    const files = reachable(path, imports);
    return { path, files, startsProcesses: [...files].some((file) => starters.has(file)) };
  });
}

/** All source files below a folder of the tree, sorted. */
export async function filesUnder(root: string, folder: string): Promise<string[]> {
  const found: string[] = [];
  for await (const { name, isDirectory } of Deno.readDir(join(root, folder))) {
    const path = `${folder}/${name}`;
    if (isDirectory) found.push(...await filesUnder(root, path));
    else if (name.endsWith(".ts")) found.push(path);
  }
  return found.sort();
}

/** A module's path in the repository. Empty for modules outside of it. */
function pathOf(root: string, specifier: string): string {
  if (!specifier.startsWith("file:")) return "";
  const path = relative(root, fileURLToPath(specifier)).replaceAll("\\", "/");
  return path.startsWith("../") ? "" : path;
}

/** A file and all that it imports. */
function reachable(path: string, imports: ReadonlyMap<string, readonly string[]>): Set<string> {
  const found = new Set([path]);
  for (const one of found) {
    for (const next of imports.get(one) ?? []) if (next !== "") found.add(next);
  }
  return found;
}
