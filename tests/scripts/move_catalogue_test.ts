import { deepEqual, equal, match, ok } from "node:assert/strict";
import type { Client } from "../../lib/client.ts";
import { each, type Page } from "../../lib/page.ts";
import { path } from "../../lib/path.ts";
import { createApp, listApps } from "../../lib/resources/apps.ts";
import { listAuditLogs } from "../../lib/resources/audit_logs.ts";
import {
  archiveEntitlement,
  createEntitlement,
  listEntitlementProducts,
  listEntitlements,
} from "../../lib/resources/entitlements.ts";
import {
  archiveOffering,
  createOffering,
  listOfferings,
  updateOffering,
} from "../../lib/resources/offerings.ts";
import {
  attachPackageProducts,
  createPackage,
  listPackageProducts,
  listPackages,
} from "../../lib/resources/packages.ts";
import { createPaywall, listPaywalls, setOfferingPaywall } from "../../lib/resources/paywalls.ts";
import { archiveProduct, createProduct, listProducts } from "../../lib/resources/products.ts";
import { createProject } from "../../lib/resources/projects.ts";
import type { Ended } from "../support/ended.ts";
import { commandOf, deno, type Shop, withShop } from "../support/shop.ts";

Deno.test("move_catalogue copies everything, and a second run changes nothing", async () => {
  await withShop(async (shop) => {
    const { from, to } = await twoProjects(shop);
    const empty = await countChanges(to);
    const wished = await move(shop, from, to, "--dry-run");
    equal(wished.code, 0, wished.err);
    match(wished.out, /^app Notes for iOS \(app_store, com\.example\.notes, app\w+\): Notes \(/m);
    equal(await countChanges(to), empty);
    const { code, out, err } = await move(shop, from, to);
    deepEqual([code, err], [0, ""]);
    // The run does what the dry run printed.
    equal(out, wished.out.replaceAll(/^would /gm, "").replace("Would make", "Made"));
    deepEqual(await catalogueOf(to), await catalogueOf(from));
    const before = await countChanges(to);
    match((await move(shop, from, to)).out, /\nMade 0 changes, not done: 0\n$/);
    equal(await countChanges(to), before);
  });
});

Deno.test("a move with many interruptions is finished, and repeats nothing", async () => {
  await withShop(async (shop) => {
    const { from, to } = await twoProjects(shop);
    const reference = await target(shop, "Reference");
    const [, made] = /Made (\d+) changes/.exec((await move(shop, from, reference)).out) ?? [];
    const before = await countChanges(to);
    let runs = 0;
    let done: Ended;
    do {
      // Every second time the change has taken effect, and only its answer is lost.
      done = await cutMove(shop, from, to, 9, runs++ % 2 === 1);
      if (done.code !== 0) {
        match(done.err, /^Stopped after \d+ changes; run the same command again/m);
      }
    } while (done.code !== 0 && runs < 20);
    ok(runs > 4, `it was not cut: ${runs}`);
    deepEqual([done.code, done.err], [0, ""]);
    deepEqual(await catalogueOf(to), await catalogueOf(from));
    equal(await countChanges(to) - before, Number(made));
  });
});

Deno.test("move_catalogue makes existing objects equal to the original, and deletes nothing", async () => {
  await withShop(async (shop) => {
    const { from, to } = await twoProjects(shop);
    const [ios] = (await listApps(to)).items;
    const app_id = ios?.id ?? "";
    const product = { app_id, type: "subscription", display_name: "Other" };
    const { id } = await createProduct(to, { ...product, store_identifier: "notes.pro.monthly" });
    await archiveProduct(to, id);
    const own = await createProduct(to, { ...product, store_identifier: "own" });
    await createEntitlement(to, { lookup_key: "pro", display_name: "Other" });
    await createOffering(to, { lookup_key: "own", display_name: "Own" });
    await createOffering(to, { lookup_key: "default", display_name: "Other", metadata: { a: 1 } });
    const { id: item } = await createPackage(to, {
      offering_id: "default",
      lookup_key: "$svc_annual",
      display_name: "Other",
      position: 7,
    });
    await attachPackageProducts(to, item, [{ product_id: own.id }]);
    const { code, out, err } = await move(shop, from, to);
    // The package already has a product of that app, and nothing is detached.
    equal(code, 1);
    match(
      err,
      /^Not done: attach notes\.pro\.annual to package \$svc_annual of offering default: /,
    );
    equal(err.trimEnd().split("\n").length, 1);
    match(out, /^unarchive product notes\.pro\.monthly$/m);
    match(out, /, not done: 1\n$/);
    const [before, after] = [await catalogueOf(from), await catalogueOf(to)];
    ok(after.products.some(([, name]) => name === "own"));
    ok(after.offerings.some(([key]) => key === "own"));
    deepEqual(after.products.filter(([, name]) => name !== "own"), before.products);
    const [one, other] = [before, after].map(({ offerings }) =>
      offerings.filter(([key]) => key !== "own").map((offering) => offering.slice(0, 5))
    );
    deepEqual(other, one);
  });
});

Deno.test("move_catalogue skips products whose app has no counterpart", async () => {
  await withShop(async (shop) => {
    const { client } = shop;
    const { id } = await createProject(client, { name: "Bare" });
    const bare = clientOf(shop, id);
    await createApp(bare, { name: "A", type: "play_store", play_store: { package_name: "a" } });
    await createApp(bare, { name: "B", type: "play_store", play_store: { package_name: "b" } });
    const { code, out, err } = await move(shop, client, bare);
    equal(code, 1);
    match(out, /^app Notes for Android .*: no counterpart yet; see: /m);
    match(err, /^Not done: create product notes_pro:monthly: its app has no counterpart$/m);
    deepEqual((await catalogueOf(bare)).products, []);
    equal((await catalogueOf(bare)).offerings.length, 2);
    const again = await move(shop, client, bare);
    const { length } = await productsOf(client);
    ok(again.out.endsWith(`\nMade 0 changes, not done: ${length}\n`), again.out);
  });
});

Deno.test("move_catalogue needs two usable projects", async () => {
  await withShop(async (shop) => {
    const words = (await commandOf("move_catalogue")).slice(0, -2);
    const own = shop.env.CLI_PROJECT_ID ?? "";
    for (const args of [[], [own], [own, own], [own, "b", "c"], [own, "b", "--wet"]]) {
      const { code, out, err } = await deno([...words, ...args], shop);
      deepEqual([code, out], [1, ""], args.join(" "));
      match(err, /^Cannot copy: /);
    }
    const { code, out, err } = await deno([...words, own, "proj00000000"], shop);
    deepEqual([code, out], [1, ""]);
    match(err, /no access to the project "proj00000000"/);
  });
});

/** Runs the example between two projects. */
async function move(
  { env }: Pick<Shop, "env">,
  from: Client,
  to: Client,
  ...flags: string[]
): Promise<Ended> {
  const words = (await commandOf("move_catalogue")).slice(0, -2);
  return await deno([...words, from.projectId ?? "", to.projectId ?? "", ...flags], { env });
}

/** Runs it, and makes one change fail, before or after its effect. */
async function cutMove(shop: Shop, from: Client, to: Client, after: number, lost: boolean) {
  const base = shop.env.CLI_BASE_URL ?? "";
  let left = after;
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, async (request) => {
    const { pathname, search } = new URL(request.url);
    const isChange = request.method !== "GET" && pathname.startsWith("/v2/");
    const isLast = isChange && left-- === 0;
    const refusal = () =>
      Response.json({ message: "Broken", type: "server_error" }, { status: 500 });
    if (isLast && !lost) return refusal();
    const { method } = request;
    const headers = new Headers(request.headers);
    const body = method === "GET" ? null : await request.arrayBuffer();
    headers.delete("host");
    const answer = await fetch(base + pathname + search, { method, headers, body });
    if (!isLast) return answer;
    await answer.body?.cancel();
    return refusal();
  });
  try {
    return await move(
      { env: { ...shop.env, CLI_BASE_URL: `http://127.0.0.1:${server.addr.port}` } },
      from,
      to,
    );
  } finally {
    await server.shutdown();
  }
}

/** A project with a rich catalogue, and another one with the same apps and nothing else. */
async function twoProjects(shop: Shop): Promise<{ from: Client; to: Client }> {
  const { client, admin } = shop;
  const test = await admin.post<{ id: string }>(
    path`/_sim/projects/${client.projectId ?? ""}/apps`,
    { name: "Test" },
  );
  await createProduct(client, {
    app_id: test.id,
    store_identifier: "monthly",
    type: "subscription",
    title: "Monthly",
    display_name: "Monthly",
    subscription: { duration: "P1M" },
  });
  const [, android] = (await listApps(client)).items;
  const play = { app_id: android?.id ?? "", type: "subscription", display_name: null };
  const old = await createProduct(client, { ...play, store_identifier: "old" });
  await createOffering(client, {
    lookup_key: "spring?é%",
    display_name: "Spring",
    metadata: { z: [1, { y: null }], a: "ä" },
  });
  const { id } = await createPackage(client, {
    offering_id: "spring?é%",
    lookup_key: "$svc_monthly",
    display_name: "Monthly",
    position: null,
  });
  const monthly = (await productsOf(client)).find((one) =>
    one.store_identifier === "notes_pro:monthly"
  );
  await attachPackageProducts(client, id, [
    { product_id: old.id, eligibility_criteria: "google_sdk_lt_6" },
    { product_id: monthly?.id ?? "", eligibility_criteria: "google_sdk_ge_6" },
  ]);
  await createOffering(client, { lookup_key: "gone", display_name: "Gone" });
  await createEntitlement(client, { lookup_key: "legacy", display_name: "Legacy" });
  await setOfferingPaywall(client, "default", { template_name: "1", config: { b: 1, a: [2] } });
  await createPaywall(client, { offering_id: "winter_sale" });
  await updateOffering(client, "winter_sale", { is_current: true });
  await archiveOffering(client, "gone");
  await archiveEntitlement(client, "legacy");
  await archiveProduct(client, old.id);
  return { from: client, to: await target(shop, "Target") };
}

/** A new project with apps like those of the demonstration project, and one of the test store. */
async function target(shop: Shop, name: string): Promise<Client> {
  const { client, admin } = shop;
  const { id } = await createProject(client, { name });
  const to = clientOf(shop, id);
  // Not in the same order, and one has another name in its store.
  await createApp(to, {
    name: "Notes",
    type: "app_store",
    app_store: { bundle_id: "com.example.notes" },
  });
  await createApp(to, { name: "Web", type: "svc_billing", svc_billing: { app_name: "Other" } });
  await admin.post(path`/_sim/projects/${id}/apps`, { name: "Test" });
  await createApp(to, {
    name: "Other",
    type: "play_store",
    play_store: { package_name: "com.example.other" },
  });
  return to;
}

/** The owner in another project. */
function clientOf({ client }: Shop, projectId: string): Client {
  return client.with({ projectId });
}

/** A project's catalogue, without ids and times. */
async function catalogueOf(client: Client) {
  const limit = 100;
  const all = <T>(first: Promise<Page<T>>) => Array.fromAsync(each(client, first));
  const apps = new Map((await all(listApps(client, { limit }))).map(({ id, type }) => [id, type]));
  const offerings = await all(listOfferings(client, { limit }));
  const paywalls = await all(listPaywalls(client, { limit }));
  const nameOf = (one: { store_identifier: string }) => one.store_identifier;
  return {
    products: (await productsOf(client)).map((one) =>
      [apps.get(one.app_id), nameOf(one), one.type, one.display_name, one.state].map(String)
    ).sort(),
    entitlements: await Promise.all(
      (await all(listEntitlements(client, { limit }))).map(async (one) => [
        [one.lookup_key, one.display_name, one.state],
        (await all(listEntitlementProducts(client, one.id, { limit }))).map(nameOf).sort(),
      ]),
    ),
    offerings: await Promise.all(offerings.map(async (one) => {
      const paywall = paywalls.find(({ offering_id }) => offering_id === one.id);
      const content = paywall?.published_at
        ? await client.get<object>(path`/offerings/${one.id}/paywall`)
        : Boolean(paywall);
      const { lookup_key, display_name, metadata, is_current, state } = one;
      const packages = await all(listPackages(client, one.id, { limit }));
      return [
        lookup_key,
        display_name,
        metadata,
        state,
        content,
        is_current,
        await Promise.all(
          packages.map(async (item) => [
            [item.lookup_key, item.display_name, item.position],
            (await all(listPackageProducts(client, item.id, { limit })))
              .map((held) => [nameOf(held.product), held.eligibility_criteria]),
          ]),
        ),
      ];
    })),
  };
}

async function productsOf(client: Client) {
  return await Array.fromAsync(each(client, listProducts(client, { limit: 100 })));
}

/** The number of changes to a project. */
async function countChanges(client: Client): Promise<number> {
  return (await Array.fromAsync(each(client, listAuditLogs(client, { limit: 100 })))).length;
}
