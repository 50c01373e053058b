import { deepEqual, equal, match, ok } from "node:assert/strict";
import { type Desk, type DeskOptions, openDesk } from "../../support/harness.ts";
import { productNamed, simulate } from "../../support/simulation.ts";

const NOW = Date.UTC(2026, 0, 31, 12, 30, 15);

/** A desk whose clock stands still, with a product of web billing that is bought once. */
async function deskAt(options: DeskOptions = {}): Promise<Desk> {
  const desk = await openDesk({ clock: () => NOW, ...options });
  const { app_id } = await productNamed(desk, "notes_web_monthly");
  const body = { app_id, store_identifier: "notes_web_lifetime", type: "non_consumable" };
  const made = await desk.send("POST", `/v2/projects/${desk.projectId}/products`, body);
  const { id } = await made.json();
  const path = `/v2/projects/${desk.projectId}/entitlements/pro/actions/attach_products`;
  await desk.send("POST", path, { product_ids: [id] });
  return desk;
}

const LIFETIME = { product_id: "notes_web_lifetime", price: 99.5, currency: "EUR" };

/** What the service itself says. */
async function read(desk: Desk, path: string): Promise<unknown> {
  return await (await desk.send("GET", `/v2/projects/${desk.projectId}${path}`)).json();
}

/** The items of a list in JSON. */
function itemsIn(answer: unknown): unknown[] {
  return (answer as { items: unknown[] }).items;
}

Deno.test("purchases view shows every field, and as JSON the service's answer", async () => {
  await using desk = await deskAt();
  const { id } = await simulate(desk).purchase({ ...LIFETIME, quantity: 3 });
  const { code, out, err } = await desk.run("purchases", "view", id);
  deepEqual([code, err], [0, ""]);
  match(out, new RegExp(`^id +${id}$`, "m"));
  match(out, /^purchased_at +2026-01-31 12:30:15Z$/m);
  match(out, /^quantity +3$/m);
  match(out, /^status +owned$/m);
  match(out, /^store +svc_billing$/m);
  match(out, /^entitlements +pro$/m);
  const { json } = await desk.run("purchase", "view", id, "--output", "json");
  deepEqual(json(), await read(desk, `/purchases/${id}`));
});

Deno.test("purchases entitlements lists the product's entitlements", async () => {
  await using desk = await deskAt();
  const { id } = await simulate(desk).purchase(LIFETIME);
  const { out } = await desk.run("purchases", "entitlements", id);
  match(out, /^ID +LOOKUP_KEY +DISPLAY_NAME\nentl\w+ +pro +Everything in Notes Pro\n$/);
  const { json } = await desk.run("purchases", "entitlements", id, "--output", "json");
  deepEqual(json(), await read(desk, `/purchases/${id}/entitlements?limit=100`));
});

Deno.test("purchases search finds only the store's exact id", async () => {
  await using desk = await deskAt();
  const bought = await simulate(desk).purchase(LIFETIME);
  const words = ["purchases", "search", bought.store_purchase_identifier];
  const { code, out } = await desk.run(...words);
  equal(code, 0);
  match(out, /^ID +CUSTOMER +PRODUCT +STORE +PURCHASED\n/);
  const row = `^${bought.id} +ada +notes_web_lifetime +svc_billing +2026-01-31$`;
  match(out, new RegExp(row, "m"));
  deepEqual(itemsIn((await desk.run(...words, "--output", "json")).json()), [
    await read(desk, `/purchases/${bought.id}`),
  ]);
  const none = await desk.run("purchases", "search", "a/b ?&=#%");
  deepEqual([none.code, none.out], [0, ""]);
});

Deno.test("purchases refund asks, then ends the access", async () => {
  await using desk = await deskAt();
  const { id } = await simulate(desk).purchase(LIFETIME);
  const asked = await desk.run("purchases", "refund", id);
  deepEqual([asked.code, asked.out], [3, ""]);
  match(
    asked.err,
    new RegExp(`Refund the purchase ${id} of \\w+ and end the access it gives now in the project`),
  );
  ok(!desk.sent.some(({ path }) => path.includes("/actions/refund")));
  const { code, out } = await desk.run("purchases", "refund", id, "--yes");
  equal(code, 0);
  match(out, /^status +refunded$/m);
  match((await desk.run("subs", "info", "ada")).out, /^Active entitlements \(0\)$/m);
  const again = await desk.run("purchases", "refund", id, "-y");
  equal(again.code, 7);
  match(again.err, new RegExp(`^See its state: cli purchases view ${id}$`, "m"));
});

Deno.test("purchases refund is for web billing only", async () => {
  await using desk = await deskAt();
  const { id } = await simulate(desk).purchase({ product_id: "notes_lifetime", price: 99 });
  const { code, err } = await desk.run("purchases", "refund", id, "-y");
  equal(code, 7);
  match(err, /^Cannot refund a purchase: .*play_store/);
  match((await desk.run("purchases", "view", id)).out, /^status +owned$/m);
});

Deno.test("an unknown purchase or invoice is not found, and the hint leads to a list", async () => {
  await using desk = await deskAt();
  for (const verb of ["view", "entitlements", "refund"]) {
    const words = verb === "refund" ? ["purchases", verb, "purc_none", "-y"] : ["purchases", verb];
    const { code, err } = await desk.run(...words, ...verb === "refund" ? [] : ["purc_none"]);
    equal(code, 5, verb);
    match(err, /^See the list: cli subscribers info <user-id> --project-id \w+$/m);
  }
  const { code, err } = await desk.run("invoices", "view", "svcbin_none");
  equal(code, 5);
  match(err, /^See the list: cli subscribers invoices <user-id> --project-id \w+$/m);
});

Deno.test("invoices view shows the total and each line", async () => {
  await using desk = await deskAt();
  await simulate(desk).purchase({ ...LIFETIME, quantity: 2 });
  const list = await desk.run("subscribers", "invoices", "ada", "--output", "json");
  const [invoice] = itemsIn(list.json()) as { id: string }[];
  const { code, out, err } = await desk.run("invoices", "view", invoice?.id ?? "");
  deepEqual([code, err], [0, ""]);
  match(out, /^customer_id +ada$/m);
  match(out, /^total_amount\.currency +EUR$/m);
  match(out, /^total_amount\.gross +199$/m);
  match(out, /^issued_at +2026-01-31 12:30:15Z$/m);
  ok(!/^line_items /m.test(out));
  match(out, /^Line items \(1\)\nPRODUCT +NAME +DURATION +QUANTITY +UNIT_AMOUNT +CURRENCY\n/m);
  match(out, /^notes_web_lifetime +- +- +2 +99\.50 +EUR$/m);
  const { json } = await desk.run("invoices", "view", invoice?.id ?? "", "--output", "json");
  deepEqual(json(), await read(desk, `/invoices/${invoice?.id}`));
});
