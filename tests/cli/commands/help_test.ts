import { deepEqual, ok } from "node:assert/strict";
import { loadFor } from "../../../lib/cli/commands/mod.ts";
import { matchHelp, WITH_FOLDERS } from "../../support/golden_help.ts";

Deno.test("the help of each command without a folder matches the reviewed text", async () => {
  const { commands } = await loadFor([]);
  for (const name of Object.keys(commands)) {
    if (!WITH_FOLDERS.includes(name)) await matchHelp(name);
  }
});

Deno.test("the help of each command with a folder has a test there", async () => {
  const { commands } = await loadFor([]);
  deepEqual(WITH_FOLDERS.filter((name) => !Object.hasOwn(commands, name)), []);
  for (const name of WITH_FOLDERS) {
    const test = await Deno.readTextFile(new URL(`./${name}/help_test.ts`, import.meta.url));
    ok(test.includes(`matchHelp("${name}")`), name);
  }
});
