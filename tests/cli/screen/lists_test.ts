import { deepEqual, equal, match, ok } from "node:assert/strict";
import { at, linesOf } from "../../support/cli_fixture.ts";
import { type Desk, type DeskOptions, openDesk } from "../../support/harness.ts";
import { answer, refused } from "../../support/wire.ts";

/** A desk with so many more offerings, named in order. */
async function openCrowd(count: number, options: DeskOptions = {}): Promise<Desk> {
  const desk = await openDesk({ ...options, empty: false });
  for (let i = 1; i <= count; i++) {
    const body = { lookup_key: `o${i}`, display_name: `Number ${i}` };
    await desk.send("POST", `/v2/projects/${desk.projectId}/offerings`, body);
  }
  desk.sent.length = 0;
  return desk;
}

/** The lookup keys of a list printed as JSON. */
function keysOf(json: unknown): unknown[] {
  const items = at(json, "items");
  ok(Array.isArray(items));
  return items.map((item) => at(item, "lookup_key"));
}

/** The requests for data so far, without the path of the project; then none. */
function takeSent(desk: Desk): string[] {
  const sent = desk.sent.filter(({ path }) => path.startsWith("/v2/projects/"));
  desk.sent.length = 0;
  return sent.map(({ path }) => path.replace(/^\/v2\/projects\/[^/]+/, ""));
}

const NUMBERED = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, i) => `o${from + i}`);

Deno.test("a catalogue list shows all items, over any number of pages", async () => {
  await using desk = await openCrowd(203);
  const all = ["default", "winter_sale", ...NUMBERED(1, 203)];
  for (const words of [[], ["--all"]]) {
    const { code, out, err } = await desk.run("offerings", "list", ...words);
    deepEqual([code, err], [0, words.length > 0 ? "Read 205 items\n" : ""]);
    const rows = linesOf(out).slice(1);
    deepEqual(rows.map((row) => row.replace("*", " ").trim().split(" ")[0]), all);
    equal(takeSent(desk).length, 3);
  }
  const { json, err } = await desk.run("offerings", "list", "--output", "json");
  equal(err, "");
  deepEqual(keysOf(json()), all);
  deepEqual([at(json(), "object"), at(json(), "next_page")], ["list", null]);
  equal(at(json(), "url"), `/v2/projects/${desk.projectId}/offerings`);
});

Deno.test("--limit shows that many items, even with --all, and requests no more", async () => {
  await using desk = await openCrowd(203);
  const all = ["default", "winter_sale", ...NUMBERED(1, 203)];
  const asked: [limit: number, paths: RegExp[]][] = [
    [1, [/limit=1$/]],
    [5, [/limit=5$/]],
    [100, [/limit=100$/]],
    [101, [/limit=100$/, /limit=1&starting_after=/]],
    [205, [/limit=100$/, /limit=100&starting_after=/, /limit=5&starting_after=/]],
    [1_000, [/limit=100$/, /limit=100&/, /limit=100&/]],
  ];
  for (const [limit, paths] of asked) {
    for (const words of [["--limit", `${limit}`], ["--all", `--limit=${limit}`]]) {
      const { code, json, err } = await desk.run("offerings", "list", ...words, "--output=json");
      equal(code, 0);
      deepEqual(keysOf(json()), all.slice(0, limit));
      const sent = takeSent(desk);
      equal(sent.length, paths.length, `limit ${limit}: ${sent}`);
      for (const [i, path] of paths.entries()) match(sent[i] ?? "", path);
      equal(err.includes("More items follow"), limit < 205, err);
    }
  }
});

Deno.test("a limited list shows how to continue, on stderr and in the JSON", async () => {
  await using desk = await openCrowd(8);
  const cut = await desk.run("offerings", "list", "--limit", "4");
  equal(linesOf(cut.out).length, 5);
  const [, id = ""] = /^More items follow: continue with --starting-after (\S+)\n$/.exec(cut.err) ??
    [];
  ok(id.startsWith("ofrng"), cut.err);
  const rest = await desk.run("offerings", "list", "--starting-after", id, "--output", "json");
  deepEqual(keysOf(rest.json()), NUMBERED(3, 8));
  equal(rest.err, "");

  const json = (await desk.run("offerings", "list", "--limit=4", "--output=json")).json();
  const next = String(at(json, "next_page"));
  equal(new URL(next, "http://x").searchParams.get("starting_after"), id);
  const page = await (await desk.send("GET", next)).json();
  deepEqual(keysOf(page), NUMBERED(3, 6));
});

Deno.test("a list cut after several pages continues right after its last item", async () => {
  await using desk = await openCrowd(120);
  const { json } = await desk.run("offerings", "list", "--limit", "110", "--output", "json");
  const shown = keysOf(json());
  equal(shown.length, 110);
  const page = await (await desk.send("GET", String(at(json(), "next_page")))).json();
  deepEqual([shown.at(-1), keysOf(page)[0]], ["o108", "o109"]);
});

Deno.test("audit logs show one page, and how to continue", async () => {
  await using desk = await openCrowd(45);
  const first = await desk.run("audit-logs", "list");
  deepEqual(takeSent(desk), ["/audit_logs"]);
  equal(linesOf(first.out).length, 21);
  const [, id = ""] =
    /^More items follow. Show them with --all, or continue with --starting-after (\S+)\n$/.exec(
      first.err,
    ) ??
      [];
  const second = await desk.run("audit-logs", "list", "--starting-after", id);
  ok(!second.out.includes(linesOf(first.out)[20] ?? "-"));
  const all = await desk.run("audit-logs", "list", "--all", "--output", "json");
  equal(all.err, "");
  const items = at(all.json(), "items");
  ok(
    Array.isArray(items) && items.length >= 45 &&
      items.length === new Set(items.map((one) => one.id)).size,
  );
  takeSent(desk);
  const some = await desk.run("audit", "list", "--limit", "30");
  equal(linesOf(some.out).length, 31);
  deepEqual(takeSent(desk), ["/audit_logs?limit=30"]);
});

Deno.test("a refusal in the middle of a list is retried, and nothing is lost or repeated", async () => {
  let requests = 0;
  await using desk = await openCrowd(230, {
    intercept: async (request, pass) => {
      if (request.method !== "GET") return await pass(request);
      return ++requests % 2 === 0 ? refused(429, {}, { "Retry-After": "3" }) : await pass(request);
    },
  });
  requests = 1;
  const { code, json, err } = await desk.run("offerings", "list", "--output", "json");
  equal(code, 0);
  match(err, /^(Warning: The rate limit of the service is reached; retrying in [34] s\n)+$/);
  deepEqual(keysOf(json()).slice(2), NUMBERED(1, 230));
  ok(requests >= 7);
});

Deno.test("a list that fails on its second page prints nothing of the first", async () => {
  await using desk = await openCrowd(110, {
    intercept: async (request, pass) =>
      request.url.includes("starting_after") ? refused(500) : await pass(request),
  });
  for (const words of [[], ["--output", "json"]]) {
    const { code, out } = await desk.run("offerings", "list", ...words);
    deepEqual([code, out], [1, ""]);
  }
});

Deno.test("a page with too many items is cut, and continued at the right place", async () => {
  const items = ["a", "b", "c", "d"].map((id) => ({ id, n: 0 }));
  const page = { object: "list", items, next_page: "/v2/x?starting_after=d", url: "/v2/x?a=1" };
  await using desk = await openDesk({
    intercept: async (request, pass) =>
      request.url.includes("/v2/") ? answer(200, page) : await pass(request),
  });
  const { json, err } = await desk.run("offerings", "list", "--limit", "2", "--output", "json");
  deepEqual(json(), { ...page, items: items.slice(0, 2), next_page: "/v2/x?a=1&starting_after=b" });
  equal(err, "More items follow: continue with --starting-after b\n");
});

Deno.test("an empty list is an empty list, with a note beside an empty table", async () => {
  await using desk = await openDesk();
  const created = await desk.run("projects", "create", "--name", "Empty", "--output", "json");
  const project = ["--project-id", String(at(created.json(), "id"))];
  for (const group of ["apps", "products", "entitlements", "offerings", "packages", "audit-logs"]) {
    const table = await desk.run(group, "list", ...project);
    if (group !== "audit-logs") {
      deepEqual([table.code, table.out, table.err], [0, "", "Nothing to show.\n"], group);
    }
    const { json } = await desk.run(group, "list", ...project, "--output", "json");
    ok(Array.isArray(at(json(), "items")), group);
    equal(at(json(), "next_page"), null, group);
  }
});

Deno.test("packages list shows one offering's packages, or those of all", async () => {
  await using desk = await openDesk();
  const one = await desk.run("packages", "list", "-o", "winter_sale", "--output", "json");
  deepEqual(keysOf(one.json()), ["$svc_annual"]);
  equal(at(one.json(), "url"), `/v2/projects/${desk.projectId}/offerings/winter_sale/packages`);
  const all = await desk.run("packages", "list", "--output", "json");
  const keys = ["$svc_monthly", "$svc_annual", "$svc_lifetime", "$svc_annual"];
  deepEqual(keysOf(all.json()), keys);
  deepEqual([at(all.json(), "object"), at(all.json(), "next_page")], ["list", null]);
  for (const [limit, note] of [[2, true], [3, true], [4, false], [9, false]] as const) {
    const { json, err } = await desk.run("packages", "list", "--output=json", `--limit=${limit}`);
    deepEqual(keysOf(json()), keys.slice(0, limit));
    equal(err, note ? "More packages follow. Show them with a larger --limit\n" : "");
  }
  const paged = await desk.run(
    "packages",
    "list",
    "-o",
    "default",
    "--limit",
    "1",
    "--output=json",
  );
  const [, id = ""] = /--starting-after (\S+)/.exec(paged.err) ?? [];
  const rest = await desk.run("packages", "list", "-o=default", `--starting-after=${id}`);
  equal(linesOf(rest.out).length, 3);
  const { code, err } = await desk.run("packages", "list", "--starting-after", id);
  equal(code, 2);
  match(err, /--offering is missing\nPass --offering/);
});

Deno.test("offerings view prints the service's JSON, and a combined one with --packages", async () => {
  await using desk = await openDesk();
  const raw = await desk.run("offerings", "view", "default", "--output", "json");
  deepEqual(takeSent(desk), ["/offerings/default"]);
  equal(at(raw.json(), "object"), "offering");
  deepEqual(
    (await desk.run("offerings", "view", "default", "--no-packages", "--output=json")).out,
    raw.out,
  );
  takeSent(desk);
  const words = ["offerings", "view", "default", "--packages", "--output", "json"];
  const combined = (await desk.run(...words)).json();
  deepEqual(at(combined, "offering"), raw.json());
  const packages = at(combined, "packages");
  ok(Array.isArray(packages) && packages.length === 3);
  equal(
    at(packages, 0, "products", "items", 0, "product", "store_identifier"),
    "notes.pro.monthly",
  );
  equal(takeSent(desk).length, 2);
});
