import { deepEqual } from "node:assert/strict";
import { isJson } from "../../../lib/json_text.ts";
import { loadFor } from "../../../lib/cli/commands/mod.ts";
import { findEntry } from "../../../lib/cli/words/find_entry.ts";
import { commandsOf } from "../../support/command_tree.ts";
import { LINES as RESOURCES } from "../../../scripts/docs/lines.ts";
import { openStocked } from "../../support/stocked_home.ts";

/** Lines of the commands that `scripts/docs/lines.ts` does not have. Some fail. */
const LINES = [
  "alias set mine offerings+list",
  "alias list",
  "alias delete mine",
  "api GET /offerings",
  "api GET /offerings --all",
  "api POST /offerings -f lookup_key=x -f display_name=X",
  "api DELETE /offerings/x -y",
  "auth status",
  "auth status --validate",
  "auth list",
  "auth use default",
  "auth trust -y",
  "auth logout -y",
  "auth doctor",
  "clock show",
  "clock freeze",
  "clock advance P1M",
  "clock run",
  "clock cancel",
  "commands",
  "doctor",
  "events list",
  "events types",
  "events trigger renewal",
  "events view nope",
  "events resend nope",
  "events recover --since 2026-01-01",
  "events listeners list",
  "events listeners secret mine",
  "events listeners rotate-secret mine -y",
  "events listeners delete mine -y",
  "init --no-apps",
  "scenario init $cwd/stories",
  "scenario run $cwd/nothing.yaml",
  "scenario record nobody",
  "service status",
  "service account add bob@example.com",
  "service client add ours --name Ours",
  "service backup $cwd/backup",
  "service restore $cwd/backup -y",
  "service check",
  "service reset -y",
  "service migrate",
  "service populate --customers 0 --seed 1 -y",
  "service token",
  "service account list",
  "service account reset ann@example.com",
  "service account remove ann@example.com -y",
  "service client list",
  "service client remove theirs -y",
  "service snapshot list",
  "service snapshot save one",
  "service snapshot restore one -y",
  "service snapshot delete one -y",
  "simulate purchase zoe notes.pro.monthly --price 9.99",
  "simulate purchase zoe notes.pro.monthly --price free",
  "simulate renew $subscription",
  "simulate cancel $subscription",
  "simulate uncancel $subscription",
  "simulate raise-price $subscription 12.99",
  "simulate agree-to-price $subscription",
  "simulate extend $subscription --by 7d",
  "simulate pause $subscription",
  "simulate resume $subscription",
  "simulate change-product $subscription notes_web_monthly",
  "simulate family-share $subscription yves",
  "simulate fail $subscription",
  "simulate recover $subscription",
  "simulate refund $subscription",
  "simulate reverse-refund $subscription",
  "simulate expire $subscription",
  "simulate pay-invoice $invoice",
  "simulate price notes.pro.monthly 9.99",
  "simulate alias zoe zack",
  "simulate give zoe GLD 5",
  "simulate spend zoe GLD 1",
  "simulate test-store Mine",
  "simulate refund-window 14",
  "simulate restore-behavior share",
  "simulate events",
  "simulate event nope",
  "simulate faults list",
  "simulate faults add --status 503",
  "simulate faults clear",
  "simulate faults add-delivery $webhook drop",
  "version",
  "webhooks deliveries $webhook",
  "webhooks attempts nope",
  "webhooks ping $webhook",
  "webhooks rotate-secret $webhook -y",
];

/** Commands whose output is something else, or that go on until they are stopped. */
const ELSEWHERE = {
  "auth login": "cli/commands/auth_login_test.ts",
  "completion": "cli/completion/complete_test.ts: a script",
  "events listen": "cli/events/listen_test.ts: a line for each event",
  "scenario schema": "scenario/schema_test.ts: JSON in any case",
  "service start": "cli/process_test.ts",
  "verify": "scenario/verify_test.ts",
};

Deno.test("no command is left out here", async () => {
  const root = await loadFor([]);
  const named = (line: string) => findEntry(root, line.split(" ")).names.join(" ");
  const known = new Set([...LINES, ...RESOURCES, ...Object.keys(ELSEWHERE)].map(named));
  deepEqual(commandsOf(root).filter((command) => !known.has(command)), []);
});

Deno.test("with --output json every command prints JSON alone, also with a log, and the log no secret", async () => {
  const [at, ids] = await openStocked();
  await using _ = at;
  // Its lines are many, and all on standard error.
  at.env.CLI_DEBUG = "http";
  const wrong: string[] = [];
  for (const line of LINES) {
    const words = line.split(" ").map((word) => ids[word] ?? word.replace("$cwd", at.cwd))
      .map((word) => word.replaceAll("+", " "));
    const { code, out, err } = await at.run([...words, "--output", "json"]);
    // A command may show what it did before it failed.
    const isClean = isJson(out) || code !== 0 && out === "";
    const last = err.trimEnd().split("\n").at(-1) ?? "";
    if (!isClean || code !== 0 && !isJson(last)) wrong.push(`${line}: ${code}\n${out}\n${err}`);
    const [secret] = /\b(atk|rtk|adm|whsec|sk|plk)_\w{4,}/.exec(err) ?? [];
    if (secret !== undefined) wrong.push(`${line} shows ${secret}`);
  }
  deepEqual(wrong, []);
});
