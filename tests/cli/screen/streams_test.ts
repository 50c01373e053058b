import { deepEqual, equal, match, ok } from "node:assert/strict";
import { openCounter } from "../../support/cli_fixture.ts";
import { openDesk } from "../../support/harness.ts";
import { refused } from "../../support/wire.ts";

/** Every command of the catalogue that asks first, on something that can be deleted. */
const DELETES: [line: string, id: string][] = [
  ["apps delete", "$svc_billing"],
  ["products delete", "$notes_lifetime"],
  ["entitlements delete", "sync"],
  ["offerings delete", "winter_sale"],
  ["packages delete", "$pkg_monthly"],
];

Deno.test("without a terminal, a command that would ask fails, names the flag and changes nothing", async () => {
  await using counter = await openCounter();
  for (const [words, id] of DELETES) {
    for (const json of ["", " --output json", " --no-confirm"]) {
      const before = counter.desk.sent.length;
      const { code, out, err } = await counter.run(`${words} ${id}${json}`);
      deepEqual([code, out], [3, ""], words);
      match(err, /Cannot ask .*Delete the .*there is no interactive terminal/, words);
      match(err, /Pass -y to answer yes/, words);
      const sent = counter.desk.sent.slice(before).filter(({ path }) => path.startsWith("/v2/"));
      deepEqual(sent.map(({ method }) => method), ["GET"], words);
    }
  }
});

Deno.test("-y, --confirm and --yes skip the question", async () => {
  for (const flag of ["-y", "--confirm", "--yes", "-y --yes"]) {
    await using counter = await openCounter();
    const created = await counter.run("apps create --type amazon --name A --package a.b");
    const [, app = ""] = /^id +(\S+)$/m.exec(created.out) ?? [];
    for (const [words, id] of DELETES) {
      const { code, err } = await counter.run(
        `${words} ${id === "$svc_billing" ? app : id} ${flag}`,
      );
      deepEqual([code, err], [0, ""], `${words} ${flag}`);
      deepEqual(counter.arrived.length, 1, words);
      match(counter.arrived[0]?.line ?? "", /^DELETE /);
    }
  }
});

Deno.test("a deleted object is shown as the service returns it", async () => {
  await using counter = await openCounter();
  const { json } = await counter.run("offerings delete winter_sale -y --output json");
  const { object, id, deleted_at } = json() as Record<string, unknown>;
  deepEqual([object, id], ["offering", counter.ids["$offer_winter_sale"]]);
  ok(typeof deleted_at === "number");
});

Deno.test("CLI_DEBUG=http logs on stderr only, without secrets", async () => {
  await using desk = await openDesk();
  const quiet = await desk.run("offerings", "list", "--output", "json");
  desk.env["CLI_DEBUG"] = "http";
  const loud = await desk.run("offerings", "list", "--output", "json");
  deepEqual([loud.code, loud.out], [quiet.code, quiet.out]);
  match(
    loud.err,
    /^> GET http:\/\/127\.0\.0\.1:4010\/v2\/projects\/proj\w+\/offerings\?limit=100$/m,
  );
  match(loud.err, /^> authorization: \[hidden\]$/m);
  match(loud.err, /^> POST http:\/\/127\.0\.0\.1:4010\/oauth2\/token$/m);
  match(loud.err, /^< 200 /m);
  const token = desk.env["CLI_REFRESH_TOKEN"] ?? "";
  ok(token.length > 10 && !loud.err.includes(token), "the refresh token shows");
  ok(!/(atk|rtk)_[A-Za-z0-9]/.test(loud.err), "a token shows");
});

Deno.test("CLI_DEBUG with an unknown value warns once", async () => {
  await using desk = await openDesk();
  desk.env["CLI_DEBUG"] = "htp";
  const { code, err } = await desk.run("offerings", "list");
  equal(code, 0);
  equal(err.match(/CLI_DEBUG cannot be "htp"; it takes http\n/g)?.length, 1, err);
  desk.env["CLI_DEBUG"] = "http, x";
  const both = await desk.run("offerings", "list");
  match(both.err, /^Warning: CLI_DEBUG cannot be "x"; it takes http\n/);
  match(both.err, /^> GET /m);
});

Deno.test("a retry appears only in the log", async () => {
  let requests = 0;
  await using desk = await openDesk({
    intercept: async (request, pass) =>
      request.url.includes("/v2/") && ++requests === 1 ? refused(503) : await pass(request),
  });
  const { code, err } = await desk.run("offerings", "list");
  deepEqual([code, err], [0, ""]);
  desk.env["CLI_DEBUG"] = "http";
  requests = 0;
  match((await desk.run("offerings", "list")).err, /offerings\?limit=100 \(retry 1\)$/m);
});

Deno.test("stdout contains only JSON with --output json, for every read", async () => {
  await using counter = await openCounter();
  const lines = [
    "projects list",
    "projects view",
    "apps list",
    "apps view $app_store",
    "apps public-keys $app_store",
    "apps storekit-config $app_store",
    "products list",
    "products view $notes_lifetime",
    "entitlements list",
    "entitlements view pro",
    "entitlements products pro",
    "offerings list",
    "offerings view default",
    "packages list",
    "packages list -o default",
    "packages view $pkg_monthly",
    "packages products $pkg_monthly",
    "collaborators list",
    "audit-logs list",
    "version",
  ];
  for (const line of lines) {
    const { code, out, err } = await counter.run(`${line} --output json`);
    deepEqual([code, err], [0, ""], line);
    const value: unknown = JSON.parse(out);
    ok(typeof value === "object" && value !== null, line);
    match(out, /^\{\n[^]*\n\}\n$/, line);
  }
});

Deno.test("a pipe changes the decoration but never the format", async () => {
  await using terminal = await openDesk({ columns: 200, clock: () => 0 });
  await using pipe = await openDesk({ clock: () => 0 });
  // Ids differ from desk to desk; nothing else may.
  const steady = (text: string) => text.replace(/[0-9a-f]{8,}/g, (id) => "0".repeat(id.length));
  for (const words of [["offerings", "list"], ["packages", "list"], ["projects", "view"]]) {
    const [one, other] = [await terminal.run(...words), await pipe.run(...words)];
    equal(steady(one.out), steady(other.out), words.join(" "));
  }
});

Deno.test("a narrow terminal gets every line within its columns", async () => {
  for (const columns of [40, 60, 80, 120]) {
    await using desk = await openDesk({ columns });
    for (const group of ["projects", "apps", "products", "entitlements", "offerings", "packages"]) {
      for (const words of [[group, "list"], [group, "--help"], [group, "list", "--help"]]) {
        const { out } = await desk.run(...words);
        const wide = out.split("\n").filter((line) =>
          line.length > columns && !line.startsWith("  cli ")
        );
        deepEqual(wide, [], `${words.join(" ")} at ${columns}`);
      }
    }
  }
});
