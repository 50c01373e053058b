import { deepEqual, equal, match, ok } from "node:assert/strict";
import { ApiError } from "../../lib/errors.ts";
import { each } from "../../lib/page.ts";
import { path } from "../../lib/path.ts";
import {
  createCustomer,
  getCustomer,
  grantEntitlement,
  listCustomers,
} from "../../lib/resources/customers.ts";
import { detachEntitlementProducts } from "../../lib/resources/entitlements.ts";
import { listProducts } from "../../lib/resources/products.ts";
import { commandOf, deno, runExample, type Shop, withShop } from "../support/shop.ts";

Deno.test("import_customers creates missing customers, and can be repeated", async () => {
  await withShop(async (shop) => {
    const { client } = shop;
    const before = await countCustomers(shop);
    await createCustomer(client, { id: "user_7" });
    const lines = Array.from({ length: 250 }, (_, i) => {
      const attributes = [{ name: "$email", value: `user${i}@example.com` }];
      return JSON.stringify({ id: `user_${i}`, attributes });
    });
    const text = `\r\n${lines.join("\r\n")}`;
    const first = await runExample("import_customers", shop, text);
    equal(first, "created 249, already_there 1, failed 0\n");
    equal(await countCustomers(shop), before + 250);
    const search = "user249@example.com";
    equal((await listCustomers(client, { search })).items[0]?.id, "user_249");
    const again = await runExample("import_customers", shop, text);
    equal(again, "created 0, already_there 250, failed 0\n");
    equal(await countCustomers(shop), before + 250);
  });
});

Deno.test("import_customers reports each line that is refused, and imports the others", async () => {
  await withShop(async (shop) => {
    const text = [
      '{"id":"good_1"}',
      "no JSON",
      '{"id":"guest"}',
      '{"name":"x"}',
      "[]",
      '{"id":"x","attributes":[{"name":"$nope","value":"1"}]}',
      '{"id":"good_2"}',
    ].join("\n");
    const { code, out, err } = await deno(await commandOf("import_customers"), shop, text);
    deepEqual([code, out], [1, "created 2, already_there 0, failed 5\n"]);
    deepEqual(err.trim().split("\n").map((line) => line.split(":")[0]).sort(), [
      ...["Line 2", "Line 3", "Line 4", "Line 5", "Line 6"],
    ]);
    match(err, /^Line 6: 'attributes\.0\.name' must /m);
    match(err, /^Line 4: it is not an object with an id$/m);
  });
});

Deno.test("import_customers stops when the service cannot be used, and prints its progress", async () => {
  await withShop(async (shop) => {
    const words = await commandOf("import_customers");
    const text = '{"id":"a1"}\n{"id":"a2"}\n';
    const elsewhere = { env: { ...shop.env, CLI_PROJECT_ID: "proj00000000" } };
    const { code, out, err } = await deno(words, elsewhere, text);
    deepEqual([code, out], [1, "created 0, already_there 0, failed 0\n"]);
    match(err, /no access to the project "proj00000000"/);
    ok(!err.includes("    at "), "a stack trace");
    const nothing = await deno(words, shop, "\n\n");
    equal(nothing.code, 1);
    match(nothing.err, /standard input has no lines/);
    const wrong = await deno([...words.slice(0, -1), "many"], shop, text);
    match(wrong.err, /Cannot import "many" at a time/);
  });
});

Deno.test("debug_access finds that the product was never attached to the entitlement", async () => {
  await withShop(async (shop) => {
    const product = await productOf(shop, "notes.pro.monthly");
    await detachEntitlementProducts(shop.client, "pro", [product]);
    await buy(shop, { product_id: "notes.pro.monthly", environment: "production" });
    const out = await runExample("debug_access", shop);
    match(out, /^ada has nothing now$/m);
    match(out, /^sub\w+: notes\.pro\.monthly \(app_store, production\)$/m);
    match(out, new RegExp(`^ {2}cli entitlements attach pro ${product}$`, "m"));
    match(out, /^pro comes with: notes\.pro\.annual, /m);
  });
});

Deno.test("debug_access shows ended, refunded and transferred purchases", async () => {
  await withShop(async (shop) => {
    const { client, admin } = shop;
    const project = client.projectId ?? "";
    const purchase = await buy(shop, { product_id: "notes.pro.lifetime" });
    await admin.post(path`/_sim/projects/${project}/purchases/${purchase}/refund`);
    const monthly = await buy(shop, { product_id: "notes.pro.monthly" });
    await admin.post(path`/_sim/projects/${project}/subscriptions/${monthly}/cancel`);
    await grantEntitlement(client, "ada", { entitlement_id: "pro", expires_at: in30Days() });
    await admin.post(path`/_sim/projects/${project}/clock/advance`, { by: "P40D" });
    await buy(shop, { product_id: "notes.pro.annual", customer_id: "grace" });
    await client.post(path`/customers/${"grace"}/actions/transfer`, { target_customer_id: "ada" });
    const out = await runExample("debug_access", shop);
    match(out, /^ada has pro, sync now$/m);
    match(out, /^ {2}gives nothing: it was refunded$/m);
    match(out, /^ {2}gives nothing: it ended on \d{4}-\d\d-\d\d; the customer has to subscribe/m);
    match(out, /^ {2}gives nothing: the grant ended on \d{4}-\d\d-\d\d$/m);
    match(out, /^ {2}it was bought as grace and transferred later$/m);
    match(out, /^The customer has access/m);
  });
});

Deno.test("debug_access shows where to look without purchases, and reports unknown customers", async () => {
  await withShop(async (shop) => {
    const words = (await commandOf("debug_access")).slice(0, -2);
    const empty = await deno([...words, "$RCAnonymousID:5d2f7c1e9ab04c3f8e6d1b2a3c4d5e6f"], shop);
    equal(empty.code, 0, empty.err);
    match(empty.out, /cli subscriptions search <order-id>/);
    match(empty.out, /^sync comes with: /m);
    for (
      const [ids, message] of [
        [["nobody"], /no customer "nobody"/],
        [["ada", "nope"], /no entitlement "nope"/],
        [[], /pass the customer's id/],
      ] as const
    ) {
      const { code, out, err } = await deno([...words, ...ids], shop);
      deepEqual([code, out], [1, ""]);
      match(err, message);
    }
    const strange = await getCustomer(shop.client, "a/b").catch((error) => error);
    ok(strange instanceof ApiError && strange.status === 404);
  });
});

/** Buys something in the simulator. Returns its id. */
async function buy({ admin }: Shop, wanted: Record<string, string>): Promise<string> {
  const place = path`/_sim/projects/${admin.projectId ?? ""}/purchases`;
  const { id } = await admin.post<{ id: string }>(place, {
    customer_id: "ada",
    price: 9.99,
    ...wanted,
  });
  return id;
}

/** The id of a product with a store identifier. */
async function productOf({ client }: Shop, name: string): Promise<string> {
  const { items } = await listProducts(client, { limit: 100 });
  return items.find(({ store_identifier }) => store_identifier === name)?.id ?? "";
}

/** The number of customers. */
async function countCustomers({ client }: Shop): Promise<number> {
  return (await Array.fromAsync(each(client, listCustomers(client, { limit: 100 })))).length;
}

/** A moment in 30 days. */
function in30Days(): number {
  return Date.now() + 30 * 86_400_000;
}
