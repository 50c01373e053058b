import { deepEqual, equal, match, ok } from "node:assert/strict";
import { loadFor } from "../../../../lib/cli/commands/mod.ts";
import { isGroup } from "../../../../lib/cli/words/find_entry.ts";
import { listApps } from "../../../../lib/resources/apps.ts";
import { createProduct } from "../../../../lib/resources/products.ts";
import { simRoutes } from "../../../../lib/service/sim/routes.ts";
import { type Desk, type DeskOptions, openDesk, type Ran } from "../../../support/harness.ts";
import { simulate } from "../../../support/simulation.ts";

const NOW = Date.UTC(2026, 0, 31, 12, 30, 15);

/** A desk whose clock stands still, and whose command line has the administrator's secret. */
function deskAt(options: DeskOptions = {}): Promise<Desk> {
  return openDesk({ clock: () => NOW, isAdmin: true, ...options });
}

/** Runs a command of the simulator that must succeed. */
async function sim(desk: Desk, line: string): Promise<Ran> {
  const ran = await desk.run("simulate", ...line.split(" "));
  equal(ran.code, 0, `cli simulate ${line}\n${ran.err}`);
  return ran;
}

/** Buys something for zoe. Returns its id. */
async function buy(desk: Desk, words: string): Promise<string> {
  const { out } = await sim(desk, `purchase zoe ${words}`);
  return /^id +(\S+)$/m.exec(out)?.[1] ?? "";
}

const MONTHLY = "notes.pro.monthly --price 9.99";
const PLAY = "notes_pro:monthly --price 9.99";

Deno.test("simulate purchase buys for a new customer, and shows the next step", async () => {
  await using desk = await deskAt();
  const { out, err } = await sim(desk, `purchase zoe ${MONTHLY}`);
  match(out, /^customer_id +zoe$/m);
  match(out, /^store +app_store$/m);
  match(out, /^status +active$/m);
  const [, id = ""] = /^id +(sub\w+)$/m.exec(out) ?? [];
  deepEqual(err.trimEnd().split("\n"), [
    `zoe bought notes.pro.monthly: ${id} is active and renews at 2026-02-28 12:30:15Z`,
    "To get there: cli clock advance --to 2026-02-28T12:30:15Z",
  ]);
  match((await desk.run("subs", "info", "zoe")).out, /^pro +2026-02-28 +will_renew +app_store /m);
});

Deno.test("simulate purchase sends each of its flags, and prints the service's own JSON", async () => {
  await using desk = await deskAt();
  const line = "purchase zoe notes_web_annual --price 59.90 --currency EUR --country DE " +
    "--trial-duration 3d --offering default --sandbox --duration P2M --grace none " +
    "--starts-at 2026-02-10 --transaction-id my-1 --output json";
  const { json, err } = await sim(desk, line);
  equal(err, "");
  const { id } = json() as { id: string };
  const path = `/v2/projects/${desk.projectId}/subscriptions/${id}`;
  deepEqual(json(), await (await desk.send("GET", path)).json());
  const row = (await simulate(desk).rows("subscriptions")).find((one) => one.id === id);
  deepEqual([row?.price_micros, row?.currency, row?.country], [59_900_000, "EUR", "DE"]);
  match(row?.offering_id ?? "", /^ofrng/);
  deepEqual([row?.environment, row?.status], ["sandbox", "incomplete"]);
  deepEqual([row?.duration, row?.grace_duration], ["P2M", null]);
  deepEqual([row?.starts_at, row?.transaction_id], [Date.UTC(2026, 1, 10), "my-1"]);
  const shared = await buy(desk, `${MONTHLY} --family-shared --trial`);
  match((await desk.run("sub", "view", shared)).out, /^ownership +family_shared$/m);
  match((await desk.run("sub", "view", shared)).out, /^status +trialing$/m);
});

Deno.test("a purchase without the store's confirmation gives access for a day, and allows no action", async () => {
  await using desk = await deskAt();
  const id = await buy(desk, `${MONTHLY} --unverified`);
  const [row] = await simulate(desk).rows("subscriptions");
  equal(row?.period_ends_at, row && row.period_starts_at + 86_400_000);
  equal((await simulate(desk).rows("transactions")).length, 0);
  equal((await simulate(desk).rows("movements")).length, 0);
  for (const action of ["renew", "uncancel", "refund", "expire", "extend --by P1D"]) {
    const refused = await desk.run("simulate", ...action.split(" ").toSpliced(1, 0, id));
    equal(refused.code, 7, action);
    match(refused.err, /access until the store confirms the purchase; make the purchase again/);
  }
  const confirmed = await buy(desk, MONTHLY);
  const states = (await simulate(desk).rows("subscriptions")).map((row) => [row.id, row.status]);
  deepEqual(states, [[id, "expired"], [confirmed, "active"]]);
});

Deno.test("simulate purchase of a one-time product has a quantity, and is refunded", async () => {
  await using desk = await deskAt();
  const id = await buy(desk, "notes_lifetime --price 5 --quantity 3");
  match(id, /^purc/);
  match((await desk.run("purchases", "view", id)).out, /^quantity +3$/m);
  const wrong = await desk.run("simulate", "refund", id, "--keep-access");
  equal(wrong.code, 2);
  match(wrong.err, /^Cannot use --keep-access for "purc\w+": it is not a subscription$/m);
  const { err } = await sim(desk, `refund ${id}`);
  match(
    err,
    /^Refunded: purc\w+ is refunded\nSee what the customer has: cli subscribers info zoe\n$/,
  );
  const back = await desk.run("simulate", "reverse-refund", id);
  equal(back.code, 7);
  match(back.err, /play_store/);
});

Deno.test("a refused purchase changes nothing and shows the reason", async () => {
  await using desk = await deskAt();
  const before = (await simulate(desk).rows("subscriptions")).length;
  const cases: [line: string, code: number, why: RegExp][] = [
    ["purchase zoe nope --price 1", 5, /nope/],
    [`purchase zoe ${MONTHLY} --quantity 2`, 7, /quantity/],
    [`purchase zoe ${MONTHLY} --unpaid`, 7, /paid/],
    [`purchase zoe ${MONTHLY} --unverified --trial`, 7, /'verified' is not allowed here/],
    ["purchase zoe notes_web_monthly --unverified", 7, /"svc_billing" does not support/],
    ["purchase zoe notes_lifetime --unverified", 7, /only subscriptions can be unconfirmed/],
    [`purchase zoe ${MONTHLY} --country GBR`, 1, /country/],
    [`purchase  ${MONTHLY}`, 2, /^Cannot use "" for <user-id>: it is empty$/m],
    ["purchase a/b notes.pro.monthly", 1, /^Check <user-id>; see: cli simulate purchase --help$/m],
    ["purchase zoe notes.pro.monthly --price 1234567890", 2, /for --price: it is too large\n/],
    ["purchase zoe notes.pro.monthly --price 1.1234567", 2, /more than 6 digits after the point\n/],
    ["purchase zoe notes.pro.monthly --price 1e3", 2, /"1e3" for --price: it is not an amount/],
    ["purchase zoe notes.pro.monthly --price -1", 2, /./],
    [`purchase zoe ${MONTHLY} --grace 0d`, 2, /"0d" for --grace: it is not a period/],
    [`purchase zoe ${MONTHLY} --starts-at 2026-02-30`, 2, /there is no such day/],
    [`purchase zoe ${MONTHLY} --quantity 0`, 2, /--quantity/],
  ];
  for (const [line, code, why] of cases) {
    const ran = await desk.run("simulate", ...line.split(" "));
    deepEqual([ran.code, ran.out], [code, ""], line);
    match(ran.err, why);
  }
  equal((await simulate(desk).rows("subscriptions")).length, before);
});

Deno.test("each action on a subscription shows its new state", async () => {
  await using desk = await deskAt();
  const id = await buy(desk, PLAY);
  const steps: [line: string, told: RegExp, next: RegExp][] = [
    [
      `cancel ${id}`,
      /^Cancelled: sub\w+ is active and ends at 2026-02-28 12:30:15Z$/m,
      /^To get there: cli clock advance --to 2026-02-28T12:30:15Z$/m,
    ],
    [`uncancel ${id}`, /^Renewal is on again: sub\w+ is active and renews at /m, /./],
    [`pause ${id} --for P1M`, /^It will pause: sub\w+ is active and pauses at 2026-02-28 /m, /./],
    [`resume ${id}`, /^Resumed: sub\w+ is active and renews at /m, /./],
    [
      `change-product ${id} notes_pro:annual --price 80 --at-period-end`,
      /^It will change to notes_pro:annual: sub\w+ is active and changes its product at 2026-02-28/m,
      /./,
    ],
    [`change-product ${id} notes_pro:monthly`, /^Changed to notes_pro:monthly: /m, /./],
    [`extend ${id} --by 10d`, /^Extended: .* renews at 2026-03-10 12:30:15Z$/m, /./],
    [`extend ${id} --until 2026-03-31T12:30:15Z`, /^Extended: .* at 2026-03-31 12:30:15Z/m, /./],
    [
      `raise-price ${id} 12.99`,
      /^Announced the price 12\.99: .* ends, unless the customer accepts the price, at /m,
      /./,
    ],
    [`agree-to-price ${id}`, /^The customer agreed to the price: .* renews at /m, /./],
    [`renew ${id}`, /^Renewed: sub\w+ is active and is paid until 2026-04-30 12:30:15Z$/m, /./],
    [
      `refund ${id} --keep-access`,
      /^Refunded: sub\w+ is active and /m,
      /./,
    ],
    [
      `expire ${id} --reason CUSTOMER_SUPPORT`,
      /^Ended: sub\w+ is expired and gives no access$/m,
      /^Buy it again: cli simulate purchase zoe prod\w+$/m,
    ],
  ];
  for (const [line, told, next] of steps) {
    const { out, err } = await sim(desk, line);
    match(out, new RegExp(`^id +${id}$`, "m"), line);
    match(err, told);
    match(err, next);
  }
});

Deno.test("simulate fail uses the given grace period, and recover ends it", async () => {
  await using desk = await deskAt();
  const id = await buy(desk, MONTHLY);
  const later = await sim(desk, `fail ${id} --at-renewal`);
  match(later.err, /^The next charge will fail: sub\w+ is active and renews at /m);
  match((await sim(desk, `recover ${id}`)).err, /^Charges succeed again: /m);
  const graced = await sim(desk, `fail ${id} --grace 5d`);
  match(graced.err, /^The charge failed: sub\w+ is in grace period and gives access$/m);
  match(graced.err, new RegExp(`^Make the charge succeed: cli simulate recover ${id}$`, "m"));
  const cancelled = await sim(desk, `cancel ${id}`);
  match(cancelled.err, new RegExp(`^Switch renewal on .*: cli simulate uncancel ${id}$`, "m"));
  await sim(desk, `uncancel ${id}`);
  await sim(desk, `recover ${id}`);
  const strict = await sim(desk, `fail ${id} --grace none`);
  match(strict.err, /^The charge failed: sub\w+ is in billing retry and gives no access$/m);
  equal((await desk.run("simulate", "fail", id)).code, 7);
});

Deno.test("a paused subscription shows how to resume it", async () => {
  await using desk = await deskAt();
  const id = await buy(desk, PLAY);
  await sim(desk, `pause ${id}`);
  await desk.run("clock", "advance", "P1M");
  const { code, out } = await desk.run("sub", "view", id);
  deepEqual([code, /^status +paused$/m.test(out)], [0, true]);
  const both = await desk.run("simulate", "pause", id, "--until", "2026-05-01", "--for", "30d");
  ok(both.code !== 0 && /^Cannot pause a subscription/m.test(both.err), both.err);
  match((await sim(desk, `resume ${id}`)).err, /^Resumed: sub\w+ is active and renews at /m);
});

Deno.test("simulate refund and reverse-refund accept any payment, by default the latest", async () => {
  await using desk = await deskAt();
  const id = await buy(desk, MONTHLY);
  await desk.run("clock", "advance", "P1M");
  const { json } = await desk.run("sub", "transactions", id, "--output", "json");
  const [first, second] = (json() as { items: { id: string }[] }).items;
  await sim(desk, `refund ${id} --transaction-id ${first?.id}`);
  match((await desk.run("sub", "view", id)).out, /^status +active$/m);
  const { err } = await sim(desk, `refund ${id}`);
  match(err, /^Refunded: sub\w+ is expired and gives no access$/m);
  const shown = (await desk.run("sub", "transactions", id)).out;
  match(shown, new RegExp(`^${first?.id} +refunded .*\n${second?.id} +refunded `, "m"));
  match((await sim(desk, `reverse-refund ${id}`)).err, /^Undid the refund: /m);
  match(
    (await desk.run("sub", "transactions", id)).out,
    new RegExp(`^${second?.id} +completed `, "m"),
  );
});

Deno.test("simulate family-share gives a member a separate subscription", async () => {
  await using desk = await deskAt();
  const id = await buy(desk, MONTHLY);
  const { out, err } = await sim(desk, `family-share ${id} zack`);
  match(out, /^customer_id +zack$/m);
  match(out, /^ownership +family_shared$/m);
  match(err, /^Shared with zack: sub\w+ is active and renews at /m);
  ok(!out.includes(id));
  const nobody = await desk.run("simulate", "family-share", id, "");
  equal(nobody.code, 2);
  const odd = await desk.run("simulate", "family-share", id, "a/b");
  match(odd.err, /^Check <user-id>; see: cli simulate family-share --help$/m);
});

Deno.test("an unpaid subscription has a hint to its invoice, and paying starts it", async () => {
  await using desk = await deskAt();
  const bought = await sim(desk, "purchase zoe notes_web_monthly --price 9.99 --unpaid");
  match(bought.err, /^zoe bought notes_web_monthly: sub\w+ is incomplete and gives no access$/m);
  match(bought.err, /^Find its invoice, then pay it: cli subscribers invoices zoe$/m);
  const list = await desk.run("subscribers", "invoices", "zoe");
  const [invoice = ""] = /svcbin\w+/.exec(list.out) ?? [];
  const { out, err } = await sim(desk, `pay-invoice ${invoice}`);
  match(out, /^Line items \(1\)$/m);
  match(err, new RegExp(`^Paid ${invoice}\nSee the subscription: cli subscribers info zoe$`, "m"));
  match((await desk.run("subs", "info", "zoe")).out, /^Active entitlements \(1\)$/m);
  equal((await desk.run("simulate", "pay-invoice", invoice)).code, 7);
});

Deno.test("simulate price sets the price of a purchase without --price", async () => {
  await using desk = await deskAt();
  const line = "price notes.pro.monthly 980 --currency JPY --duration P2M --trial-duration none";
  const { out, err } = await sim(desk, line);
  match(out, /^store_identifier +notes\.pro\.monthly$/m);
  match(out, /^price +980$/m);
  equal(err, "notes.pro.monthly costs 980 JPY\n");
  const id = await buy(desk, "notes.pro.monthly");
  match((await desk.run("sub", "transactions", id)).out, / 980 +JPY /);
  match((await desk.run("sub", "view", id)).out, /^current_period_ends_at +2026-03-31 /m);
  equal((await desk.run("simulate", "price", "notes.pro.monthly", "free")).code, 2);
});

Deno.test("simulate alias merges an anonymous customer, and switches an identified one", async () => {
  await using desk = await deskAt();
  const anonymous = "$RCAnonymousID:0123456789abcdef0123456789abcdef";
  await sim(desk, `purchase ${anonymous} ${MONTHLY}`);
  const merged = await sim(desk, `alias ${anonymous} zoe`);
  match(merged.err, /^\$RCAnonymousID:\w+ and zoe are now one customer: \$RCAnonymousID:\w+$/m);
  match(merged.out, /^Active entitlements \(1\)\nENTITLEMENT +EXPIRES\npro +2026-02-28 /m);
  match((await desk.run("subs", "info", "zoe")).out, /^Aliases \(2\)$/m);
  const same = await sim(desk, `alias zoe ${anonymous}`);
  match(same.err, /are already the same customer$/m);
  const switched = await sim(desk, "alias zoe zack");
  match(switched.err, /^zack is another customer: nothing was merged$/m);
  match(switched.out, /^id +zack$/m);
  // The administrator need not be signed in.
  delete desk.env.CLI_REFRESH_TOKEN;
  match((await sim(desk, `alias zoe ${anonymous}`)).out, /^entl\w+ +2026-02-28 /m);
});

Deno.test("simulate test-store creates an app with a sellable product and fast time", async () => {
  await using desk = await deskAt();
  const { out, err } = await sim(desk, "test-store Tests");
  match(out, /^type +test_store$/m);
  const [, body = ""] = /echo '(.*)' \| cli products create --file -$/m.exec(err) ?? [];
  const path = `/v2/projects/${desk.projectId}/products`;
  equal((await desk.send("POST", path, JSON.parse(body))).status, 201);
  const id = await buy(desk, "monthly --price 1");
  const { out: shown } = await desk.run("sub", "view", id);
  match(shown, /^current_period_ends_at +2026-01-31 12:35:15Z$/m);
  match(shown, /^environment +sandbox$/m);
});

Deno.test("simulate refund-window limits refunds through the API", async () => {
  await using desk = await deskAt();
  const id = await buy(desk, "notes_web_monthly --price 5");
  await sim(desk, "refund-window 0");
  await desk.run("clock", "advance", "1d");
  equal((await desk.run("sub", "refund", id, "-y")).code, 7);
  await sim(desk, "refund-window 180");
  equal((await desk.run("sub", "refund", id, "-y")).code, 0);
  equal((await desk.run("simulate", "refund-window", "x")).code, 2);
});

Deno.test("simulate events lists events page by page, and shows one as sent", async () => {
  await using desk = await deskAt();
  await sim(desk, "price notes.pro.monthly 1 --duration P1D");
  const id = await buy(desk, "notes.pro.monthly");
  await desk.run("clock", "advance", "P120D");
  const page = await sim(desk, "events --user-id zoe");
  match(page.out, /^ID +TYPE +WHEN +CUSTOMER +ENVIRONMENT\n/);
  match(page.out, /\n[\w-]{36} +RENEWAL +2026-05-31 12:30Z +zoe +production\n.*2026-05-30/);
  const oldest = await sim(desk, "events --user-id zoe --oldest-first --limit 1");
  match(oldest.out, /\n[\w-]{36} +INITIAL_PURCHASE +2026-01-31 12:30Z +zoe +production\n$/);
  match(page.err, /^More items follow\. .*, or continue with --starting-after [\w-]{36}$/m);
  const all = await sim(desk, "events --user-id zoe --type renewal --all --output json");
  const { items } = all.json() as { items: { id: string; type: string }[] };
  deepEqual([items.length, new Set(items.map(({ type }) => type))], [120, new Set(["RENEWAL"])]);
  const two = await sim(desk, "events --type renewal,Initial_Purchase --all --output json");
  deepEqual(Object(two.json()).items.length, 121);
  const wrong = await desk.run("simulate", "events", "--type", "RENEWED");
  equal(wrong.code, 2);
  match(
    wrong.err,
    /^Cannot use "RENEWED" for --type: there is no type RENEWED; the types are INITIAL_P/,
  );
  ok(wrong.err.includes("PAYWALL_CLOSE"));
  const one = await sim(desk, `event ${items[0]?.id}`);
  match(one.out, /^type +RENEWAL\ncustomer_id +zoe$/m);
  match(one.out, /^ {4}"app_user_id": "zoe",$/m);
  ok(id.startsWith("sub"));
});

Deno.test("every route of the simulator has its command", async () => {
  const root = await loadFor([]);
  const commands = ["simulate", "clock"].flatMap((name) => {
    const entry = root.commands[name];
    return entry && isGroup(entry) ? Object.keys(entry.commands) : [];
  });
  const others: Record<string, string> = {
    "/purchases": "purchase",
    "/products/{id}/price": "price",
    "/customers/{id}/aliases": "alias",
    "/apps": "test-store",
    "/settings": "refund-window",
    "/receipts": "purchase",
    "/invoices/{id}/pay": "pay-invoice",
    "/events": "events",
    "/events/{id}": "event",
    "/clock": "show",
    // One command previews the advance, begins it, watches its progress and reads the result.
    "/clock/preview": "advance",
    "/clock/begin": "advance",
    "/clock/progress": "advance",
    "/clock/arrival": "advance",
  };
  const paths = simRoutes.map(({ path }) => path.replace("/_sim/projects/{project_id}", ""));
  const own = paths.filter((path) =>
    Object.hasOwn(others, path) || /^\/(subscriptions|purchases|clock)\//.test(path)
  );
  ok(own.length >= 29);
  for (const path of own) {
    const name = others[path] ?? path.split("/").at(-1)?.replaceAll("_", "-") ?? "";
    ok(commands.includes(name), `${path} has no command ${name}`);
  }
});

Deno.test("simulate change-product gives a product a length for this change only", async () => {
  await using desk = await deskAt();
  const [app] = (await listApps(desk.client)).items;
  await createProduct(desk.client, {
    app_id: app?.id ?? "",
    store_identifier: "bare",
    type: "subscription",
  });
  const id = await buy(desk, MONTHLY);
  const change = `change-product ${id} bare --price 2.99`;
  const bare = await desk.run("simulate", ...change.split(" "));
  deepEqual([bare.code, bare.out], [1, ""]);
  match(bare.err, /duration/);
  const before = desk.sent.length;
  const later = `${change} --duration P1W --at-period-end`;
  const { code, err } = await desk.run("simulate", ...later.split(" "));
  equal(code, 2);
  match(
    err,
    /^Cannot use --duration with --at-period-end: .*\nSet .* simulate price bare <price> /,
  );
  equal(desk.sent.length, before);
  const told = await sim(desk, `${change} --duration P1W`);
  match(told.err, /^Changed to bare: .* renews at 2026-02-07 12:30:15Z$/m);
  match(told.out, /^status +active$/m);
});
