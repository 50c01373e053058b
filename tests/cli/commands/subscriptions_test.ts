import { deepEqual, equal, match, ok } from "node:assert/strict";
import { type Desk, type DeskOptions, openDesk } from "../../support/harness.ts";
import { DAY, simulate } from "../../support/simulation.ts";

const NOW = Date.UTC(2026, 0, 31, 12, 30, 15);
const MONTHLY = { product_id: "notes.pro.monthly", price: 9.9 };
const WEB = { product_id: "notes_web_monthly", price: 9.9, currency: "EUR" };

/** A desk whose clock stands still. */
function deskAt(options: DeskOptions = {}): Promise<Desk> {
  return openDesk({ clock: () => NOW, ...options });
}

/** The requests that change something. */
function writesOf({ sent }: Desk): string[] {
  return sent.filter(({ method, path }) => method === "POST" && path.startsWith("/v2/"))
    .map(({ path }) => path.replace(/^\/v2\/projects\/\w+/, ""));
}

/** What the service itself says. */
async function read(desk: Desk, path: string): Promise<unknown> {
  return await (await desk.send("GET", `/v2/projects/${desk.projectId}${path}`)).json();
}

Deno.test("subscriptions view shows every field, and the service's own JSON", async () => {
  await using desk = await deskAt();
  const { id } = await simulate(desk).subscribe({ ...MONTHLY, country: "GB" });
  const { code, out, err } = await desk.run("subscriptions", "view", id);
  deepEqual([code, err], [0, ""]);
  match(out, new RegExp(`^id +${id}$`, "m"));
  match(out, /^customer_id +ada$/m);
  match(out, /^starts_at +2026-01-31 12:30:15Z$/m);
  match(out, /^current_period_ends_at +2026-02-28 12:30:15Z$/m);
  match(out, /^gives_access +yes$/m);
  match(out, /^total_revenue_in_usd\.gross +9\.9$/m);
  match(out, /^entitlements +pro$/m);
  match(out, /^pending_changes +-$/m);
  const { json } = await desk.run("sub", "view", id, "--output", "json");
  deepEqual(json(), await read(desk, `/subscriptions/${id}`));
});

Deno.test("subscriptions view of a promotional grant has neither product nor page", async () => {
  await using desk = await deskAt();
  await desk.run("subs", "grant", "ada", "pro", "-d", "30d", "-y");
  const [id = ""] = /sub\w+/.exec((await desk.run("subs", "info", "ada")).out) ?? [];
  const { out } = await desk.run("subscriptions", "view", id);
  match(out, /^product_id +-$/m);
  match(out, /^store +promotional$/m);
  const table = await desk.run("subscriptions", "management-url", id);
  deepEqual([table.code, table.out], [0, ""]);
  match(table.err, /^sub\w+ has no management page$/m);
  const { json } = await desk.run("subscriptions", "management-url", id, "--output", "json");
  deepEqual(json(), { object: "management_url", management_url: null });
});

Deno.test("subscriptions transactions shows money with its currency's digits", async () => {
  await using desk = await deskAt();
  const sim = simulate(desk);
  const { id } = await sim.subscribe(WEB);
  await sim.advance("P6M");
  const { code, out, err } = await desk.run("subscriptions", "transactions", id);
  deepEqual([code, err], [0, ""]);
  const [head = "", first = "", second = "", ...others] = out.trimEnd().split("\n");
  const months = others.map((line) => line.slice(-20, -13));
  deepEqual(months, ["2026-03", "2026-04", "2026-05", "2026-06", "2026-07"]);
  match(head, /^ID +STATUS +AMOUNT +CURRENCY +WHEN$/);
  match(first, /^txn_\w+ +completed +9\.90 +EUR +2026-01-31 12:30:15Z$/);
  match(second, /^txn_\w+ +completed +9\.90 +EUR +2026-02-28 12:30:15Z$/);
  const yen = await sim.subscribe({ ...MONTHLY, price: 980, currency: "JPY" });
  match((await desk.run("sub", "transactions", yen.id)).out, / completed +980 +JPY /);
  const page = await desk.run("sub", "transactions", id, "--limit", "1");
  equal(page.out.trimEnd().split("\n").length, 2);
  match(page.err, /continue with --starting-after txn_\w+$/m);
  const { json } = await desk.run("sub", "transactions", id, "--output", "json");
  deepEqual(
    json(),
    await read(desk, `/subscriptions/${id}/transactions?sort=purchased_at&limit=100`),
  );
});

Deno.test("subscriptions entitlements lists the product's entitlements", async () => {
  await using desk = await deskAt();
  const { id } = await simulate(desk).subscribe({ product_id: "notes.pro.annual", price: 60 });
  const { code, out } = await desk.run("subscriptions", "entitlements", id);
  equal(code, 0);
  match(out, /^ID +LOOKUP_KEY +DISPLAY_NAME\n/);
  match(out, /^entl\w+ +pro +Everything in Notes Pro$/m);
  match(out, /^entl\w+ +sync +Sync between devices$/m);
  const { json } = await desk.run("sub", "entitlements", id, "--output", "json");
  deepEqual(json(), await read(desk, `/subscriptions/${id}/entitlements?limit=100`));
});

Deno.test("subscriptions management-url prints the whole address on a narrow terminal", async () => {
  await using desk = await deskAt({ columns: 20 });
  const { id } = await simulate(desk).subscribe(MONTHLY);
  const { out, err } = await desk.run("subscriptions", "management-url", id);
  deepEqual([out, err], ["https://apps.apple.com/account/subscriptions\n", ""]);
});

Deno.test("an address cannot control the terminal", async () => {
  await using desk = await deskAt({
    intercept: async (request, pass) =>
      request.url.endsWith("/management_url")
        ? Response.json({
          object: "management_url",
          management_url: "https://a/\u001b]52;c;\u0007",
        })
        : await pass(request),
  });
  const { out } = await desk.run("subscriptions", "management-url", "sub1");
  equal(out, "https://a/\\u001b]52;c;\\u0007\n");
});

Deno.test("subscriptions search finds by the store's id of any payment", async () => {
  await using desk = await deskAt();
  const sim = simulate(desk);
  const first = await sim.subscribe({ product_id: "notes_pro:monthly", price: 9.9 });
  await sim.advance("P3M");
  const words = ["subscriptions", "search", first.store_subscription_identifier];
  const { code, out, err } = await desk.run(...words);
  deepEqual([code, err], [0, ""]);
  match(out, /^ID +CUSTOMER +PRODUCT +STATUS +STORE +STARTED\n/);
  match(
    out,
    new RegExp(`^${first.id} +ada +notes_pro:monthly +active +play_store +2026-01-31$`, "m"),
  );
  const now = (await desk.run("sub", "view", first.id)).out;
  const [, latest = ""] = /^store_subscription_identifier +(\S+)$/m.exec(now) ?? [];
  match(latest, /\.\.2$/);
  match((await desk.run("sub", "search", latest)).out, new RegExp(`^${first.id} `, "m"));
  const none = await desk.run("subscriptions", "search", "a/b ?&=#%", "--output", "json");
  deepEqual([none.code, (none.json() as { items: unknown[] }).items], [0, []]);
  equal((await desk.run("subscriptions", "search")).code, 2);
});

Deno.test("subscriptions cancel asks, then lets the period end", async () => {
  await using desk = await deskAt();
  const { id } = await simulate(desk).subscribe(WEB);
  const asked = await desk.run("subscriptions", "cancel", id);
  deepEqual([asked.code, asked.out], [3, ""]);
  match(
    asked.err,
    new RegExp(
      `Cancel the subscription ${id} of ada at the end of its period in the project ` +
        `proj\\w+\\?.*there is no interactive terminal`,
    ),
  );
  deepEqual(writesOf(desk), []);
  const { code, out } = await desk.run("subscriptions", "cancel", id, "-y");
  equal(code, 0);
  match(out, /^gives_access +yes$/m);
  match(out, /^auto_renewal_status +will_not_renew$/m);
  const again = await desk.run("sub", "cancel", id, "--confirm");
  equal(again.code, 7);
  match(again.err, /^Cannot cancel a subscription: .*already cancelled/);
  match(again.err, new RegExp(`^See its state: cli subscriptions view ${id}$`, "m"));
});

Deno.test("questions about a subscription without a customer say that it is unknown", async () => {
  await using desk = await openDesk({
    intercept: () => Promise.resolve(Response.json({ access_token: "atk_a", expires_in: 60 })),
  });
  for (const action of ["cancel", "refund"]) {
    const { code, err } = await desk.run("subscriptions", action, "sub1");
    equal(code, 3);
    match(err, /sub1 of an unknown customer /);
  }
});

Deno.test("subscriptions refund asks, then ends access at once", async () => {
  await using desk = await deskAt();
  const { id } = await simulate(desk).subscribe(WEB);
  equal((await desk.run("subscriptions", "refund", id)).code, 3);
  deepEqual(writesOf(desk), []);
  const { code, json } = await desk.run("subscriptions", "refund", id, "-y", "--output", "json");
  equal(code, 0);
  deepEqual(json(), await read(desk, `/subscriptions/${id}`));
  match((await desk.run("sub", "view", id)).out, /^status +expired$/m);
  match((await desk.run("sub", "transactions", id)).out, / refunded /);
});

Deno.test("a store with its own customer service refuses both, and nothing changes", async () => {
  await using desk = await deskAt();
  const { id } = await simulate(desk).subscribe(MONTHLY);
  const before = await read(desk, `/subscriptions/${id}`);
  for (const verb of ["cancel", "refund"]) {
    const { code, err } = await desk.run("subscriptions", verb, id, "-y");
    equal(code, 7, verb);
    match(err, /app_store/);
  }
  deepEqual(await read(desk, `/subscriptions/${id}`), before);
});

Deno.test("an unknown subscription is not found, and the hint lists the existing ones", async () => {
  await using desk = await deskAt();
  for (const verb of ["view", "transactions", "entitlements", "management-url", "cancel -y"]) {
    const { code, out, err } = await desk.run("subscriptions", ...verb.split(" "), "sub_none");
    deepEqual([code, out], [5, ""], verb);
    match(err, /^See the list: cli subscribers info <user-id> --project-id \w+$/m);
  }
});

Deno.test("every command shows the effects of passed time", async () => {
  await using desk = await deskAt();
  const sim = simulate(desk);
  const { id } = await sim.subscribe(WEB);
  await desk.run("subscriptions", "cancel", id, "-y");
  await sim.advance(29 * DAY);
  match((await desk.run("subscriptions", "view", id)).out, /^status +expired$/m);
  ok((await desk.run("subs", "info", "ada")).out.includes("Active entitlements (0)"));
});
