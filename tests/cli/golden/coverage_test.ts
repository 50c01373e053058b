import { deepEqual } from "node:assert/strict";
import { loadFor } from "../../../lib/cli/commands/mod.ts";
import { findEntry } from "../../../lib/cli/words/find_entry.ts";
import { commandsOf } from "../../support/command_tree.ts";

/** Commands without a golden file, each with its other test below `tests/cli/`. */
const ELSEWHERE: Record<string, string> = {
  "service start": "commands/service/start_test.ts: it goes on until it is stopped",
  "service account add": "commands/service/account_test.ts: it needs a service in another process",
  "service account reset": "commands/service/password_test.ts: each link is made anew",
  "verify": "commands/verify_test.ts: it delivers to a handler",
  "scenario init": "../scenario/run/run_test.ts: it writes files",
  "scenario record": "commands/scenario/record_test.ts: it runs what it records",
  "scenario run": "../scenario/run/run_test.ts: it reads files",
  "scenario schema": "../scenario/file/schema_test.ts: an independent validator reads it",
  "invoices file": "../service/routes/invoice_files_test.ts: each address is signed anew",
  "service backup": "commands/service/backup_test.ts: it needs a data folder",
  "service check": "commands/service/check_test.ts: it needs a database",
  "service migrate": "commands/service/migrate_test.ts: it needs two databases",
  "service populate": "commands/service/populate_test.ts: it takes a service's time",
  "service snapshot save": "commands/service/snapshot_test.ts: it needs a data folder",
  "service snapshot restore": "commands/service/snapshot_test.ts: it needs a data folder",
  "service snapshot list": "commands/service/snapshot_test.ts: it needs a data folder",
  "service snapshot delete": "commands/service/snapshot_test.ts: it needs a data folder",
  "service restore": "commands/service/backup_test.ts: it needs a data folder",
  "api": "commands/api_test.ts: its path names a project",
  "alias set": "commands/alias_test.ts: it needs a home folder",
  "alias list": "commands/alias_test.ts: it needs a home folder",
  "alias delete": "commands/alias_test.ts: it needs a home folder",
  "commands": "commands/commands_test.ts: every command would change it",
  "completion": "completion/complete_test.ts: it is a script",
  "version": "process_test.ts: it differs from machine to machine",
};

Deno.test("every command's output has been reviewed", async () => {
  const root = await loadFor([]);
  const shown = new Set<string>();
  const folder = new URL("../../golden/", import.meta.url);
  for await (const { name, isFile } of Deno.readDir(folder)) {
    if (!isFile) continue;
    const text = await Deno.readTextFile(new URL(name, folder));
    for (const [, line = ""] of text.matchAll(/^\$ cli (.*)$/gm)) {
      shown.add(findEntry(root, line.split(" ")).names.join(" "));
    }
  }
  const missing = commandsOf(root).filter((command) => !shown.has(command));
  deepEqual(missing.sort(), Object.keys(ELSEWHERE).sort());
});

Deno.test("the other tests of these commands exist", async () => {
  for (const text of Object.values(ELSEWHERE)) {
    const [path = ""] = text.split(": ");
    await Deno.stat(new URL(`../${path}`, import.meta.url));
  }
});
