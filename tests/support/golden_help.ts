/**
 * The reviewed help of commands. A text that a command has is checked in the folder of its tests.
 *
 * @module
 */

import { deepEqual } from "node:assert/strict";
import { loadFor } from "../../lib/cli/commands/mod.ts";
import { run } from "../../lib/cli/main.ts";
import type { Group } from "../../lib/cli/words/command.ts";
import { isGroup } from "../../lib/cli/words/find_entry.ts";
import { matchGolden } from "./golden.ts";

/** Compares the help of a command, or of a group and all in it, with the reviewed text. */
export async function matchHelp(name: string): Promise<void> {
  const entry = (await loadFor([])).commands[name];
  const inner = entry && isGroup(entry) ? placesIn(entry).map((place) => `${name} ${place}`) : [];
  let text = "";
  for (const place of [name, ...inner]) {
    const out = await helpOf(place);
    // The flags that all commands have need not be looked at each time.
    text += `$ cli ${place} --help\n${out.replace(/\nGLOBAL FLAGS\n[^]*$/, "")}\n`;
  }
  await matchGolden(`help/${name}`, text);
}

/** The help of a place, on a terminal of 80 columns and on a machine that has nothing else. */
async function helpOf(place: string): Promise<string> {
  let [out, err] = ["", ""];
  const code = await run([...place.split(" "), "--help"], {
    terminal: {
      writeOut: (text) => void (out += text),
      writeErr: (text) => void (err += text),
      outColumns: 80,
      outColor: false,
      errColor: false,
    },
    around: { env: () => undefined, cwd: undefined, home: undefined, now: () => 0, warn: () => {} },
    files: {
      readFile: () => Promise.reject(new Deno.errors.NotFound()),
      stdin: () => new Blob().stream(),
      stdinIsTerminal: false,
      say: () => {},
    },
    interactive: false,
    signal: new AbortController().signal,
  });
  deepEqual([code, err], [0, ""], place);
  return out;
}

/** Every place in a group that has a help text. */
export function placesIn({ commands }: Group): string[] {
  return Object.entries(commands).flatMap(([name, entry]) =>
    isGroup(entry) ? [name, ...placesIn(entry).map((place) => `${name} ${place}`)] : [name]
  );
}

/** The groups whose commands have a folder of their own. */
export const WITH_FOLDERS = [
  ...Deno.readDirSync(new URL("../../lib/cli/commands/", import.meta.url)),
]
  .filter(({ isDirectory }) => isDirectory)
  .map(({ name }) => name);
