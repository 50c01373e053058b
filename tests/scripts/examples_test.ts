import { deepEqual, equal, match, notEqual, ok } from "node:assert/strict";
import { TREE } from "../../lib/cli/commands/mod.ts";
import { each } from "../../lib/page.ts";
import { listAuditLogs } from "../../lib/resources/audit_logs.ts";
import { createOffering, updateOffering } from "../../lib/resources/offerings.ts";
import { createPackage } from "../../lib/resources/packages.ts";
import { listApps } from "../../lib/resources/apps.ts";
import { createProduct } from "../../lib/resources/products.ts";
import { commandOf, deno, root, runExample, type Shop, withShop } from "../support/shop.ts";

const DAY_MS = 86_400_000;

/** The number of changes to the project. */
async function countChanges({ client }: Shop): Promise<number> {
  return (await Array.fromAsync(each(client, listAuditLogs(client, { limit: 100 })))).length;
}

Deno.test("every example needs all permissions in its comment", async () => {
  const examples = [...Deno.readDirSync(`${root}scripts/examples`)]
    // tests/browser/web_app.ts tests the page, which has its own packages.
    .filter(({ isFile }) => isFile)
    .map(({ name }) => name.replace(/\.ts$/, ""))
    // These two keep tokens on disk, and one waits for a browser: tests/scripts/sign_in_examples_test.ts.
    .filter((name) => name !== "sign_in" && name !== "run_in_ci");
  ok(examples.length >= 4);
  await withShop(async (shop) => {
    for (const example of examples) {
      const words = await commandOf(example);
      ok(words.includes(`scripts/examples/${example}.ts`), `${example} names another file`);
      const flags = words.filter((word) => word.startsWith("--"));
      deepEqual(flags, ["--allow-net=127.0.0.1", "--allow-env=CLI_*"]);
      for (const flag of flags) {
        const { code } = await deno(words.filter((word) => word !== flag), shop);
        notEqual(code, 0, `${example} does not need ${flag}`);
      }
    }
  });
});

Deno.test("list_catalogue prints the catalogue as a tree, without control characters", async () => {
  await withShop(async (shop) => {
    await updateOffering(shop.client, "winter_sale", { is_current: true });
    await createPackage(shop.client, {
      offering_id: "winter_sale",
      lookup_key: "odd",
      display_name: "\u001b]52;c;aGk=\u0007 odd",
    });
    const out = await runExample("list_catalogue", shop);
    deepEqual(out.split("\n").slice(0, 6), [
      "default (offering)",
      "  $svc_monthly: Monthly",
      "    notes.pro.monthly",
      "    notes_pro:monthly",
      "    notes_web_monthly",
      "  $svc_annual: Annual",
    ]);
    match(out, /^winter_sale \(offering, current\)$/m);
    match(out, /^ {2}odd: \]52;c;aGk= odd$/m);
    match(out, /^sync \(entitlement\)\n {2}notes\.pro\.annual\n {2}notes_pro:annual\n/m);
  });
});

Deno.test("export_catalogue writes everything as one document", async () => {
  await withShop(async (shop) => {
    // More than the service puts on one page.
    for (let i = 0; i < 101; i++) {
      await createOffering(shop.client, { lookup_key: `extra_${i}`, display_name: "Extra" });
    }
    const catalogue = JSON.parse(await runExample("export_catalogue", shop));
    equal(catalogue.project_id, shop.client.projectId);
    const { apps, products, entitlements, offerings } = catalogue;
    deepEqual([apps, products, entitlements].map(({ length }) => length), [3, 9, 2]);
    equal(new Set(offerings.map(({ id }: { id: string }) => id)).size, 103);
    const [first] = offerings;
    equal(first.lookup_key, "default");
    equal(first.packages[0].products[0].product.store_identifier, "notes.pro.monthly");
    equal(entitlements[0].products.length, 8);
  });
});

Deno.test("sync_products creates missing products, once", async () => {
  await withShop(async (shop) => {
    const [app] = (await listApps(shop.client)).items;
    const line = (store_identifier: string) =>
      JSON.stringify({ app_id: app?.id, store_identifier, type: "subscription" });
    const lines = [line("notes.pro.weekly"), line("notes.pro.monthly"), line("notes.pro.weekly")];
    const text = `${lines.join("\r\n")}\n\n`;
    const out = await runExample("sync_products", shop, text);
    equal(out, "create notes.pro.weekly\nkeep notes.pro.monthly\nkeep notes.pro.weekly\n");
    equal(await countChanges(shop), 1);
    equal(await runExample("sync_products", shop, text), out.replace("create", "keep"));
    equal(await countChanges(shop), 1);
  });
});

Deno.test("sync_products sends nothing if a line is invalid, and names the line", async () => {
  await withShop(async (shop) => {
    const [app] = (await listApps(shop.client)).items;
    const good = { app_id: app?.id, store_identifier: "new", type: "subscription" };
    for (const bad of ['{"app_id":"a"}', "null", "no JSON"]) {
      const text = `${JSON.stringify(good)}\n${bad}\n`;
      const { code, out, err } = await deno(await commandOf("sync_products"), shop, text);
      deepEqual([code, out], [1, ""]);
      match(err, /^Cannot read line 2: it is not a product\n.*store_identifier.*\n$/);
    }
    equal(await countChanges(shop), 0);
  });
});

Deno.test("sync_products stops at a refused product", async () => {
  await withShop(async (shop) => {
    const text = '{"app_id":"app_none","store_identifier":"new","type":"subscription"}';
    const { code, out, err } = await deno(await commandOf("sync_products"), shop, text);
    deepEqual([code, out], [1, "create new\n"]);
    match(err, /"app_none"/);
    ok(!err.includes(" at "), "a stack trace");
  });
});

Deno.test("audit_report counts the changes of each person and kind", async () => {
  await withShop(async (shop) => {
    const [app] = (await listApps(shop.client)).items;
    for (const store_identifier of ["a", "b"]) {
      const product = { app_id: app?.id ?? "", store_identifier, type: "consumable" };
      await createProduct(shop.client, product);
    }
    await updateOffering(shop.client, "winter_sale", { is_current: true });
    const [head, ...rows] = (await runExample("audit_report", shop)).trimEnd().split("\n");
    equal(head, "person,action,changes,last_change");
    deepEqual(rows.map((row) => row.split(",").slice(0, 3).join(",")), [
      "owner@example.com,offering_set_current,1",
      "owner@example.com,product_created,2",
    ]);
    const last = Date.parse(rows[1]?.split(",")[3] ?? "");
    ok(Math.abs(Date.now() - last) < DAY_MS);
  });
});

Deno.test("audit_report writes no cell that a spreadsheet reads as a formula", async () => {
  const actors = ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", '=HYPERLINK("http://x","y")', "ada"];
  const items = actors.map((actor_identifier, i) => ({
    id: `log${i}`,
    actor_identifier,
    action_type: "offering_updated",
    occurred_at: 0,
    additional_data: {},
  }));
  const token = { access_token: "atk_1", expires_in: 3600, token_type: "Bearer" };
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    (request) =>
      Response.json(request.url.endsWith("/token") ? token : { object: "list", items, url: "/" }),
  );
  const base = { CLI_BASE_URL: `http://127.0.0.1:${server.addr.port}` };
  const given = { CLI_REFRESH_TOKEN: "rtk_of_this_test_alone", CLI_PROJECT_ID: "proj1" };
  try {
    const words = await commandOf("audit_report");
    const { code, out, err } = await deno(words, { env: { ...base, ...given } });
    equal(code, 0, err);
    const people = out.trimEnd().split("\n").slice(1).map((row) => row.split(",offering_")[0]);
    const plain = ["'\t=1", "'+1", "'-1", "'=1+1", "'@SUM(A1)", "ada"];
    deepEqual(people.toSorted(), [`"'=HYPERLINK(""http://x"",""y"")"`, ...plain]);
  } finally {
    await server.shutdown();
  }
});

Deno.test("audit_report refuses an invalid number of days", async () => {
  const words = (await commandOf("audit_report")).slice(0, -1);
  for (const days of ["x", "0", "-1", "1.5", ""]) {
    const { code, out, err } = await deno([...words, days], { env: {} });
    deepEqual([code, out], [1, ""], days);
    match(err, /Cannot report/);
  }
});

Deno.test("the program in README.md runs as described", async () => {
  const readme = await Deno.readTextFile(`${root}README.md`);
  const program = /^```ts\n([\s\S]*?)^```$/m.exec(readme)?.[1] ?? "";
  const command = /`deno (run [^`]+) list\.ts`/.exec(readme)?.[1] ?? "";
  await withShop(async (shop) => {
    const words = command.replaceAll('"', "").split(" ");
    // From standard input, its imports are taken from the working folder.
    const { code, out, err } = await deno([...words, "--ext=ts", "-"], shop, program);
    deepEqual([code, out], [0, "* default\n  winter_sale\n"], err);
  });
});

Deno.test("README.md has every group of commands and every variable, and no others", async () => {
  const readme = await Deno.readTextFile(`${root}README.md`);
  const rows = readme.match(/^\| `cli .*$/gm) ?? [];
  const groups = rows.flatMap((row) =>
    [...row.matchAll(/`cli ([\w-]+)`/g)].map(([, name]) => name)
  );
  deepEqual(groups.toSorted(), TREE.map(({ name }) => name).toSorted());
  const read = new Set<string>();
  for (const file of await sourcesUnder("lib")) {
    for (const [name] of (await Deno.readTextFile(file)).matchAll(/\bCLI_[A-Z_]*[A-Z]\b/g)) {
      read.add(name);
    }
  }
  const told = [...readme.matchAll(/^\| `(CLI_[A-Z_]+)/gm)].map(([, name]) => name);
  deepEqual(told.toSorted(), [...read].sort());
});

/** The TypeScript files in a folder of the repository. */
async function sourcesUnder(folder: string): Promise<string[]> {
  const found: string[] = [];
  for await (const { name, isDirectory } of Deno.readDir(`${root}${folder}`)) {
    const path = `${folder}/${name}`;
    if (isDirectory) found.push(...await sourcesUnder(path));
    else if (name.endsWith(".ts")) found.push(`${root}${path}`);
  }
  return found;
}
