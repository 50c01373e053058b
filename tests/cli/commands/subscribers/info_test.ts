import { deepEqual, equal, match, ok } from "node:assert/strict";
import { simulate } from "../../../support/simulation.ts";
import { deskAt, fieldsIn, itemsIn, MONTHLY } from "../../../support/subscribers_fixture.ts";

Deno.test("an unreadable section is marked, and the exit code is 9", async () => {
  const broken = /\/(purchases|aliases)\?/;
  await using desk = await deskAt({
    intercept: async (request, pass) =>
      broken.test(request.url)
        ? Response.json({ object: "error", type: "server_error", message: "Out of order" }, {
          status: 500,
        })
        : await pass(request),
  });
  await simulate(desk).subscribe(MONTHLY);
  const table = await desk.run("subscribers", "info", "ada");
  equal(table.code, 9);
  match(table.out, /^Subscriptions \(1\)$/m);
  match(table.out, /^Purchases \(unknown\)\nCannot be read: Out of order$/m);
  match(table.out, /^Aliases \(unknown\)$/m);
  match(table.err, /^Cannot show all of "ada": no purchases, aliases: Out of order$/m);
  const json = await desk.run("subscribers", "info", "ada", "--output", "json");
  equal(json.code, 9);
  const shown = fieldsIn(json.json());
  deepEqual(shown["purchases"], null);
  deepEqual(shown["errors"], { purchases: "Out of order", aliases: "Out of order" });
  equal(itemsIn(shown["subscriptions"]).length, 1);
  equal(JSON.parse(json.err).error.exit_code, 9);
});

Deno.test("a section without permission counts as unreadable", async () => {
  await using desk = await deskAt();
  const { service } = desk;
  await simulate(desk).subscribe(MONTHLY);
  const scope = "customer_information:customers:read";
  desk.env["CLI_REFRESH_TOKEN"] = (await service.oauth.issueToken({ scope })).refresh_token ?? "";
  const { code, out, err } = await desk.run("subscribers", "info", "ada");
  equal(code, 9);
  const lacks = (what: string) =>
    `no ${what}: The credential lacks the permission "customer_information:${what}:read"`;
  ok(err.includes(`${lacks("subscriptions")}; ${lacks("purchases")}`), err);
  match(err, /^Replace CLI_REFRESH_TOKEN with one that has those permissions/m);
  match(out, /^entl\w+ +2026-02-28 +- +- +-$/m);
  match(
    err,
    /^Warning: Entitlements are shown by their ids: .* "project_configuration:entitlements:read"$/m,
  );
  match(out, /^Subscriptions \(unknown\)\nCannot be read: .*customer_information:subscriptions/m);
  match(out, /^Aliases \(1\)$/m);
});

Deno.test("when no section can be read, none is called complete", async () => {
  await using desk = await deskAt({
    intercept: async (request, pass) =>
      /\/customers\/ada\/\w+\?/.test(request.url)
        ? Response.json({ object: "error", type: "server_error", message: "Out of order" }, {
          status: 500,
        })
        : await pass(request),
  });
  const { code, err } = await desk.run("subscribers", "info", "ada");
  equal(code, 9);
  match(err, /aliases: Out of order\nRun the same command again\.$/m);
});

Deno.test("a warning about one unreadable section does not blame another", async () => {
  let broken = false;
  await using desk = await deskAt({
    intercept: async (request, pass) =>
      broken && /\/purchases\?/.test(request.url)
        ? Response.json({ object: "error", type: "server_error", message: "Out of order" }, {
          status: 500,
        })
        : await pass(request),
  });
  await simulate(desk).subscribe(MONTHLY);
  await simulate(desk).purchase({ product_id: "notes_lifetime", price: 99 });
  const info = async () => (await desk.run("subscribers", "info", "ada")).out;
  match(await info(), /^pro +never +- +play_store +notes_lifetime$/m);
  broken = true;
  match(await info(), /^pro +never +- +- +-$/m);
});

Deno.test("unreadable names are replaced by ids, with a warning", async () => {
  let broken = "";
  await using desk = await deskAt({
    intercept: async (request, pass) =>
      broken !== "" && new URL(request.url).pathname.includes(broken)
        ? Response.json({ object: "error", type: "server_error", message: "Out of order" }, {
          status: 500,
        })
        : await pass(request),
  });
  const { product_id } = await simulate(desk).subscribe(MONTHLY);
  const whole = await desk.run("subscribers", "info", "ada");
  deepEqual([whole.code, whole.err], [0, ""]);
  ok(!whole.out.includes(String(product_id)), whole.out);
  broken = "/products";
  const { code, out, err } = await desk.run("subscribers", "info", "ada");
  equal(code, 0);
  equal(err, "Warning: Products are shown by their ids: Out of order\n");
  ok(out.includes(String(product_id)), out);
});
