import { openCounter } from "../../support/cli_fixture.ts";
import { openReceiver } from "../../support/receiver.ts";
import { matchScreen, shown } from "../../support/screen.ts";

/** Lists on a terminal of 60 columns, where hardly one fits. */
const LINES = [
  "simulate purchase zoe notes_web_monthly --price 1234.50 --currency EUR",
  "simulate purchase '$RCAnonymousID:5d2f7c1e9ab04c3f8e6d1b2a3c4d5e6f' notes.pro.monthly " +
  "--price 9.99 --transaction-id GPA.1",
  "simulate purchase zoe notes.pro.lifetime --price 99 --transaction-id GPA.2",
  "clock advance P2M",
  "subscriptions search GPA.1",
  "purchases search GPA.2",
  "subscriptions transactions $subscription",
  "subscriptions entitlements $subscription",
  "subscribers invoices zoe",
  "invoices view $invoice",
  "subscribers info zoe",
  "subscribers list",
  "subscribers attributes ada",
  "webhooks create --name Receiver --url $url --events initial_purchase,renewal",
  "simulate purchase yves notes.pro.monthly --price 5 --transaction-id GPA.3",
  "webhooks list",
  "webhooks deliveries $hook",
  "events list --limit 3",
  "simulate events --limit 3",
  "entitlements archive sync",
  "audit-logs list --limit 3",
  "apps list",
  "apps public-keys $app_store",
  "products list --limit 2",
  "offerings view default",
  "packages list",
  "packages products $pkg_annual",
  "offerings preview",
];

/** What is learned from what is shown: the first id of each kind. */
const IDS: Readonly<Record<string, RegExp>> = {
  $subscription: /(?<=^id +)sub[0-9a-f]{10,}/m,
  $invoice: /^svcbin\w+/m,
  $hook: /(?<=^id +)whintgr\w+/m,
};

Deno.test("lists at 60 columns match the reviewed text", async () => {
  using receiver = openReceiver();
  await using counter = await openCounter({ columns: 60, webhookTargets: "loopback" });
  const { desk, ids } = counter;
  desk.env.CLI_SERVICE_ADMIN_SECRET = desk.service.adminSecret;
  ids["$url"] = receiver.url;
  let text = "";
  for (const line of LINES) {
    const ran = await counter.run(line);
    for (const [name, form] of Object.entries(IDS)) {
      const [id] = form.exec(ran.out) ?? [];
      if (id !== undefined) ids[name] ??= id;
    }
    if (line.startsWith("simulate purchase")) await desk.service.deliverer.idle();
    // What is shown in cards is not what this is about.
    else if (!/ (create|archive) /.test(line)) text += shown(line, ran);
  }
  await matchScreen("narrow", text.replaceAll(`:${receiver.port}/`, ":40000/"), 60);
});
