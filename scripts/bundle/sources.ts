/**
 * How the bundler reads the program: its packages, Node's modules, and deferred imports.
 *
 * @module
 */

import { builtinModules } from "node:module";
import type { Plugin } from "esbuild";

/** Reads the program's own modules, and finds the packages that they name. */
export const sources: Plugin = {
  name: "sources",
  setup(build) {
    // The lock file has installed this version, under the package's name alone.
    build.onResolve({ filter: /^npm:/ }, ({ path, resolveDir, kind }) => {
      const name = path.replace("npm:", "").replace(/(?!^)@.*$/, "");
      return build.resolve(name, { resolveDir, kind });
    });
    build.onLoad({ filter: /[\\/]lib[\\/].+\.ts$/ }, async ({ path }) => {
      if (/[\\/]node_modules[\\/]/.test(path)) return undefined;
      return { loader: "ts", contents: withoutDeferral(path, await Deno.readTextFile(path)) };
    });
  },
};

/**
 * A module without deferred imports of packages, which esbuild cannot bundle: what they name runs at
 * once. `packages.ts` names packages only for the sake of Deno's cache, so here it is empty.
 */
function withoutDeferral(path: string, text: string): string {
  if (/[\\/]cli[\\/]packages\.ts$/.test(path)) return "export {};\n";
  return text.replace(/^import defer (\* as \w+ from "(?!node:))/gm, "import $1");
}

/**
 * Node's modules as imports. A CommonJS package gets what `require()` would return, without a
 * `require()` of its own: to make one takes longer than the bundle saves.
 */
export const nodeModules: Plugin = {
  name: "node modules",
  setup(build) {
    const names = new Set(builtinModules);
    build.onResolve({ filter: /^[a-z_:/]+$/ }, ({ path, kind }) => {
      const name = path.replace(/^node:/, "");
      if (!path.startsWith("node:") && !names.has(name)) return undefined;
      if (kind !== "require-call") return { path: `node:${name}`, external: true };
      return { path: name, namespace: "required" };
    });
    build.onLoad({ filter: /.*/, namespace: "required" }, ({ path }) => ({
      contents: `module.exports = require("default:${path}").default;`,
    }));
    build.onResolve({ filter: /^default:/ }, ({ path }) => ({
      path: path.replace("default:", ""),
      namespace: "default",
    }));
    build.onLoad({ filter: /.*/, namespace: "default" }, ({ path }) => ({
      contents: `export { default } from "node:${path}";`,
    }));
  },
};
