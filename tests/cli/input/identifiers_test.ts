import { deepEqual, equal, match, ok } from "node:assert/strict";
import { NOW } from "../../support/cli_fixture.ts";
import { type Desk, openDesk } from "../../support/harness.ts";
import { answer } from "../../support/wire.ts";

/** Ids that are hard to carry. */
const HARD = [
  "a/b",
  "50%",
  "%2F",
  "%2e%2e",
  "what?",
  "#1",
  "$anon:0123",
  "two words",
  " led",
  "a+b&c=d",
  "\\back",
  'it\'s "quoted"',
  "日本語",
  "👨‍👩‍👧‍👦",
  "e\u0301",
  "\u001b[31m",
  "\u0000\u0007\u009b",
  "tab\tline\nend",
  "\u202eturned",
  "...",
  "https://evil.example/x",
  "__proto__",
  "0",
  "true",
  "x".repeat(1500),
  "é".repeat(1500),
];

/** Every command of the catalogue that takes an id, and its path with ID and OTHER for ids. */
const COMMANDS: [words: string, method: string, path: string, body?: unknown][] = [
  ["projects view ID", "GET", "/v2/projects/ID"],
  ["apps view ID", "GET", "/apps/ID"],
  ["apps public-keys ID", "GET", "/apps/ID/public_api_keys"],
  ["apps storekit-config ID", "GET", "/apps/ID/store_kit_config"],
  ["apps update ID --name x", "POST", "/apps/ID"],
  ["apps delete ID -y", "DELETE", "/apps/ID"],
  ["products view ID", "GET", "/products/ID"],
  ["products update ID --display-name x", "POST", "/products/ID"],
  ["products delete ID -y", "DELETE", "/products/ID"],
  ["products archive ID", "POST", "/products/ID/actions/archive"],
  ["products unarchive ID", "POST", "/products/ID/actions/unarchive"],
  ["products push-to-store ID", "POST", "/products/ID/actions/push_to_store"],
  ["entitlements view ID", "GET", "/entitlements/ID"],
  ["entitlements products ID", "GET", "/entitlements/ID/products?limit=100"],
  ["entitlements update ID --display-name x", "POST", "/entitlements/ID"],
  ["entitlements delete ID -y", "DELETE", "/entitlements/ID"],
  ["entitlements archive ID", "POST", "/entitlements/ID/actions/archive"],
  ["entitlements unarchive ID", "POST", "/entitlements/ID/actions/unarchive"],
  ["entitlements attach ID OTHER", "POST", "/entitlements/ID/actions/attach_products", {
    product_ids: ["OTHER"],
  }],
  ["entitlements detach ID OTHER ID", "POST", "/entitlements/ID/actions/detach_products", {
    product_ids: ["OTHER", "ID"],
  }],
  ["offerings view ID --no-packages", "GET", "/offerings/ID"],
  ["offerings update ID --display-name x", "POST", "/offerings/ID"],
  ["offerings delete ID -y", "DELETE", "/offerings/ID"],
  ["offerings archive ID", "POST", "/offerings/ID/actions/archive"],
  ["offerings unarchive ID", "POST", "/offerings/ID/actions/unarchive"],
  ["offerings set-current ID", "POST", "/offerings/ID", { is_current: true }],
  ["packages list -o ID", "GET", "/offerings/ID"],
  ["packages view ID", "GET", "/packages/ID"],
  ["packages update ID --position 1", "POST", "/packages/ID"],
  ["packages delete ID -y", "DELETE", "/packages/ID"],
  ["packages products ID", "GET", "/packages/ID/products?limit=100"],
  ["packages attach ID OTHER", "POST", "/packages/ID/actions/attach_products", {
    products: [{ product_id: "OTHER", eligibility_criteria: "all" }],
  }],
  ["packages detach ID OTHER", "POST", "/packages/ID/actions/detach_products", {
    product_ids: ["OTHER"],
  }],
];

/** A desk whose service takes every id, and the requests that it got. */
async function openYes(): Promise<{ desk: Desk; got: { line: string; body: string }[] }> {
  const got: { line: string; body: string }[] = [];
  const desk = await openDesk({
    intercept: async (request, pass) => {
      const { pathname, search } = new URL(request.url);
      if (!pathname.startsWith("/v2/")) return await pass(request);
      const path = pathname.replace(/^\/v2\/projects\/[^/]+(?=\/)/, "") + search;
      got.push({ line: `${request.method} ${path}`, body: await request.text() });
      const isList = /\/(packages|products|public_api_keys)(\?|$)/.test(path);
      const list = { object: "list", items: [], next_page: null, url: pathname };
      return answer(200, isList ? list : { object: "thing", id: "x", lookup_key: "y" });
    },
  });
  return { desk, got };
}

Deno.test("every command sends every id to the service, encoded exactly once", async () => {
  const { desk, got } = await openYes();
  await using _ = desk;
  for (const [words, method, path, body] of COMMANDS) {
    for (const id of HARD) {
      const put = (word: string) => word === "ID" ? id : word === "OTHER" ? `${id}!` : word;
      got.length = 0;
      const { code, err } = await desk.run(...words.split(" ").map(put));
      const label = `cli ${words} with ${JSON.stringify(id.slice(0, 30))}: ${err}`;
      equal(code, 0, label);
      const [first] = got;
      equal(first?.line, `${method} ${path.replace("ID", encodeURIComponent(id))}`, label);
      const segment = decodeURIComponent(
        first?.line.split("/")[path.split("/").indexOf("ID")] ?? "",
      );
      if (!path.includes("?")) equal(segment, id, label);
      if (body === undefined) continue;
      const swap = (_name: string, value: unknown) =>
        typeof value === "string" ? put(value) : value;
      deepEqual(
        JSON.parse(first?.body ?? ""),
        JSON.parse(JSON.stringify(body), swap),
        label,
      );
    }
  }
});

Deno.test("an id that a URL would remove is refused, and nothing is sent", async () => {
  const { desk, got } = await openYes();
  await using _ = desk;
  for (const [words] of COMMANDS) {
    for (const id of [".", "..", "", "\ud800"]) {
      const { code, out, err } = await desk.run(
        ...words.split(" ").map((word) => word === "ID" ? id : word),
      );
      // A product's id stands in the body too, where every text can stand.
      deepEqual([code, out], [2, ""], `cli ${words} with ${JSON.stringify(id)}`);
      match(err, /^Cannot use ".*" as an id: |is missing/, words);
    }
  }
  deepEqual(got, []);
});

Deno.test("a cursor is encoded in the query, whatever its characters", async () => {
  const { desk, got } = await openYes();
  await using _ = desk;
  for (const id of HARD) {
    got.length = 0;
    await desk.run("packages", "products", "x", "--starting-after", id, "--limit=3");
    const { searchParams } = new URL(`http://x${got[0]?.line.slice(4)}`);
    deepEqual([...searchParams], [["limit", "3"], ["starting_after", id]], id.slice(0, 30));
  }
});

Deno.test("an offering with an unusual lookup key works in every command", async () => {
  await using desk = await openDesk({ clock: () => NOW });
  const key = "spring.2026-sale_$";
  const create = await desk.run(
    "offerings",
    "create",
    "--id",
    key,
    "--display-name",
    "日本 \u001b[31m",
  );
  equal(create.code, 0, create.err);
  // Nothing in it drives the terminal, and JSON keeps it.
  match(create.out, /^display_name +日本 \\u001b\[31m$/m);
  const { json } = await desk.run("offerings", "view", key, "--output", "json");
  equal((json() as { display_name: string }).display_name, "日本 \u001b[31m");
  for (const verb of ["archive", "unarchive", "set-current"]) {
    equal((await desk.run("offerings", verb, key)).code, 0, verb);
  }
  equal((await desk.run("offerings", "set-current", "default")).code, 0);
  equal((await desk.run("offerings", "delete", key, "-y")).code, 0);
  equal((await desk.run("offerings", "view", key)).code, 5);
});

Deno.test("an unknown id gets 404 from the real service, however unusual", async () => {
  await using desk = await openDesk();
  for (const id of HARD) {
    const { code, err } = await desk.run("products", "view", id);
    // No text may hold U+0000, on either engine, so that is refused before anything is looked up.
    equal(code, id.includes("\0") ? 1 : 5, `${JSON.stringify(id.slice(0, 30))}: ${err}`);
    // deno-lint-ignore no-control-regex
    ok(!/[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]/.test(err), JSON.stringify(err));
  }
});
