import { deepEqual, equal, ok } from "node:assert/strict";
import { loadFor } from "../../../lib/cli/commands/mod.ts";
import { width } from "../../../lib/cli/screen/display.ts";
import { findEntry, isGroup } from "../../../lib/cli/words/find_entry.ts";
import { at, linesOf, openCounter } from "../../support/cli_fixture.ts";
import { placesIn } from "../../support/golden_help.ts";
import { openDesk } from "../../support/harness.ts";
import { matchScreen, shown } from "../../support/screen.ts";

/** The output of each group on a terminal of 80 columns. */
const SESSIONS: Record<string, string[]> = {
  projects: [
    "projects list",
    "projects view",
    "projects create --name 'My second app'",
    "projects view nope",
  ],
  apps: [
    "apps list",
    "apps view $app_store",
    "apps view $play_store",
    "apps view $svc_billing",
    "apps public-keys $app_store",
    "apps storekit-config $app_store",
    "apps create --type app_store --name 'Notes for Mac' --bundle com.example.mac",
    "apps create --type app_store --name 'Notes for Mac'",
    "apps create --type play_store --name Notes --bundle com.example.mac",
    "apps update $app_store",
    "apps delete $svc_billing",
    "apps delete $svc_billing -y",
    "apps delete appnope -y",
  ],
  products: [
    "products list",
    "products list --limit 2",
    "products view $notes.pro.monthly",
    "products view $notes.pro.lifetime",
    "products create",
    "products update $notes.pro.monthly --display-name 'Pro, each month'",
    "products archive $notes.pro.monthly",
    "products unarchive $notes.pro.monthly",
    "products push-to-store $notes_lifetime",
    "products delete $notes_lifetime",
    "products delete $notes_lifetime -y",
  ],
  entitlements: [
    "entitlements list",
    "entitlements view pro",
    "entitlements products sync",
    "entitlements create --id gold --display-name Gold",
    "entitlements create --id gold --display-name Gold",
    "entitlements create",
    "entitlements attach gold $notes.pro.monthly",
    "entitlements detach gold $notes.pro.monthly",
    "entitlements update gold --display-name 'Gold, for ever'",
    "entitlements delete gold -y",
    "entitlements attach pro",
  ],
  offerings: [
    "offerings list",
    "offerings view default",
    "offerings view winter_sale --no-packages",
    "offerings create --id spring --display-name 'Frühling 🌷'",
    "offerings create --id tokyo --display-name '東京の春のセール、期間限定の特別価格でご提供します、お見逃しなく 2026'",
    "offerings list",
    "offerings view tokyo",
    "offerings update tokyo --file metadata.json",
    "offerings set-current spring",
    "offerings archive spring",
    "offerings archive default",
    "offerings unarchive default",
    "offerings view nope",
    "offerings delete spring",
  ],
  packages: [
    "packages list",
    "packages list --offering winter_sale",
    "packages list --limit 2",
    "packages view $pkg_annual",
    "packages products $pkg_annual",
    "packages create winter_sale --id '$svc_weekly' --display-name Weekly",
    "packages attach $pkg_annual $notes.pro.monthly --eligibility google_sdk_lt_6",
    "packages detach $pkg_annual $notes.pro.monthly",
    "packages update $pkg_annual --display-name 'A whole year'",
    "packages view nope",
    "packages delete $pkg_annual --yes",
  ],
  paywalls: [
    "paywalls list",
    "paywalls create",
    "paywalls create --offering winter_sale",
    "paywalls create --offering winter_sale",
    "paywalls list",
    "paywalls view $paywall",
    "publish offering winter_sale --paywall content.json --current --dry-run",
    "publish offering winter_sale --paywall content.json --current",
    "publish offering winter_sale --paywall content.json --current -y",
    "paywalls view $paywall --content",
    "publish offering winter_sale --paywall content.json --current -y",
    "publish offering winter_sale --paywall content.json --no-current --dry-run",
    "publish offering winter_sale --no-current",
    "publish offering nope",
    "paywalls delete $paywall",
    "paywalls delete $paywall -y",
    "paywalls view $paywall",
  ],
  virtual_currencies: [
    "virtual-currencies create --code gem --name Gems",
    "virtual-currencies create --code GEM --name Gems --description 'To buy hats with'",
    "virtual-currencies list",
    "virtual-currencies view GEM",
    "virtual-currencies update GEM --name '宝石'",
    "virtual-currencies archive GEM",
    "virtual-currencies unarchive GEM",
    "virtual-currencies delete GEM",
    "virtual-currencies delete GEM -y",
    "virtual-currencies view GEM",
  ],
  others: [
    "collaborators list",
    "audit-logs list",
    "entitlements archive sync",
    "entitlements unarchive sync",
    "audit-logs list",
    "audit-logs list --limit 1",
    "offerin list",
    "offerings lst",
    "offerings list --limt 3",
    "offerings list --output xml",
    "offerings list extra",
    "offerings view",
  ],
};

for (const [name, lines] of Object.entries(SESSIONS)) {
  Deno.test(`cli ${name} at 80 columns matches the reviewed text`, async () => {
    const files = {
      "metadata.json": '{"metadata": {"tier": "gold", "tags": ["a", "b"], "x": null}}',
      "content.json": '{"template_name": "one", "default_locale": "en_US", ' +
        '"localized_strings": {"en_US": {"title": "All of it"}}}',
    };
    await using counter = await openCounter({ columns: 80, files });
    let text = "";
    for (const line of lines) {
      const ran = await counter.run(line);
      const [, paywall] = /^id +(pw\S+)$/m.exec(ran.out) ?? [];
      if (paywall !== undefined) counter.ids["$paywall"] = paywall;
      text += shown(line, ran);
    }
    await matchScreen(name, text);
  });
}

/** Every place in the tree that has a help text. */
async function places(): Promise<string[]> {
  return ["", ...placesIn(await loadFor([]))];
}

Deno.test("the help of every command fits 80 columns, and is reached in every way", async () => {
  await using desk = await openDesk({ columns: 80, empty: true });
  for (const place of await places()) {
    const words = place === "" ? [] : place.split(" ");
    const { code, out, err } = await desk.run(...words, "--help");
    deepEqual([code, err], [0, ""], place);
    for (const line of linesOf(out)) {
      ok(width(line) <= 80, `cli ${place} --help: ${line}`);
    }
    ok(!/undefined|\[object|: $/.test(out), `cli ${place} --help`);
    for (const form of [[...words, "-h"], ["help", ...words], ["--help", ...words]]) {
      equal((await desk.run(...form)).out, out, form.join(" "));
    }
  }
  deepEqual(desk.sent, []);
});

Deno.test("the first help names every group with its aliases, and every global flag", async () => {
  await using desk = await openDesk({ columns: 80, empty: true });
  const { out } = await desk.run();
  const { commands } = await loadFor([]);
  const withoutArguments = out.replace(/ <[\w-]+>/g, "").replace(/\s+/g, " ");
  for (const [name, entry] of Object.entries(commands)) {
    const aliases = isGroup(entry) && entry.aliases.length > 0
      ? ` (${entry.aliases.join(", ")})`
      : "";
    ok(withoutArguments.includes(` ${name}${aliases} ${entry.brief} `), name);
  }
  for (const flag of ["--output <format>", "--profile <name>", "--project-id <id>", "-h, --help"]) {
    ok(out.includes(flag), flag);
  }
  for (const example of out.match(/(?<=EXAMPLES\n)( {2}cli .*\n)+/)?.[0].trim().split("\n") ?? []) {
    const [, ...words] = example.trim().split(" ");
    const { entry, rest } = findEntry(
      await loadFor([]),
      words[0] === "help" ? words.slice(1) : words,
    );
    ok(!isGroup(entry) && !rest[0]?.startsWith("<"), example);
  }
});

Deno.test("help is available as JSON", async () => {
  await using desk = await openDesk({ empty: true });
  for (const place of await places()) {
    const words = place.split(" ").filter((word) => word !== "");
    const { code, json, err } = await desk.run("--output", "json", ...words, "--help");
    deepEqual([code, err], [0, ""], place);
    equal(at(json(), "command"), ["cli", ...words].join(" "));
  }
  const { json } = await desk.run("packages", "attach", "--help", "--output=json");
  equal(at(json(), "usage"), "cli packages attach <id> <product-id>... [flags]");
  deepEqual(at(json(), "arguments", 1), {
    name: "product-id",
    count: "many",
    brief: "Ids of products",
  });
  deepEqual(at(json(), "flags", 0), {
    name: "--eligibility",
    short: null,
    kind: "value",
    required: false,
    choices: ["all", "google_sdk_lt_6", "google_sdk_ge_6"],
    brief: "The versions of Google's billing SDK that receive them (default: all)",
  });
});
