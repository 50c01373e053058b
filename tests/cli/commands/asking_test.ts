import { deepEqual, equal, match } from "node:assert/strict";
import { loadFor } from "../../../lib/cli/commands/mod.ts";
import type { Command } from "../../../lib/cli/words/command.ts";
import { findEntry } from "../../../lib/cli/words/find_entry.ts";
import { commandsOf } from "../../support/command_tree.ts";
import { openStocked } from "../../support/stocked_home.ts";

/** Every command that can ask, as a line that does. */
const ASKING = [
  "apps delete $app",
  "products delete $product",
  "entitlements delete pro",
  "offerings delete winter_sale",
  "packages delete $package",
  "paywalls delete $paywall",
  "publish offering winter_sale --paywall paywall.json --current",
  "subscribers delete $buyer",
  "subscribers transfer $buyer other_buyer",
  "subscribers grant $buyer pro -d 30d",
  "subscribers revoke $buyer sync",
  "subscribers refund $subscription $transaction",
  "subscriptions cancel $subscription",
  "subscriptions refund $subscription",
  "purchases refund $purchase",
  "virtual-currencies delete GLD",
  "webhooks delete $webhook",
  "webhooks rotate-secret $webhook",
  "events listeners rotate-secret mine",
  "events listeners delete mine",
  "service account remove ann@example.com",
  "service client remove theirs",
  "service populate --customers 5 --seed 1",
  "api DELETE /offerings/winter_sale",
];

/** Commands that ask about this machine, or under more conditions, each in a test of its own. */
const ELSEWHERE = {
  "auth trust": "config/folders_test.ts",
  "auth logout": "cli/commands/auth_test.ts",
  "clock advance": "cli/local/clock_test.ts",
  "service restore": "cli/local/service_backup_test.ts",
  "service reset": "cli/local/service_backup_test.ts",
  "service snapshot save": "cli/local/service_snapshot_test.ts",
  "service snapshot restore": "cli/local/service_snapshot_test.ts",
  "service snapshot delete": "cli/local/service_snapshot_test.ts",
};

/** Whether a command has the flag -y. */
function asks({ flags }: Command): boolean {
  return Object.values(flags).some(({ short }) => short === "y");
}

Deno.test("no command that can ask is left out here", async () => {
  const root = await loadFor([]);
  const here = ASKING.map((line) => findEntry(root, line.split(" ")).names.join(" "));
  deepEqual([...here, ...Object.keys(ELSEWHERE)].sort(), commandsOf(root, asks).sort());
});

Deno.test("without an answer, or after a no, no command that asks has changed anything", async () => {
  const [at, ids] = await openStocked();
  await using _ = at;
  const files = { "paywall.json": '{"title":"New"}' };
  for (const line of ASKING) {
    const words = line.split(" ").map((word) => ids[word] ?? word);
    at.sent.length = 0;
    const piped = await at.run(words, { files });
    equal(piped.code, 3, `${line}: ${piped.err}`);
    // The plan to publish is what the question is about.
    if (!line.startsWith("publish ")) equal(piped.out, "", line);
    match(piped.err, /^Cannot ask ".*": there is no interactive terminal\nPass -y/m, line);
    const declined = await at.run(words, { files, keys: [["n", "\r"]] });
    equal(declined.code, 3, `${line}: ${declined.err}`);
    match(declined.err, /^Nothing was changed: ".*" was declined$/m, line);
    const changes = at.sent.filter((request) => !/^GET |^POST \/oauth2\//.test(request));
    deepEqual(changes, [], line);
  }
});
