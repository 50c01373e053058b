/**
 * The program as people install it: bundled, which a shell script starts.
 *
 * @module
 */

import { dirname, join } from "node:path";
import { LEFT_OUT } from "../bundle/licences.ts";
import { bundleComplete } from "../package/complete_program.ts";
import { shellLauncher } from "../package/launcher.ts";
import { packageJson } from "../package/npm.ts";
import { writeProgram } from "../package/program.ts";
import { ROOT, runDeno, runProgram } from "./child.ts";
import { elapsed, type Finding, inTurns } from "./measure.ts";
import { against, NOTHING, type ProgramOptions, signInOf } from "./programs.ts";

/** Installs the program in each way, and measures a command in turns with an empty script. */
export async function measureInstalled(
  folder: string,
  options: ProgramOptions,
): Promise<Finding[]> {
  const launcher = await installByTask(join(folder, "task"));
  const start = await installByNpm(join(folder, "npm"));
  const env = signInOf(options);
  const list = (script: string) =>
    elapsed(() => runProgram("sh", [script, "offerings", "list"], env));
  const { byTask, byNpm, empty } = await inTurns({
    empty: () => elapsed(() => runDeno(NOTHING, env)),
    byTask: () => list(launcher),
    byNpm: () => list(start),
  }, { rounds: options.runs, warmUp: options.warmUp });
  const finding = (who: string, times: readonly number[]) => {
    const what = `\`cli offerings list\`, as ${who} installs it`;
    return against(what, times, "an empty script", empty, { atMost: 2.5 });
  };
  return [finding("`deno task install`", byTask), finding("the package for npm", byNpm)];
}

/** Bundles the program, and writes the launcher of `deno task install`. Returns its path. */
async function installByTask(folder: string): Promise<string> {
  const [program, work] = [join(folder, "program"), join(folder, "work")];
  for (const path of [program, work]) await Deno.mkdir(path, { recursive: true });
  await bundleComplete(program, work);
  const launcher = join(folder, "cli");
  const text = shellLauncher({ deno: Deno.execPath(), clone: ROOT, program });
  await Deno.writeTextFile(launcher, text, { mode: 0o755 });
  return launcher;
}

/**
 * Bundles the program, and puts it where npm does, beside this Deno. Returns the path to start: a link,
 * as npm makes it.
 */
async function installByNpm(folder: string): Promise<string> {
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
