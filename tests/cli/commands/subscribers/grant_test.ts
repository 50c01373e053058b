import { deepEqual, equal, match, ok } from "node:assert/strict";
import { grantEntitlement } from "../../../../lib/resources/customers.ts";
import { openDesk } from "../../../support/harness.ts";
import { DAY, simulate } from "../../../support/simulation.ts";
import { deskAt, MONTHLY, NOW, writesOf } from "../../../support/subscribers_fixture.ts";

Deno.test("subscribers grant translates durations, and shows the date before it asks", async () => {
  await using desk = await deskAt();
  const durations: [string, number][] = [
    ["7d", 7],
    ["1m", 30],
    ["6m", 180],
    ["2y", 730],
    ["forever", 36_500],
    ["lifetime", 36_500],
  ];
  for (const [duration, days] of durations) {
    const until = new Date(NOW + days * DAY).toISOString().slice(0, 19).replace("T", " ");
    const asked = await desk.run("subscribers", "grant", "ada", "pro", "-d", duration);
    equal(asked.code, 3);
    ok(asked.err.includes(`"Grant pro to ada until ${until}Z in the project `), asked.err);
    desk.sent.length = 0;
    const words = ["subscribers", "grant", "ada", "pro", "--duration", duration, "-y"];
    const { code, out, err } = await desk.run(...words);
    equal(code, 0, err);
    deepEqual(
      writesOf(desk),
      [
        "POST /oauth2/token",
        "POST /customers/ada/actions/grant_entitlement",
      ].slice(-1),
    );
    match(out, new RegExp(`^pro +${until}Z$`, "m"));
    match(err, new RegExp(`^Granted pro to ada until ${until}Z$`, "m"));
  }
});

Deno.test("subscribers grant refuses other durations before it sends anything", async () => {
  await using desk = await deskAt();
  for (const duration of ["0d", "-1d", "1.5m", "1w", "30", "d", "", "1D", "9999999999y"]) {
    const words = ["subscribers", "grant", "ada", "pro", `--duration=${duration}`, "-y"];
    const { code, err } = await desk.run(...words);
    equal(code, 2, `${duration}: ${err}`);
  }
  equal((await desk.run("subscribers", "grant", "ada", "pro", "-y")).code, 2);
  deepEqual(desk.sent.filter(({ path }) => path.startsWith("/v2")), []);
});

Deno.test("subscribers grant finds missing objects before it asks", async () => {
  await using desk = await deskAt();
  const nobody = await desk.run("subscribers", "grant", "nobody", "pro", "-d", "7d");
  equal(nobody.code, 5);
  match(nobody.err, /no customer "nobody"/);
  const nothing = await desk.run("subscribers", "grant", "ada", "nope", "-d", "7d");
  equal(nothing.code, 5);
  match(nothing.err, /cli entitlements list/);
});

Deno.test("subscribers grant warns where it shortens existing access", async () => {
  await using desk = await deskAt();
  await desk.run("subscribers", "grant", "ada", "pro", "-d", "1y", "-y");
  const shorter = await desk.run("subscribers", "grant", "ada", "pro", "-d", "7d");
  match(shorter.err, /^Warning: ada already has pro until 2027-01-31 12:30:15Z;/m);
  const longer = await desk.run("subscribers", "grant", "ada", "pro", "-d", "2y");
  ok(!longer.err.includes("Warning"), longer.err);
});

Deno.test("subscribers grant counts from the project's own time", async () => {
  await using desk = await deskAt({ clock: () => Date.now() });
  const sim = simulate(desk);
  await sim.post("/clock/freeze");
  await sim.advanceTo(Date.UTC(2031, 0, 1));
  const granted = await desk.run("subscribers", "grant", "ada", "pro", "-d", "30d", "-y");
  equal(granted.code, 0, granted.err);
  match(granted.err, /until 2031-01-31 00:00:0\dZ$/m);
  const revoked = await desk.run("subscribers", "revoke", "ada", "pro", "-y");
  equal(revoked.code, 0, revoked.err);
  match(revoked.err, /it ends at 2031-01-01 00:00:0\dZ$/m);
  await sim.advance("PT1M");
  match((await desk.run("subscribers", "info", "ada")).out, /^Active entitlements \(0\)$/m);
});

Deno.test("subscribers revoke ends a grant within seconds", async () => {
  let now = NOW;
  await using desk = await deskAt({ clock: () => now });
  await desk.run("subscribers", "grant", "ada", "pro", "-d", "forever", "-y");
  equal((await desk.run("subscribers", "revoke", "ada", "pro")).code, 3);
  desk.sent.length = 0;
  const { code, err } = await desk.run("subscribers", "revoke", "ada", "pro", "-y");
  equal(code, 0, err);
  deepEqual(writesOf(desk), ["POST /customers/ada/actions/grant_entitlement"]);
  match(err, /^Revoked the grant of pro: it ends at 2026-01-31 12:30:20Z$/m);
  ok(!err.includes("remains"), err);
  now += 5000;
  match((await desk.run("subscribers", "info", "ada")).out, /^Active entitlements \(0\)$/m);
});

Deno.test("subscribers revoke --now ends a grant at once", async () => {
  await using desk = await openDesk();
  await desk.run("subscribers", "grant", "ada", "pro", "-d", "30d", "-y");
  const { code, out, err } = await desk.run("subscribers", "revoke", "ada", "pro", "--now", "-y");
  equal(code, 0, err);
  match(err, /^Revoked the grant of pro$/m);
  match(out, /Active entitlements \(0\)/);
  const again = await desk.run("subscribers", "revoke", "ada", "pro", "--now", "-y");
  match(again.err, /^Nothing to revoke: ada has no grant of pro$/m);
});

Deno.test("subscribers assign-offering gives one subscriber another offering", async () => {
  await using desk = await openDesk();
  const preview = async (user: string) => {
    const { out } = await desk.run(
      "offerings",
      "preview",
      "--as",
      user,
      "--platform",
      "ios",
      "--output",
      "json",
    );
    return JSON.parse(out).current_offering_id;
  };
  const { code, err } = await desk.run("subscribers", "assign-offering", "ada", "winter_sale");
  equal(code, 0, err);
  match(err, /^ada now receives winter_sale$/m);
  deepEqual([await preview("ada"), await preview("grace")], ["winter_sale", "default"]);
  match(
    (await desk.run("subs", "assign-offering", "ada", "--current")).err,
    /the current offering$/m,
  );
  equal(await preview("ada"), "default");
  for (const words of [["ada"], ["ada", "winter_sale", "--current"]]) {
    const { code, err } = await desk.run("subscribers", "assign-offering", ...words);
    equal(code, 2);
    match(err, /an offering or --current is missing/);
  }
});

Deno.test("subscribers revoke shows the remaining access and its store", async () => {
  await using desk = await deskAt();
  const sim = simulate(desk);
  const monthly = await sim.subscribe(MONTHLY);
  const once = await sim.purchase({ product_id: "notes_lifetime", price: 99 });
  await desk.run("subscribers", "grant", "ada", "pro", "-d", "1y", "-y");
  const { code, err } = await desk.run("subscribers", "revoke", "ada", "pro", "-y");
  equal(code, 0);
  const remains = err.split("\n").filter((line) => line.startsWith("Warning: Access"));
  deepEqual(remains, [
    "Warning: Access to pro remains until 2026-02-28 12:30:15Z through notes.pro.monthly " +
    `(app_store, ${monthly.id})`,
    `Warning: Access to pro remains forever through notes_lifetime (play_store, ${once.id})`,
  ]);
  match((await desk.run("subs", "info", "ada")).out, /^Active entitlements \(1\)$/m);
});

Deno.test("subscribers revoke without a grant changes nothing and reports it", async () => {
  await using desk = await deskAt();
  await simulate(desk).subscribe(MONTHLY);
  desk.sent.length = 0;
  const { code, out, err } = await desk.run("subscribers", "revoke", "ada", "pro", "-y");
  equal(code, 0);
  match(out, /^id +ada$/m);
  match(err, /^Nothing to revoke: ada has no grant of pro$/m);
  match(err, /Access to pro remains until/);
  deepEqual(writesOf(desk), []);
});

Deno.test("subscribers revoke does not guess when subscriptions cannot be read", async () => {
  await using desk = await deskAt();
  const sim = simulate(desk);
  await desk.run("subscribers", "grant", "ada", "pro", "-d", "1y", "-y");
  await sim.subscribe({ ...MONTHLY, customer_id: "grace" });
  const permit = async (...permissions: string[]) => {
    const scope = permissions.map((one) => `customer_information:${one}`).join(" ");
    const { refresh_token } = await desk.service.oauth.issueToken({ scope });
    desk.env["CLI_REFRESH_TOKEN"] = refresh_token ?? "";
    desk.sent.length = 0;
  };
  await permit("customers:read_write");
  for (const who of ["ada", "grace"]) {
    const { code, err } = await desk.run("subscribers", "revoke", who, "pro", "-y");
    equal(code, 4, err);
    match(err, /lacks the permission "customer_information:subscriptions:read"$/m);
  }
  await desk.run("subscribers", "create", "new");
  desk.sent.length = 0;
  const nothing = await desk.run("subscribers", "revoke", "new", "pro", "-y");
  equal(nothing.code, 0, nothing.err);
  equal(nothing.err, "Nothing to revoke: new has no grant of pro\n");
  deepEqual(writesOf(desk), []);
  await permit("customers:read_write", "subscriptions:read");
  const { code, err } = await desk.run("subscribers", "revoke", "ada", "pro", "-y");
  equal(code, 0, err);
  match(err, /Access through purchases is unknown/);
  match(err, /^Revoked the grant of pro/m);
});

Deno.test("subscribers revoke never postpones the end of a grant", async () => {
  let now = NOW;
  await using desk = await deskAt({ clock: () => now });
  await desk.run("subscribers", "grant", "ada", "pro", "-d", "1y", "-y");
  await desk.run("subscribers", "revoke", "ada", "pro", "-y");
  now += 3000;
  desk.sent.length = 0;
  const { code, err } = await desk.run("subscribers", "revoke", "ada", "pro", "-y");
  equal(code, 0, err);
  const end = "2026-01-31 12:30:20Z";
  match(err, new RegExp(`^Nothing to revoke: the grant of pro ends at ${end} anyway$`, "m"));
  deepEqual(writesOf(desk), []);
});

Deno.test("subscribers revoke tries a later end when the service's clock is ahead", async () => {
  const behind = 300_000;
  await using desk = await openDesk({ clock: () => NOW });
  await grantEntitlement(desk.client, "ada", { entitlement_id: "pro", expires_at: NOW + DAY });
  // The command line's clock is five minutes slow, and the service does not tell its own.
  let asked = 0;
  const { service, projectId } = desk;
  await using slow = await deskAt({
    clock: () => NOW - behind,
    async intercept(request) {
      const url = new URL(request.url);
      const path = url.pathname.replace(/^\/v2\/projects\/\w+/, `/v2/projects/${projectId}`);
      if (request.method === "POST" && path.startsWith("/v2")) asked++;
      if (path.startsWith("/oauth2")) return await service.fetch(new Request(url, request));
      return await service.fetch(new Request(url.origin + path + url.search, request));
    },
  });
  slow.env["CLI_REFRESH_TOKEN"] = desk.env["CLI_REFRESH_TOKEN"] ?? "";
  const { code, err } = await slow.run("subscribers", "revoke", "ada", "pro", "-y");
  equal(code, 0, err);
  equal(asked, 3);
  match(err, /it ends at 2026-01-31 12:35:15Z$/m);
});
