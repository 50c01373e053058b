/**
 * The bundled program with all that it needs besides Deno, as `deno task install` installs it.
 *
 * @module
 */

import { dirname, join } from "node:path";
import { LEFT_OUT } from "../bundle/licences.ts";
import { bundleFlags, ROOT, shellFlag } from "./flags.ts";
import { bundleProgram, filesUnder } from "./program.ts";

/** The script that starts a bundled program, from the one that starts a clone. */
export function startScript(script: string, denoJson: string): string {
  const words = ['--config "$program/deno.json"', ...bundleFlags(denoJson).map(shellFlag)];
  const lines = ['exec "$deno" run', ...words, '"$program/program/cli.js" "$@"'];
  return `${script.slice(0, script.indexOf("exec "))}${lines.join(" \\\n  ")}\n`;
}

/** Bundles this clone's program, with all that it needs besides Deno. */
export async function bundleComplete(folder: string, work: string): Promise<void> {
  await bundleProgram(folder, work);
  for (const name of LEFT_OUT) {
    const from = join(work, "node_modules", name);
    for (const path of await filesUnder(from)) {
      const to = join(folder, "node_modules", name, path);
      await Deno.mkdir(dirname(to), { recursive: true });
      await Deno.copyFile(join(from, path), to);
    }
  }
  const read = (path: string) => Deno.readTextFile(join(ROOT, path));
  const script = startScript(await read("scripts/package/start.sh"), await read("deno.json"));
  await Deno.writeTextFile(join(folder, "start.sh"), script);
}
