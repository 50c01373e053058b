import { deepEqual } from "node:assert/strict";
import { loadFor } from "../../../lib/cli/commands/mod.ts";
import { findEntry } from "../../../lib/cli/words/find_entry.ts";
import { commandsOf } from "../../support/command_tree.ts";

/** Commands without a golden file, each with its other test. */
const ELSEWHERE: Record<string, string> = {
  "service start": "cli_process_test.ts: it goes on until it is stopped",
  "service account add": "service_account_test.ts: it needs a service in another process",
  "service account reset": "service_password_test.ts: each link is made anew",
  "verify": "scenario/verify_test.ts: it delivers to a handler",
  "scenario init": "scenario/run_test.ts: it writes files",
  "scenario record": "scenario/record_command_test.ts: it runs what it records",
  "scenario run": "scenario/run_test.ts: it reads files",
  "scenario schema": "scenario/schema_test.ts: an independent validator reads it",
  "invoices file": "invoice_files_test.ts: each address is signed anew",
  "service backup": "service_backup_test.ts: it needs a data folder",
  "service check": "service_check_test.ts: it needs a database",
  "service migrate": "service_migrate_test.ts: it needs two databases",
  "service populate": "service_populate_test.ts: it takes a service's time",
  "service snapshot save": "service_snapshot_test.ts: it needs a data folder",
  "service snapshot restore": "service_snapshot_test.ts: it needs a data folder",
  "service snapshot list": "service_snapshot_test.ts: it needs a data folder",
  "service snapshot delete": "service_snapshot_test.ts: it needs a data folder",
  "service restore": "service_backup_test.ts: it needs a data folder",
  "api": "api_test.ts: its path names a project",
  "alias set": "alias_test.ts: it needs a home folder",
  "alias list": "alias_test.ts: it needs a home folder",
  "alias delete": "alias_test.ts: it needs a home folder",
  "commands": "commands_test.ts: every command would change it",
  "completion": "complete_test.ts: it is a script",
  "version": "cli_process_test.ts: it differs from machine to machine",
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
