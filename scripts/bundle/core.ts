/**
 * One file for the modules that nearly every command loads. By itself esbuild makes one file for each
 * set of modules that the same parts of the program use: a command would load 50 of them.
 *
 * @module
 */

import { relative, resolve } from "node:path";
import type { Metafile, Plugin } from "esbuild";

/** What nearly every command loads, in stages; with all that these import. */
const STAGES: readonly string[] = [
  "lib/cli/main.ts",
  "lib/cli/words/plain.ts",
  "lib/connect.ts",
  "lib/auth/environment.ts",
];

/**
 * The modules of the core: the imports of its stages, without what the program needs before them.
 *
 * @throws {Error} for a stage that the program does not have.
 */
export function coreOf({ inputs }: Metafile): string[] {
  const lost = STAGES.find((path) => !inputs[path]);
  if (lost) throw new Error(`Cannot bundle the program: nothing imports ${lost}`);
  const before = importsOf(inputs, ["cli.ts"]);
  return importsOf(inputs, STAGES)
    .filter((path) => path.startsWith("lib/") && !before.includes(path));
}

/** Modules and all that they import statically, each after its imports. */
function importsOf(inputs: Metafile["inputs"], paths: readonly string[]): string[] {
  const seen = new Set<string>();
  const sorted: string[] = [];
  const visit = (path: string) => {
    if (seen.has(path)) return;
    seen.add(path);
    for (const { path: next, kind, external } of inputs[path]?.imports ?? []) {
      if (kind === "import-statement" && !external) visit(next);
    }
    sorted.push(path);
  };
  paths.forEach(visit);
  return sorted;
}

/**
 * Keeps the modules of the core together. A module outside of it that imports one of them gets a door
 * to it, and a door imports all doors. So the same parts of the program use all modules of the core.
 */
export function keepTogether(core: readonly string[], root: string): Plugin {
  const pathOf = (file: string) => relative(root, file).replaceAll("\\", "/");
  return {
    name: "core",
    setup(build) {
      build.onResolve({ filter: /^\.\.?\// }, ({ path, resolveDir, importer, kind, namespace }) => {
        const target = pathOf(resolve(resolveDir, path));
        if (namespace !== "file" || !core.includes(target)) return undefined;
        if (core.includes(pathOf(importer)) && kind !== "dynamic-import") return undefined;
        return doorTo(target);
      });
      build.onResolve({ filter: /^door:/ }, ({ path }) => doorTo(path.replace("door:", "")));
      build.onLoad({ filter: /.*/, namespace: "door" }, ({ path }) => ({
        contents: `import "doors"; export * from "./${path}";`,
        resolveDir: root,
      }));
      build.onResolve({ filter: /^doors$/ }, () => ({ path: "all", namespace: "doors" }));
      build.onLoad({ filter: /.*/, namespace: "doors" }, () => ({
        contents: core.map((path) => `import "door:${path}";`).join("\n"),
        resolveDir: root,
      }));
    },
  };
}

/** A door to a module of the core. */
function doorTo(path: string): { path: string; namespace: string } {
  return { path, namespace: "door" };
}
