import { deepEqual, equal, match, ok } from "node:assert/strict";
import { loadFor } from "../../../lib/cli/commands/mod.ts";
import type { Command, Group } from "../../../lib/cli/words/command.ts";
import { findEntry, isGroup } from "../../../lib/cli/words/find_entry.ts";
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

/** Whether each command gets all ids, or a part of them. */
const ALL = Deno.env.has("LONG_TESTS");

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

/** Every other command that takes an id, with ID and OTHER for ids. */
const OTHERS = [
  "offerings preview --as ID --platform ios",
  "packages create ID --id x --display-name x",
  "paywalls create --offering ID",
  "paywalls view ID",
  "paywalls delete ID -y",
  "publish offering ID -y",
  "subscribers info ID",
  "subscribers create ID",
  "subscribers delete ID -y",
  "subscribers transfer ID OTHER -y",
  "subscribers grant ID OTHER --duration 7d -y",
  "subscribers revoke ID OTHER -y",
  "subscribers assign-offering ID OTHER",
  "subscribers invoices ID",
  "subscribers attributes ID",
  "subscribers attributes ID --set a=b",
  "subscribers refund ID OTHER -y",
  "subscriptions view ID",
  "subscriptions transactions ID",
  "subscriptions entitlements ID",
  "subscriptions management-url ID",
  "subscriptions search ID",
  "subscriptions cancel ID -y",
  "subscriptions refund ID -y",
  "purchases view ID",
  "purchases entitlements ID",
  "purchases search ID",
  "purchases refund ID -y",
  "invoices view ID",
  "invoices file ID OTHER",
  "virtual-currencies view ID",
  "virtual-currencies update ID --name x",
  "virtual-currencies delete ID -y",
  "virtual-currencies archive ID",
  "virtual-currencies unarchive ID",
  "webhooks view ID",
  "webhooks update ID --name x",
  "webhooks delete ID -y",
  "webhooks deliveries ID",
  "webhooks attempts ID",
  "webhooks ping ID",
  "webhooks rotate-secret ID -y",
  "events view ID",
  "events resend ID",
  "events listeners secret ID",
  "events listeners rotate-secret ID -y",
  "events listeners delete ID -y",
  "simulate purchase ID OTHER --price 1",
  "simulate renew ID",
  "simulate fail ID",
  "simulate recover ID",
  "simulate cancel ID",
  "simulate uncancel ID",
  "simulate pause ID",
  "simulate resume ID",
  "simulate change-product ID OTHER",
  "simulate extend ID --by 7d",
  "simulate expire ID",
  "simulate raise-price ID 1",
  "simulate agree-to-price ID",
  "simulate family-share ID OTHER",
  "simulate refund ID",
  "simulate reverse-refund ID",
  "simulate pay-invoice ID",
  "simulate price ID 1",
  "simulate alias ID OTHER",
  "simulate give ID OTHER 1",
  "simulate spend ID OTHER 1",
  "simulate event ID",
  "simulate faults add-delivery ID drop",
  "scenario record ID x.yaml",
];

/** Commands whose arguments are no ids of the service. */
const WITHOUT = [
  ...["auth use", "auth logout", "alias set", "alias delete", "api", "completion", "verify"],
  ...["charts get", "charts options", "clock advance", "events trigger", "scenario run"],
  ...["scenario init", "service account add", "service account reset", "service account remove"],
  ...["service client add", "service client remove", "service backup", "service restore"],
  ...["service snapshot save", "service snapshot restore", "service snapshot delete"],
  ...["simulate test-store", "simulate refund-window", "simulate restore-behavior"],
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

/** The commands of a group that take arguments. */
function withArguments({ commands }: Group | Command & { commands?: undefined }): string[] {
  return Object.entries(commands ?? {}).flatMap(([name, entry]) =>
    isGroup(entry)
      ? withArguments(entry).map((command) => `${name} ${command}`)
      : Object.keys(entry.args).length > 0
      ? [name]
      : []
  );
}

Deno.test("no command that takes an id is left out here", async () => {
  const root = await loadFor([]);
  const named = (line: string) => findEntry(root, line.split(" ")).names.join(" ");
  const lines = [...COMMANDS.map(([words]) => words), ...OTHERS, ...WITHOUT];
  const here = new Set(lines.map(named));
  deepEqual(withArguments(root).filter((command) => !here.has(command)), []);
});

/** All texts in a JSON value. */
function textsIn(value: unknown): unknown[] {
  return typeof value === "object" && value !== null
    ? Object.values(value).flatMap(textsIn)
    : [value];
}

/** Whether an id is whole in a request: one segment, one value of the query, or one text of the body. */
function holds({ line, body }: { line: string; body: string }, id: string): boolean {
  const { pathname, searchParams } = new URL(`http://x${line.slice(line.indexOf(" ") + 1)}`);
  return pathname.split("/").includes(encodeURIComponent(id)) ||
    [...searchParams.values()].includes(id) ||
    (body !== "" && textsIn(JSON.parse(body)).includes(id));
}

Deno.test("every other command sends every id unchanged, and shows none as it is to a terminal", async () => {
  const got: { line: string; body: string }[] = [];
  let ids = "";
  await using desk = await openDesk({
    intercept: async (request, pass) => {
      const { pathname, search } = new URL(request.url);
      // A preview looks for its app and the app's key first.
      if (!/^\/(v1|v2|_sim)\//.test(pathname) || /\/(apps|public_api_keys)$/.test(pathname)) {
        return await pass(request);
      }
      got.push({ line: `${request.method} ${pathname}${search}`, body: await request.text() });
      return answer(404, { object: "error", type: "resource_missing", message: `No ${ids}` });
    },
  });
  desk.env.CLI_SERVICE_ADMIN_SECRET = desk.service.adminSecret;
  const faults: string[] = [];
  for (const [i, words] of OTHERS.entries()) {
    // The nightly run tries all ids on each command.
    for (const id of ALL ? HARD : HARD.filter((_, j) => j % 6 === i % 6)) {
      got.length = 0;
      ids = `${id} or ${id}!`;
      const put = (word: string) => word === "ID" ? id : word === "OTHER" ? `${id}!` : word;
      const { code, out, err } = await desk.run(...words.split(" ").map(put));
      // deno-lint-ignore no-control-regex
      if (/[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]/.test(out + err)) {
        faults.push(`cli ${words} shows ${JSON.stringify(out + err)}`);
      }
      if (!got.some((request) => holds(request, id))) {
        faults.push(
          `${words} with ${JSON.stringify(id.slice(0, 30))}: ${code} ${err} ${JSON.stringify(got)}`
            .slice(0, 400),
        );
      }
    }
  }
  deepEqual(faults, []);
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
