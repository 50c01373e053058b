/**
 * The program as the package for npm installs it.
 *
 * @module
 */

import { dirname, join } from "node:path";
import { LEFT_OUT } from "../bundle/licences.ts";
import { packageJson } from "../package/npm.ts";
import { writeProgram } from "../package/program.ts";
import { ROOT, runDeno, runProgram } from "./child.ts";
import { elapsed, type Finding, inTurns } from "./measure.ts";
import { against, NOTHING, type ProgramOptions, signInOf } from "./programs.ts";

/** Installs the program into a folder, and measures a command in turns with an empty script. */
export async function measureInstalled(folder: string, options: ProgramOptions): Promise<Finding> {
  const program = await installProgram(folder);
  const env = signInOf(options);
  const { installed, empty } = await inTurns({
    empty: () => elapsed(() => runDeno(NOTHING, env)),
    installed: () => elapsed(() => runProgram(program, ["offerings", "list"], env)),
  }, { rounds: options.runs, warmUp: options.warmUp });
  const what = "`cli offerings list`, as the package for npm installs it";
  return against(what, installed, "an empty script", empty, { atMost: 2.5 });
}

/**
 * Bundles the program, and puts it where npm does, beside this Deno. Returns the path to start: a link,
 * as npm makes it.
 */
async function installProgram(folder: string): Promise<string> {
  const own = join(folder, "node_modules/@svc/cli");
  await Deno.mkdir(own, { recursive: true });
  await writeProgram(own);
  const read = (name: string) => Deno.readTextFile(join(ROOT, name));
  const settings = packageJson(await read("deno.json"), await read("deno.lock"), LEFT_OUT);
  await Deno.writeTextFile(join(own, "package.json"), settings);
  await link(join(folder, "node_modules/deno/deno"), Deno.execPath());
  const start = join(folder, "node_modules/.bin/cli");
  await link(start, "../@svc/cli/bin/cli");
  return start;
}

/** Makes a link, and its folder. */
async function link(path: string, target: string): Promise<void> {
  await Deno.mkdir(dirname(path), { recursive: true });
  await Deno.symlink(target, path);
}
