/**
 * The files of commands: that of their group, or the one named by their words.
 *
 * @module
 */

import { deepEqual, ok } from "node:assert/strict";
import { TREE } from "../../../lib/cli/commands/mod.ts";
import { isGroup } from "../../../lib/cli/words/find_entry.ts";

const COMMANDS = new URL("../../../lib/cli/commands/", import.meta.url);

/** The files below the folder of commands that export each command or group. */
async function filesOfCommands(): Promise<Map<unknown, string>> {
  const files = new Map<unknown, string>();
  for await (const folder of Deno.readDir(COMMANDS)) {
    if (!folder.isDirectory) continue;
    for await (const { name } of Deno.readDir(new URL(`${folder.name}/`, COMMANDS))) {
      const module: object = await import(new URL(`${folder.name}/${name}`, COMMANDS).href);
      for (const value of Object.values(module)) files.set(value, `${folder.name}/${name}`);
    }
  }
  return files;
}

Deno.test("a command in a file of its own is in the one that its words name", async () => {
  const files = await filesOfCommands();
  const named = new Set<unknown>();
  const elsewhere = new Map<unknown, string>();
  for (const { name, load } of TREE) {
    const entry = await load();
    if (!isGroup(entry)) continue;
    for (const [verb, command] of Object.entries(entry.commands)) {
      const file = files.get(command);
      if (file === undefined) continue;
      if (file === `${name}/${verb}.ts`.replaceAll("-", "_")) named.add(command);
      else elsewhere.set(command, `${name} ${verb}: ${file}`);
    }
  }
  ok(named.size >= 45, `only ${named.size} commands have a file`);
  // Another way to say the same: cli simulate events is cli events list.
  deepEqual([...elsewhere].filter(([command]) => !named.has(command)).map(([, text]) => text), []);
});
