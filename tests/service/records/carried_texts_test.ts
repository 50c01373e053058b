import { deepEqual, equal, match, ok } from "node:assert/strict";
import { BASE_URL, type Desk, openDesk } from "../../support/harness.ts";
import { simulate } from "../../support/simulation.ts";

/** Sends a form or a GET to the address of a part without a bearer token. */
function ask(desk: Desk, path: string, form?: Record<string, string>): Promise<Response> {
  const method = form ? "POST" : "GET";
  const body = form ? { body: new URLSearchParams(form) } : {};
  return desk.service.fetch(new Request(BASE_URL + path, { method, ...body }));
}

/** Sends a request with a key of an app. */
async function sdkOf(desk: Desk) {
  const base = `/v2/projects/${desk.projectId}/apps`;
  const [app] = (await (await desk.send("GET", base)).json()).items;
  const [key] = (await (await desk.send("GET", `${base}/${app.id}/public_api_keys`)).json()).items;
  return (method: string, path: string, body?: unknown) =>
    desk.service.fetch(
      new Request(BASE_URL + path, {
        method,
        headers: { Authorization: `Bearer ${key.key}`, "Content-Type": "application/json" },
        ...body !== undefined && { body: JSON.stringify(body) },
      }),
    );
}

Deno.test("a NUL in a path, query, form or body is 400 in every part of the service", async () => {
  await using desk = await openDesk();
  const sim = simulate(desk);
  const sdk = await sdkOf(desk);
  const project = `/v2/projects/${desk.projectId}`;
  const authorize = "/oauth2/authorize?response_type=code&code_challenge_method=S256" +
    `&redirect_uri=http://127.0.0.1/callback&code_challenge=${"a".repeat(43)}`;
  const token = { grant_type: "refresh_token", refresh_token: "rtk_a", client_id: "svc-cli" };
  const answers: [what: string, response: Promise<Response>, words: RegExp][] = [
    ["path", desk.send("GET", `${project}/customers/a%00b`), /path contains a NUL/],
    ["query", desk.send("GET", `${project}/customers?search=a%00b`), /'search' contains a NUL/],
    ["body", desk.send("POST", "/v2/projects", { name: "a\0b" }), /or a NUL character/],
    [
      "a name",
      desk.send("POST", `${project}/offerings`, {
        lookup_key: "key",
        display_name: "a",
        metadata: { "a\0": 1 },
      }),
      /or a NUL character/,
    ],
    ["_sim path", sim.send("POST", "/subscriptions/a%00b/cancel", {}), /path contains a NUL/],
    ["_sim query", sim.send("GET", "/events?customer_id=a%00b"), /'customer_id' contains a NUL/],
    ["_sim body", sim.send("POST", "/purchases", { customer_id: "a\0b" }), /or a NUL character/],
    ["v1 path", sdk("GET", "/v1/subscribers/a%00b"), /"a\\\\u0000b\\" cannot be|cannot be an app/],
    ["v1 query", sdk("GET", "/v1/subscribers/a/offerings?x=%00"), /'x' contains a NUL/],
    [
      "v1 body",
      sdk("POST", "/v1/subscribers/a/attributes", {
        attributes: { x: { value: "a\0b", updated_at_ms: 5 } },
      }),
      /or a NUL character/,
    ],
    ["token", ask(desk, "/oauth2/token", { ...token, client_id: "a\0" }), /contains a NUL/],
    ["revoke", ask(desk, "/oauth2/revoke", { token: "\0" }), /contains a NUL/],
    ["client", ask(desk, `${authorize}&client_id=a%00b`), /contains a NUL/],
  ];
  for (const [what, response, words] of answers) {
    const { status } = await response;
    const text = await (await response).text();
    equal(status, 400, `${what}: ${text}`);
    match(text, words, what);
  }
});

/** Text of three or four bytes a character, which no index can make smaller. */
function dense(characters: number, from: number, range: number): string {
  let seed = 7;
  return Array.from({ length: characters }, () => {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
    return String.fromCodePoint(from + Math.floor(seed / 2 ** 32 * range));
  }).join("");
}

Deno.test("an id of a customer has up to 1,500 bytes, whatever its characters are", async () => {
  await using desk = await openDesk();
  const sim = simulate(desk);
  const sdk = await sdkOf(desk);
  const products = await (await desk.send("GET", `/v2/projects/${desk.projectId}/products`)).json();
  const [product] = products.items;
  const kinds = [["CJK", 0x4e00, 20_000, 3], ["emoji", 0x1f300, 700, 4], [
    "Latin",
    97,
    26,
    1,
  ]] as const;
  for (const [kind, from, range, bytes] of kinds) {
    const longest = dense(1500 / bytes, from, range);
    const path = `/v1/subscribers/${encodeURIComponent(longest)}`;
    equal((await sdk("GET", path)).status, 201, kind);
    const attributes = { "$email": { value: dense(160, from, range), updated_at_ms: 5 } };
    equal((await sdk("POST", `${path}/attributes`, { attributes })).status, 200, kind);
    const bought = await sim.send("POST", "/purchases", {
      customer_id: longest,
      product_id: product.id,
    });
    equal(bought.status, 201, `${kind}: ${await bought.text()}`);
    const found = await desk.send(
      "GET",
      `/v2/projects/${desk.projectId}/customers/${encodeURIComponent(longest)}`,
    );
    deepEqual([found.status, (await found.json()).id === longest], [200, true], kind);
    const deleted = await desk.send(
      "DELETE",
      `/v2/projects/${desk.projectId}/customers/${encodeURIComponent(longest)}`,
    );
    equal(deleted.status, 200, kind);
    for (const longer of [longest + "a", dense(1500, from, range) + "b"]) {
      const refused = await sdk("GET", `/v1/subscribers/${encodeURIComponent(longer)}`);
      equal(refused.status, 400, kind);
      match(await refused.text(), /must have at most 1500 bytes in UTF-8/);
      const body = { customer_id: longer, product_id: product.id };
      const sale = await sim.send("POST", "/purchases", body);
      equal(sale.status, 400);
      ok((await sale.text()).includes("1500"));
    }
  }
});
