/**
 * Bundles the program with its packages, in files that are loaded when a command needs them.
 *
 * `scripts/package/program.ts` runs it: `main.ts FROM TO`. FROM has `cli.ts`, `lib/` and
 * `node_modules/`; TO gets `program/` and the licences of the packages in it.
 *
 * @module
 */

import { join } from "node:path";
import * as esbuild from "esbuild";
import { coreOf, keepTogether } from "./core.ts";
import { findForeign, LEFT_OUT, licencesOf, packageFolders } from "./licences.ts";
import { nodeModules, sources } from "./sources.ts";

/** Bundles a folder into another one. */
async function bundle(from: string, to: string): Promise<void> {
  const options = {
    absWorkingDir: from,
    entryPoints: ["cli.ts"],
    outdir: join(to, "program"),
    bundle: true,
    splitting: true,
    format: "esm",
    // Names and lines stay readable in stack traces, and shorter files save nothing. Source maps
    // would name the sources, but Deno reads them at each dynamic import: half a millisecond.
    minify: false,
    // Not "node": packages for Node would ask for a `require()`.
    platform: "neutral",
    mainFields: ["module", "main"],
    target: "esnext",
    // In place of a tsconfig.json in a folder above.
    tsconfigRaw: "{}",
    // pg looks for pg-native, and does without it. A folder above may have it.
    external: ["pg-native", ...LEFT_OUT.flatMap((name) => [name, `${name}/*`])],
    chunkNames: "[name]-[hash]",
    legalComments: "none",
    metafile: true,
    logLevel: "warning",
  } as const satisfies esbuild.BuildOptions;
  const plugins = [nodeModules, sources];
  const { metafile } = await esbuild.build({ ...options, plugins, write: false });
  const core = keepTogether(coreOf(metafile), from);
  const { outputFiles, metafile: { outputs } } = await esbuild.build({
    ...options,
    plugins: [core, ...plugins],
    write: false,
  });
  const foreign = findForeign(Object.keys(metafile.inputs));
  // A folder above may belong to somebody else, as that of all temporary files does.
  if (foreign) throw new Error(`Cannot bundle the program: it would contain ${foreign}`);
  await keepsNames(from, Object.keys(metafile.inputs), outputFiles);
  await Deno.mkdir(join(to, "program"), { recursive: true });
  for (const { path, contents } of outputFiles) await Deno.writeFile(path, contents);
  const bundled = Object.values(outputs).flatMap(({ inputs }) => Object.keys(inputs));
  const licences = await licencesOf(packageFolders(bundled), from, standardText);
  await Deno.writeTextFile(join(to, "THIRD_PARTY.md"), licences);
}

/**
 * Makes sure that the program's own classes keep their names: errors show theirs.
 *
 * @throws {Error} for a class that gets another name, as a second one of the same name does.
 */
async function keepsNames(
  from: string,
  inputs: readonly string[],
  outputs: readonly esbuild.OutputFile[],
): Promise<void> {
  const own = inputs.filter((path) => path.startsWith("lib/"));
  const texts = await Promise.all(own.map((path) => Deno.readTextFile(join(from, path))));
  const written = texts.flatMap((text) => classesIn(text));
  const kept = outputs.flatMap(({ text }) => classesIn(text));
  for (const name of written) {
    const place = kept.indexOf(name);
    if (place < 0) throw new Error(`Cannot bundle the program: it loses the class name ${name}`);
    kept.splice(place, 1);
  }
}

/** The names of the classes that a module declares. */
function classesIn(text: string): string[] {
  const found = text.matchAll(/^(?:export )?(?:var (\w+) = )?class (?:(\w+) )?(?:extends|\{)/gm);
  return [...found].map(([, named = "", own = named]) => own);
}

/** The standard text of a licence. */
async function standardText(identifier: string): Promise<string> {
  const { default: { licenseText } }: { default: { licenseText: string } } = await import(
    `spdx-license-list/licenses/${identifier}.json`,
    { with: { type: "json" } }
  );
  return licenseText;
}

if (import.meta.main) {
  const [from = "", to = ""] = Deno.args;
  try {
    await bundle(from, to);
  } finally {
    await esbuild.stop();
  }
}
