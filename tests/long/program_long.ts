/**
 * The bundled program of the package for npm. Needs the registry: the bundler comes from there. Run it
 * with `deno task test:package`.
 *
 * @module
 */

import { deepEqual, equal, match, ok } from "node:assert/strict";
import { join } from "node:path";
import { bundleFlags } from "../../scripts/package/flags.ts";
import { bundleProgram, filesUnder, writeProgram } from "../../scripts/package/program.ts";
import { VERSION } from "../../lib/version.ts";
import { makeHostileFolder } from "../package/hostile_folder.ts";
import { ended } from "../support/ended.ts";
import denoJson from "../../deno.json" with { type: "json" };

/** The files of a bundled program, by their names. */
type Files = ReadonlyMap<string, string>;

/** Reads a bundled program. */
async function filesOf(folder: string): Promise<Files> {
  const names = await filesUnder(join(folder, "program"));
  const read = async (name: string) =>
    [name, await Deno.readTextFile(join(folder, "program", name))] as const;
  return new Map(await Promise.all(names.map(read)));
}

/** What a file imports statically. */
function importsOf(text: string): string[] {
  return [...text.matchAll(/^(?:import|export|\}) (?:.* ?from )?"([^"]+)";$/gm)]
    .map(([, specifier = ""]) => specifier);
}

/** The files that a file loads, itself among them, and Node's modules with them. */
function loadedBy(files: Files, name: string): Set<string> {
  const loaded = new Set<string>();
  const visit = (specifier: string) => {
    if (loaded.has(specifier)) return;
    loaded.add(specifier);
    importsOf(files.get(specifier.replace("./", "")) ?? "").forEach(visit);
  };
  visit(`./${name}`);
  return loaded;
}

/** The name of the file that is made from a module which is loaded when it is needed. */
function fileOf(files: Files, module: string): string {
  return [...files.keys()].find((name) => name.startsWith(`${module}-`)) ?? "";
}

/** The name of the file that has the code of a module. */
function placeOf(files: Files, module: string): string | undefined {
  return [...files].find(([, text]) => text.includes(`\n// ${module}\n`))?.[0];
}

function loadsLittle(files: Files): void {
  deepEqual(importsOf(files.get("cli.js") ?? "").filter((name) => !name.startsWith("./")), []);
  const loaded = new Set(
    ["main", "offerings", "connect", "environment"].flatMap((module) => [
      ...loadedBy(files, fileOf(files, module)),
    ]),
  );
  ok(loaded.size >= 6 && loaded.size <= 10, [...loaded].join(" "));
  deepEqual([...loaded].filter((name) => !name.startsWith("./")), []);
  const core = placeOf(files, "lib/cli/main.ts");
  for (const module of ["lib/connect.ts", "lib/client.ts", "lib/cli/screen/table.ts"]) {
    equal(placeOf(files, module), core, module);
  }
  ok(!loaded.has(`./${placeOf(files, "lib/service/mod.ts")}`));
}

function asksForNoRequire(files: Files): void {
  for (const [name, text] of files) {
    ok(!/node:module|createRequire/.test(text), name);
    const wanted = [...text.matchAll(/__require\("([^"]+)"\)/g)].map(([, module]) => module);
    // pg offers another driver to those who have installed it.
    deepEqual(wanted.filter((module) => module !== "pg-native"), [], name);
  }
}

/** Loads each file by itself, but for those that import a package which is not in the bundle. */
async function loadsEverywhere(folder: string, files: Files): Promise<void> {
  const names = [...files.keys()].filter((name) =>
    name !== "cli.js" && !importsOf(files.get(name) ?? "").includes("jq-wasm/inline")
  );
  equal(names.length, files.size - 2);
  const script = names.map((name) => `await import("./program/${name}");`).join("\n");
  await Deno.writeTextFile(
    join(folder, "all.js"),
    `${script}\nconsole.log("all");\nDeno.exit();\n`,
  );
  const { out, err } = await runs(folder, "all.js", []);
  equal(out, "all\n", err);
}

/** Runs a file of the package in a hostile folder, with the flags of the program. */
async function runs(folder: string, file: string, words: string[], cwd = folder) {
  const flags = ["--config", join(folder, "deno.json"), ...bundleFlags(JSON.stringify(denoJson))];
  const args = ["run", ...flags, join(folder, file), ...words];
  return await ended(new Deno.Command(Deno.execPath(), { args, cwd, env: { NO_COLOR: "1" } }));
}

async function runsAnywhere(folder: string): Promise<void> {
  const hostile = await makeHostileFolder(folder);
  const cli = (...words: string[]) => runs(folder, "program/cli.js", words, hostile.path);
  equal((await cli("--version")).out, `cli ${VERSION}\n`);
  match((await cli("--help")).out, /^USAGE$/m);
  // The name of an error's class.
  const refused = await cli("offerings", "list", "--limit", "many", "--output", "json");
  match(refused.err, /"type":\s*"usage_error"/);
  deepEqual(await hostile.heeded(), []);
}

/** Bundles the program below a folder with packages and settings that are not the program's. */
async function bundleBelowOthers(folder: string, base: string): Promise<void> {
  const work = join(base, "above", "work");
  const files = {
    "node_modules/pg-native/package.json": `{"name":"pg-native","version":"1.0.0","license":"MIT"}`,
    "node_modules/pg-native/index.js": "module.exports = {};",
    "other.js": "export const parse = 1;",
    "package.json": `{"name":"yaml","exports":{".":"./other.js"},"sideEffects":false}`,
    ".pnp.data.json": `{"ignorePatternData":null,"packageRegistryData":[]}`,
    "tsconfig.json": JSON.stringify({ compilerOptions: { paths: { yaml: ["./other.js"] } } }),
  };
  for (const [path, text] of Object.entries(files)) {
    await Deno.mkdir(join(base, "above", path, ".."), { recursive: true });
    await Deno.writeTextFile(join(base, "above", path), text);
  }
  await Deno.mkdir(work);
  await bundleProgram(folder, work);
}

Deno.test("the bundled program works, and loads only what a command needs", async (test) => {
  const base = await Deno.realPath(await Deno.makeTempDir());
  try {
    const [folder, again] = [join(base, "one"), join(base, "two")];
    for (const to of [folder, again]) await Deno.mkdir(to);
    await writeProgram(folder);
    await bundleBelowOthers(again, base);
    await Deno.writeTextFile(join(folder, "package.json"), `{"type":"module"}`);
    const files = await filesOf(folder);
    await test.step("a second bundle is equal, whatever is in folders above", async () => {
      deepEqual(await filesOf(again), files);
    });
    await test.step("a command loads few files", () => loadsLittle(files));
    await test.step("no file makes a require()", () => asksForNoRequire(files));
    await test.step("each file can be loaded", () => loadsEverywhere(folder, files));
    await test.step("it runs in a hostile folder", () => runsAnywhere(folder));
  } finally {
    await Deno.remove(base, { recursive: true });
  }
});
