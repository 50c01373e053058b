import { deepEqual, equal, match, ok } from "node:assert/strict";
import { createCustomer } from "../../../lib/resources/customers.ts";
import { insertCustomer } from "../../../lib/service/records/changes.ts";
import type { Desk } from "../../support/harness.ts";
import { DAY, productNamed, simulate } from "../../support/simulation.ts";
import {
  deskAt,
  fieldsIn,
  itemsIn,
  MONTHLY,
  NOW,
  writesOf,
} from "../../support/subscribers_fixture.ts";
import { acrossProjects, inProject } from "../../../lib/service/store/mod.ts";

/** Ids that a URL or a shell would mangle. */
const STRANGE = [
  "$RCAnonymousID:0123456789abcdef0123456789abcdef",
  "a/b",
  "a%2Fb c?d#e&f=g",
  "123",
  "naïve 👩‍👩‍👧",
  // The longest id: 1,500 bytes of UTF-8.
  "😀".repeat(375),
];

Deno.test("subscribers list shows one page and how to continue", async () => {
  await using desk = await deskAt();
  for (let i = 0; i < 25; i++) await createCustomer(desk.client, { id: `user_${i}` });
  const all = (await desk.run("customers", "list", "--all", "--output", "json")).json();
  const ids = itemsIn(all).map((item) => String(fieldsIn(item)["id"]));
  equal(ids.at(-1), "user_24");
  const page = await desk.run("subscribers", "list");
  equal(page.code, 0);
  equal(page.out.trimEnd().split("\n").length, 21);
  match(page.out, /^ada +GB +2026-01-31 +2026-01-31 +iOS$/m);
  const [last = "", next = ""] = ids.slice(19, 21);
  match(page.err, new RegExp(`More items follow\\. .*--starting-after ${last}$`, "m"));
  const rest = await desk.run("subs", "list", "--starting-after", last);
  match(rest.out, new RegExp(`^${next} `, "m"));
  ok(!rest.out.includes(`${last} `));
  const few = await desk.run("subscribers", "list", "--limit", "2", "--all");
  equal(few.out.trimEnd().split("\n").length, 3);
});

Deno.test("subscribers list --search finds by e-mail address, on every page", async () => {
  await using desk = await deskAt();
  const attributes = [{ name: "$email", value: "a+b@example.com" }];
  for (let i = 0; i < 25; i++) await createCustomer(desk.client, { id: `user_${i}`, attributes });
  const words = ["subscribers", "list", "--search", "a+b@example.com", "--output", "json"];
  equal(itemsIn((await desk.run(...words)).json()).length, 20);
  equal(itemsIn((await desk.run(...words, "--all")).json()).length, 25);
  const none = await desk.run("subscribers", "list", "--search", "A+B@example.com");
  deepEqual([none.code, none.out], [0, ""]);
  equal((await desk.run("subscribers", "list", "--search", "")).code, 1);
});

Deno.test("subscribers info shows everything on one screen, joined with names", async () => {
  await using desk = await deskAt();
  const sim = simulate(desk);
  const monthly = await sim.subscribe(MONTHLY);
  await sim.purchase({ product_id: "notes_lifetime", price: 99 });
  await desk.run("subs", "grant", "ada", "sync", "-d", "30d", "-y");
  const { code, out, err } = await desk.run("subscribers", "info", "ada");
  deepEqual([code, err], [0, ""]);
  match(out, /^id +ada$/m);
  match(out, /^last_seen_country +GB$/m);
  match(out, /^Active entitlements \(2\)\nENTITLEMENT +EXPIRES +RENEWS +STORE +THROUGH\n/m);
  match(out, /^pro +never +- +play_store +notes_lifetime$/m);
  match(out, /^sync +2026-03-02 +will_not_renew +promotional +grant of sync$/m);
  match(out, /^Subscriptions \(2\)\n/m);
  const row = `${monthly.id} +notes\\.pro\\.monthly +active +yes +2026-02-28 +app_store`;
  match(out, new RegExp(`^${row}$`, "m"));
  match(out, /^Purchases \(1\)\n[^\n]+\npurc\w+ +notes_lifetime +owned +2026-01-31 +play_store$/m);
  match(out, /^Aliases \(1\)\nALIAS +CREATED\nada +2026-01-31$/m);
});

Deno.test("subscribers info as JSON has each list unchanged", async () => {
  await using desk = await deskAt();
  await simulate(desk).subscribe(MONTHLY);
  const { code, json, err } = await desk.run("subscribers", "info", "ada", "--output", "json");
  deepEqual([code, err], [0, ""]);
  const shown = fieldsIn(json());
  const lists = ["active_entitlements", "subscriptions", "purchases", "aliases"];
  deepEqual(Object.keys(shown), ["customer", ...lists]);
  const path = `/v2/projects/${desk.projectId}/customers/ada`;
  deepEqual(shown["customer"], await (await desk.send("GET", path)).json());
  for (const list of lists) {
    const sent = await desk.send("GET", `${path}/${list}?limit=100`);
    deepEqual(shown[list], await sent.json(), list);
  }
});

Deno.test('subscribers info of a new subscriber says "none" in each section', async () => {
  await using desk = await deskAt();
  const { code, out, err } = await desk.run("subscribers", "info", "grace");
  deepEqual([code, err], [0, ""]);
  for (const title of ["Active entitlements", "Subscriptions", "Purchases"]) {
    match(out, new RegExp(`^${title} \\(0\\)\nnone$`, "m"));
  }
});

Deno.test("subscribers info reads the lists in parallel, once the subscriber is found", async () => {
  let running = 0;
  let most = 0;
  const lines: string[] = [];
  await using desk = await deskAt({
    async intercept(request, pass) {
      lines.push(new URL(request.url).pathname.split("/").slice(4).join("/"));
      most = Math.max(most, ++running);
      return await pass(request).finally(() => running--);
    },
  });
  await desk.run("subscribers", "info", "ada");
  const [first, ...others] = lines.filter((line) => line !== "");
  equal(first, "customers/ada");
  deepEqual(others, [
    "customers/ada/active_entitlements",
    "customers/ada/subscriptions",
    "customers/ada/purchases",
    "customers/ada/aliases",
  ]);
  equal(most, 4);
  lines.length = 0;
  equal((await desk.run("subscribers", "info", "nobody")).code, 5);
  equal(lines.filter((line) => line !== "").length, 1);
});

Deno.test("access in a grace period comes from its subscription", async () => {
  await using desk = await deskAt({ clock: () => Date.now() });
  const sim = simulate(desk);
  await sim.post("/clock/freeze");
  const { id } = await sim.subscribe(MONTHLY);
  await sim.act(id, "fail", { grace: "P6D" });
  await sim.advance(3 * DAY);
  const { out } = await desk.run("subscribers", "info", "ada");
  match(out, /in_grace_period/);
  match(out, /^pro +[\d-]+ +\w+ +app_store +notes.pro.monthly$/m);
});

Deno.test("subscribers info reads all pages of a list", async () => {
  await using desk = await deskAt();
  const sim = simulate(desk);
  const { id } = await productNamed(desk, "notes.pro.lifetime");
  for (let i = 0; i < 101; i++) await sim.purchase({ product_id: id, price: 1, quantity: 1 });
  const { out } = await desk.run("subscribers", "info", "ada");
  match(out, /^Purchases \(101\)$/m);
  const json = fieldsIn((await desk.run("subs", "info", "ada", "--output", "json")).json());
  equal(itemsIn(json["purchases"]).length, 101);
});

Deno.test("subscribers create merges a file into the request; the id is optional", async () => {
  const files = {
    "other.json": '{"id": "other"}',
    "same.json": '{"id": "new_4"}',
    "ada.json": '{"attributes": [{"name": "$email", "value": "x@example.com"}]}',
  };
  await using desk = await deskAt({ files, stdin: "{}" });
  const { code, out } = await desk.run("subscribers", "create", "new_1", "-f", "ada.json");
  equal(code, 0);
  match(out, /^id +new_1$/m);
  match((await desk.run("subs", "attributes", "new_1")).out, /^\$email +x@example\.com/m);
  equal((await desk.run("subs", "create", "new_2", "--file", "-")).code, 0);
  equal((await desk.run("subs", "create", "new_3", "--output", "json")).code, 0);
  equal((await desk.run("subs", "create", "new_4", "--file", "same.json")).code, 0);
  const before = desk.sent.length;
  const other = await desk.run("subs", "create", "new_5", "--file", "other.json");
  deepEqual([other.code, other.out, desk.sent.length], [2, "", before]);
  match(other.err, /^Cannot create the subscriber "new_5": the file has the id "other"\n/);
  const taken = await desk.run("subscribers", "create", "ada");
  equal(taken.code, 7);
  equal((await desk.run("subscribers", "create", "guest")).code, 1);
  equal((await desk.run("subscribers", "create")).code, 2);
});

Deno.test("subscribers delete asks first", async () => {
  await using desk = await deskAt();
  equal((await desk.run("subscribers", "delete", "ada")).code, 3);
  deepEqual(writesOf(desk), []);
  const { code, out } = await desk.run("subscribers", "delete", "ada", "-y");
  equal(code, 0);
  match(out, /^id +ada$/m);
  const gone = await desk.run("subscribers", "info", "ada");
  equal(gone.code, 5);
  match(gone.err, /cli subscribers list/);
});

Deno.test("subscribers transfer moves one subscriber's purchases to another", async () => {
  await using desk = await deskAt();
  const sim = simulate(desk);
  await sim.subscribe(MONTHLY);
  await sim.subscribe({ product_id: "notes_web_annual", price: 50 });
  const words = ["subscribers", "transfer", "ada", "grace"];
  equal((await desk.run(...words)).code, 3);
  deepEqual(writesOf(desk), []);
  const { id } = await appOf(desk, "svc_billing");
  const part = await desk.run(...words, "--app-id", id, "-y", "--output", "json");
  equal(part.code, 0);
  const answer = fieldsIn(part.json());
  deepEqual(Object.keys(answer), ["source_customer", "target_customer"]);
  match((await desk.run("subs", "info", "grace")).out, /^Subscriptions \(1\)$/m);
  const rest = await desk.run(...words, "--confirm");
  equal(rest.err, "Transferred 1 subscription from ada to grace\n");
  const nothing = await desk.run(...words, "-y");
  equal(nothing.code, 0);
  equal(nothing.err, "Warning: Nothing was transferred: ada had nothing to transfer\n");
  match(rest.out, /^From\nid +ada$/m);
  match(rest.out, /^To\nid +grace$/m);
  match((await desk.run("subs", "info", "grace")).out, /^Subscriptions \(2\)$/m);
  equal((await desk.run("subs", "transfer", "ada", "nobody", "-y")).code, 5);
  equal((await desk.run("subs", "transfer", "ada", "ada", "-y")).code, 1);
});

Deno.test("subscribers attributes shows and sets, and --set wins over --file", async () => {
  const files = {
    "name.json": '{"plan": "from file", "ü": "x"}',
    "good.json": '{"plan": "from file", "note": "ünï 😀", "$email": null}',
    "number.json": '{"age": 36}',
    "empty.json": "{}",
    "list.json": '[{"name": "a", "value": "b"}]',
  };
  await using desk = await deskAt({ files });
  const words = ["subscribers", "attributes", "ada"];
  match((await desk.run(...words)).out, /^plan +family +2026-01-31$/m);
  desk.sent.length = 0;
  const set = await desk.run(
    ...[...words, "--set", "plan=a=b", "--set", "x=1", "--file", "good.json", "--set", "x=2"],
  );
  equal(set.code, 0, set.err);
  deepEqual(writesOf(desk), ["POST /customers/ada/attributes"]);
  match(set.out, /^plan +a=b/m);
  match(set.out, /^note +ünï 😀/m);
  match(set.out, /^x +2 /m);
  ok(!set.out.includes("$email"));
  const removed = await desk.run(...words, "--set", "plan=", "--output", "json");
  deepEqual(itemsIn(removed.json()).map((item) => fieldsIn(item)["name"]), ["note", "x"]);
  for (const file of ["number.json", "empty.json", "list.json", "missing.json"]) {
    const { code } = await desk.run(...words, "--file", file);
    equal(code, 2, file);
  }
  match((await desk.run(...words, "--file", "number.json")).err, /"age": its value 36 is not text/);
  equal((await desk.run(...words, "--set", "plan")).code, 2);
  equal((await desk.run(...words, "--set", "=x")).code, 2);
  const named = await desk.run(...words, "-f", "name.json");
  equal(named.code, 1);
  match(named.err, /: "ü" is refused: its name must start with a letter/);
  const many = Array.from({ length: 51 }, (_, i) => ["--set", `a${i}=1`]).flat();
  equal((await desk.run(...words, ...many)).code, 2);
});

Deno.test("subscribers attributes reads a map from standard input", async () => {
  await using desk = await deskAt({ stdin: '\ufeff{"a": "1"}' });
  match((await desk.run("subs", "attributes", "ada", "--file", "-")).out, /^a +1 /m);
});

Deno.test("subscribers invoices lists the invoices of web billing", async () => {
  await using desk = await deskAt();
  await simulate(desk).subscribe({ product_id: "notes_web_annual", price: 59.9, currency: "EUR" });
  const { out } = await desk.run("subscribers", "invoices", "ada");
  match(out, /^ID +ISSUED +PAID +TOTAL +CURRENCY +PRODUCTS$/m);
  match(out, /^svcbin\w+ +2026-01-31 +2026-01-31 +59\.90 +EUR +notes_web_annual$/m);
  const { json } = await desk.run("subscribers", "invoices", "ada", "--output", "json");
  equal(itemsIn(json()).length, 1);
});

Deno.test("subscribers refund returns one payment, where the store allows it", async () => {
  await using desk = await deskAt();
  const sim = simulate(desk);
  const play = await sim.subscribe({ product_id: "notes_pro:monthly", price: 9.99 });
  const words = ["subscribers", "refund", play.id, play.store_subscription_identifier];
  equal((await desk.run(...words)).code, 3);
  const { code, out } = await desk.run(...words, "-y");
  equal(code, 0);
  match(out, /^status +refunded$/m);
  equal((await desk.run(...words, "-y")).code, 7);
  const apple = await sim.subscribe(MONTHLY);
  const other = ["subscribers", "refund", apple.id, apple.store_subscription_identifier, "-y"];
  equal((await desk.run(...other)).code, 7);
});

Deno.test("any id works in every command, encoded exactly once", async () => {
  await using desk = await deskAt({ files: { "a.json": '{"a": "1"}' } });
  for (const id of STRANGE) {
    const place = `/customers/${encodeURIComponent(id)}`;
    await desk.service.store.write(async (tx) => {
      const project = await acrossProjects(tx).selectFrom("projects").selectAll()
        .executeTakeFirstOrThrow();
      await insertCustomer({ tx: inProject(tx, project.id), project, now: NOW }, id);
    });
    desk.sent.length = 0;
    const info = await desk.run("subscribers", "info", id, "--output", "json");
    equal(info.code, 0, info.err);
    equal(fieldsIn(fieldsIn(info.json())["customer"])["id"], id);
    ok(info.out.includes(JSON.stringify(id)), "the id is spelled in another way");
    const runs = [
      ["info", id],
      ["attributes", id],
      ["attributes", id, "--set", "k=v", "--file", "a.json"],
      ["invoices", id],
      ["grant", id, "pro", "-d", "7d", "-y"],
      ["revoke", id, "pro", "-y"],
      ["transfer", id, "grace", "-y"],
      ["transfer", "grace", id, "-y"],
      ["delete", id, "-y"],
    ];
    for (const run of runs) {
      const { code, err } = await desk.run("subscribers", ...run);
      equal(code, 0, `${run.join(" ").slice(0, 60)}: ${err}`);
    }
    const touched = desk.sent.filter(({ path }) => path.includes("/customers/"));
    const others = touched.filter(({ path }) =>
      !path.includes(place) && !path.includes("/customers/grace")
    );
    deepEqual(others, []);
  }
});

Deno.test("an id cannot drive the terminal", async () => {
  await using desk = await deskAt({ columns: 80 });
  const id = "evil\u001b[31m\u0007";
  await simulate(desk).subscribe({ ...MONTHLY, customer_id: id });
  for (const words of [["list"], ["info", id], ["grant", id, "pro", "-d", "7d", "-y"]]) {
    const { out, err } = await desk.run("subscribers", ...words);
    ok((out + err).includes("evil\\u001b"), out);
    // deno-lint-ignore no-control-regex
    ok(!/[\u0000-\u0009\u000b-\u001f]/.test(out + err), "control bytes");
  }
});

/** The app of a type. */
async function appOf(desk: Desk, type: string): Promise<{ id: string }> {
  const response = await desk.send("GET", `/v2/projects/${desk.projectId}/apps`);
  const { items }: { items: { id: string; type: string }[] } = await response.json();
  const found = items.find((app) => app.type === type);
  if (!found) throw new Error(`The project has no app of the type ${type}`);
  return found;
}
