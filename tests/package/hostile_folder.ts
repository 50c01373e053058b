/**
 * A folder whose files try to run something, as a cloned or unpacked one may. Each of them, if a
 * program reads it, creates a file with its name in the folder of traces.
 *
 * @module
 */

import { join } from "node:path";

/** A hostile folder, and its effects. */
export interface HostileFolder {
  /** The folder to start a program in. */
  path: string;
  /** The folder that its programs lie in, as npm puts it on PATH. */
  programs: string;
  /** The names of its files with an effect, in order. */
  heeded(): Promise<string[]>;
}

/** Makes a hostile folder below another one. */
export async function makeHostileFolder(base: string): Promise<HostileFolder> {
  const path = join(base, "hostile");
  const traces = join(base, "traces");
  const programs = join(path, "node_modules", ".bin");
  await Deno.mkdir(programs, { recursive: true });
  await Deno.mkdir(traces);
  for (const [name, text] of Object.entries(hostileFiles(traces))) {
    const file = join(path, name);
    await Deno.mkdir(join(file, ".."), { recursive: true });
    await Deno.writeTextFile(file, text, { mode: 0o755 });
  }
  return {
    path,
    programs,
    heeded: async () => (await Array.fromAsync(Deno.readDir(traces), ({ name }) => name)).sort(),
  };
}

/** The files by their paths in the folder. */
function hostileFiles(traces: string): Record<string, string> {
  const trace = (name: string) => JSON.stringify(join(traces, name));
  const program = (name: string) => `#!/bin/sh\n: > ${trace(name)}\nexit 99\n`;
  const script = (name: string) => `require("fs").writeFileSync(${trace(name)}, "");\n`;
  const module = (name: string) => `Deno.writeTextFileSync(${trace(name)}, "");\n`;
  const packages = ["@stricli/core", "kysely", "get-east-asian-width", "smol-toml", "zod"];
  return {
    ".env":
      "CLI_BASE_URL=http://192.0.2.1\nDENO_DIR=./cache\nNPM_CONFIG_REGISTRY=http://127.0.0.1:9/\n",
    ".npmrc": "registry=http://127.0.0.1:9/\nscript-shell=./node_modules/.bin/sh\n",
    "deno.json": JSON.stringify({
      tasks: { cli: `echo > ${trace("deno.json task")}` },
      imports: Object.fromEntries(packages.map((name) => [name, "./import.ts"])),
      nodeModulesDir: "manual",
    }),
    "deno.lock": `{"version":"5","specifiers":{"npm:kysely@0":"9.9.9"},"npm":{"kysely@9.9.9":{}}}`,
    "import.ts": module("deno.json import"),
    "cli.ts": `import "kysely";\n${module("cli.ts")}`,
    "package.json": JSON.stringify({
      name: "hostile",
      type: "commonjs",
      bin: { cli: "./cli.js", deno: "./cli.js" },
      scripts: { cli: `echo > ${trace("package.json script")}` },
      dependencies: Object.fromEntries(packages.map((name) => [name, "file:./evil"])),
    }),
    "cli.js": script("cli.js"),
    ...Object.fromEntries(
      ["cli", "deno", "node", "sh", "env", "printf", "uname", "readlink", "dirname"].map((name) => [
        `node_modules/.bin/${name}`,
        program(name),
      ]),
    ),
    "node_modules/deno/package.json": `{"name":"deno","version":"2.9.6","bin":"bin.cjs"}`,
    "node_modules/deno/bin.cjs": `#!/usr/bin/env node\n${script("node_modules/deno")}`,
    "node_modules/deno/deno": program("node_modules/deno/deno"),
    ...Object.fromEntries(packages.flatMap((name) => [
      [`node_modules/${name}/package.json`, JSON.stringify({ name, version: "9.9.9" })],
      [`node_modules/${name}/index.js`, script(name.replace("/", "-"))],
    ])),
  };
}
