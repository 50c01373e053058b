/**
 * Machines to install on: a person's folders, a clone, and a bundler that needs no network.
 *
 * @module
 */

import { deepEqual } from "node:assert/strict";
import { delimiter, join } from "node:path";
import { ROOT } from "../../scripts/package/flags.ts";
import { type Machine, main } from "../../scripts/package/install.ts";
import { startScript } from "../../scripts/package/complete_program.ts";
import { cacheFolder } from "../support/cache_folder.ts";
import { type Ended, ended } from "../support/ended.ts";

/** Whether this system is Windows. */
export const windows = Deno.build.os === "windows";

/** The name of a launcher's file here. */
export const name = windows ? "cli.cmd" : "cli";

/** The text of deno.json. */
export const denoJson = await Deno.readTextFile(join(ROOT, "deno.json"));

/** The text of the script that starts a clone. */
export const script = await Deno.readTextFile(join(ROOT, "scripts/package/start.sh"));

/** Makes a temporary folder, hands it out, and removes it. */
export async function withFolder(use: (folder: string) => Promise<void>): Promise<void> {
  const folder = await Deno.realPath(await Deno.makeTempDir());
  try {
    await use(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** A bundler whose program has this text, and imports a package that lies beside it. */
export function bundling(text: string): Machine["bundle"] {
  const files = {
    "program/cli.js": text,
    "node_modules/kysely/package.json": `{"name":"kysely","version":"1.0.0","main":"a.cjs"}`,
    "node_modules/kysely/a.cjs": `exports.name = "our own";`,
    "deno.json": "{}",
    "start.sh": startScript(script, denoJson),
  };
  return async (folder, work) => {
    deepEqual([[...Deno.readDirSync(folder)], [...Deno.readDirSync(work)]], [[], []]);
    await Deno.writeTextFile(join(work, "cli.ts"), "");
    for (const [path, content] of Object.entries(files)) {
      await Deno.mkdir(join(folder, path, ".."), { recursive: true });
      await Deno.writeTextFile(join(folder, path), content);
    }
  };
}

/** A machine, and what happens on it. */
export interface Tried {
  /** The machine. */
  machine: Machine;
  /** Runs the installation with these words. Returns the exit code. */
  run(...words: string[]): Promise<number>;
  /** The first folder on PATH. */
  first: string;
  /** The second folder on PATH. */
  second: string;
  /** The results that were printed. */
  said: string[];
  /** The warnings and errors that were printed. */
  warned: string[];
  /** What a terminal shows meanwhile. */
  shown: string[];
  /** The names of all installed programs, in order. */
  programs(): string[];
}

/** A person's machine, with a clone and two folders on PATH in their own. */
export async function machineIn(home: string, over: Partial<Machine> = {}): Promise<Tried> {
  const [first, second, clone] = [join(home, "first"), join(home, "second"), join(home, "clone")];
  for (const folder of [first, second, clone]) await Deno.mkdir(folder, { recursive: true });
  await Deno.writeTextFile(join(clone, "deno.json"), denoJson);
  const said: string[] = [];
  const warned: string[] = [];
  const shown: string[] = [];
  const machine: Machine = {
    path: [join(home, "node_modules", ".bin"), "relative", first, second].join(delimiter),
    home,
    cwd: home,
    deno: Deno.execPath(),
    clone,
    ask: undefined,
    say: (line) => void said.push(line),
    warn: (line) => void warned.push(line),
    progress: (line) => void shown.push(line),
    bundle: bundling(""),
    prepare: () => Promise.resolve(),
    ...over,
  };
  return {
    machine,
    run: (...words) => main(words, machine),
    first,
    second,
    said,
    warned,
    shown,
    programs: () => programsIn(machine.clone),
  };
}

/** The names of the installed programs of a clone. */
function programsIn(clone: string): string[] {
  return [...Deno.readDirSync(join(clone, "dist", "installed"))]
    .filter(({ isDirectory }) => isDirectory).map(({ name }) => name).sort();
}

/** Runs a launcher in a folder, with nothing but a search path and Deno's cache in its variables. */
export async function launch(
  launcher: string,
  words: string[],
  cwd: string,
  path: string,
): Promise<Ended> {
  const command = new Deno.Command("sh", {
    // Tests may run the `sh` of their own search path; the shell resolves programs of the other
    // one.
    args: ["-c", 'PATH=$0; export PATH; exec "$@"', path, launcher, ...words],
    cwd,
    clearEnv: true,
    env: {
      PATH: Deno.env.get("PATH") ?? "",
      HOME: "/nonexistent",
      DENO_DIR: await cacheFolder(),
      NO_COLOR: "1",
      INIT_CWD: "/",
    },
  });
  return await ended(command);
}
