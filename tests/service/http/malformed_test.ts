import { deepEqual, equal, match, ok } from "node:assert/strict";
import { routes } from "../../../lib/service/routes/mod.ts";
import { fullPath } from "../../../lib/service/contract/route.ts";
import { MOST_FIELDS, MOST_VALUES } from "../../../lib/service/http/body.ts";
import { answerOf, apiOf, checkRefusal, signIn } from "../../support/api.ts";
import { BASE_URL, openDesk } from "../../support/harness.ts";

/** Bodies that no operation accepts. */
const BROKEN: (string | Uint8Array<ArrayBuffer>)[] = [
  "{",
  "}",
  "{]",
  "[",
  '"',
  "nul",
  "undefined",
  "NaN",
  "0x10",
  "1",
  '"text"',
  "true",
  "null",
  "[]",
  "[{}]",
  "{}{}",
  "{},",
  "{}\n{}",
  "{'a':1}",
  "{a:1}",
  '{"a":1,}',
  '{"a"}',
  '{"a":}',
  '{"a":01}',
  '{"a":1e}',
  '{"a":"\n"}',
  '{"a":"\\x41"}',
  '{"a":"\\ud83d"}',
  '{"a":"\\u0000"}',
  '{"\\u0000":1}',
  '{"a":1e999}',
  '{"a":-1e999}',
  `{"a":${"9".repeat(400)}}`,
  '{"a":9007199254740993}',
  '{"__proto__":{"polluted":true}}',
  `{"a":${"[".repeat(200)}${"]".repeat(200)}}`,
  "[".repeat(1_000_000),
  '{"a":'.repeat(100_000),
  "/* comment */ {}",
  "<xml/>",
  "a=1&b=2",
  "\u0000",
  new Uint8Array([0xff, 0xfe, 0x7b, 0x00, 0x7d, 0x00]),
  new Uint8Array([0x7b, 0xc3, 0x28, 0x7d]),
  new Uint8Array([0x1f, 0x8b, 0x08, 0x00]),
  new Uint8Array(4 * 1024 * 1024 + 1).fill(0x20),
];

/** Bodies that are objects with absurd content. */
const ODD = [
  '{"constructor":{"prototype":{"polluted":true}}}',
  '{"toString":1,"hasOwnProperty":2}',
  '{"":1}',
  `{"${"k".repeat(100_000)}":1}`,
  `{"a":[${"0,".repeat(500_000)}0]}`,
  `{${Array.from({ length: 50_000 }, (_, i) => `"k${i}":${i}`).join()}}`,
];

Deno.test("a broken or odd body is refused by every operation, and quickly", async () => {
  await using desk = await openDesk();
  const { Authorization } = await signIn(desk, {});
  const headers = { Authorization, "Content-Type": "application/json" };
  const writes = routes.filter(({ method }) => method !== "GET");
  for (const body of [...BROKEN, ...ODD]) {
    const started = performance.now();
    // A large body is refused in the same way by every operation.
    const tried = body.length > 50_000 ? writes.slice(0, 3) : writes;
    for (const route of tried) {
      const place = fullPath(route).replace("{project_id}", desk.projectId)
        .replace("{id}", "default").replace(/\{\w+\}/g, "x");
      const request = new Request(BASE_URL + place, { method: route.method, headers, body });
      const answer = await answerOf(await desk.service.fetch(request));
      const what = `${route.name} ${String(body).slice(0, 40)}: ${answer.status}`;
      // Free JSON may have any field.
      const taken = route.name === "setOfferingPaywall" && ODD.includes(String(body));
      ok([400, 404, 413, ...taken ? [200] : []].includes(answer.status), what);
    }
    const each = (performance.now() - started) / tried.length;
    ok(each < 2000, `${String(body).slice(0, 40)} takes ${each} ms`);
  }
  equal("polluted" in {}, false);
});

Deno.test("a body with too many values is refused before parsing", async () => {
  await using desk = await openDesk();
  const send = (body: string) =>
    desk.send("POST", "/v2/projects", body).then((answer) => answer.json());
  const fields = (count: number) =>
    `{${Array.from({ length: count }, (_, i) => `"k${i}":1`).join()}}`;
  const lists = `{"a":[${"[],".repeat(MOST_VALUES)}[]]}`;
  match((await send(lists)).message, /^The body has more than 20000 values$/);
  const tooMany = /^The body has an object with more than 1000 fields$/;
  match((await send(fields(MOST_FIELDS + 1))).message, tooMany);
  match((await send(`{"a":[1,${fields(MOST_FIELDS + 1)}]}`)).message, tooMany);
  match((await send(fields(MOST_FIELDS))).message, /^'name' is a required property/);
  const several = `{"a":[${Array(5).fill(fields(MOST_FIELDS))}]}`;
  match((await send(several)).message, /^'name' is/, "each object has fields of its own");
  const commas = JSON.stringify({ name: '",:{[\\'.repeat(MOST_VALUES) });
  match((await send(commas)).message, /^'name' /, "text is no value of its own");
});

Deno.test("an interrupted body is refused, and is no internal error", async () => {
  const faults: unknown[] = [];
  await using desk = await openDesk({ report: (error) => faults.push(error) });
  const { Authorization } = await signIn(desk, {});
  for (const told of [{}, { "Content-Length": "20" }, { "Content-Length": "200000" }]) {
    const body = new ReadableStream({
      start(controller) {
        controller.enqueue(new TextEncoder().encode('{"name":'));
        controller.error(new Error("the connection is gone"));
      },
    });
    const headers = { Authorization, "Content-Type": "application/json", ...told };
    const request = new Request(`${BASE_URL}/v2/projects`, { method: "POST", headers, body });
    const answer = await answerOf(await desk.service.fetch(request));
    checkRefusal(
      answer,
      { status: 400, type: "invalid_request", message: /is incomplete/ },
      "body",
    );
  }
  deepEqual(faults, []);
});

Deno.test("a compressed body is refused by the name of its encoding", async () => {
  await using desk = await openDesk();
  const path = `/v2/projects/${desk.projectId}/offerings/default`;
  const body = { display_name: "A" };
  const packed = await desk.send("POST", path, body, { "Content-Encoding": "gzip" });
  equal(packed.status, 400);
  match((await packed.json()).message, /it has Content-Encoding: gzip$/);
  const plain = await desk.send("POST", path, body, { "Content-Encoding": "identity" });
  equal(plain.status, 200);
});

Deno.test("a read-only field is distinguished from an unknown one", async () => {
  await using desk = await openDesk();
  const [app, product, pack] = await Promise.all(
    ["apps", "products", "offerings/default/packages"].map(async (list) => {
      const answer = await desk.send("GET", `/v2/projects/${desk.projectId}/${list}`);
      return (await answer.json()).items[0].id;
    }),
  );
  for (
    const [path, field] of [
      [`apps/${app}`, "type"],
      [`products/${product}`, "store_identifier"],
      [`packages/${pack}`, "lookup_key"],
      ["offerings/default", "lookup_key"],
      ["entitlements/pro", "lookup_key"],
    ] as const
  ) {
    for (const [name, why] of [[field, "cannot be changed"], ["x", "is not a known field"]]) {
      const body = { [name ?? ""]: "x" };
      const answer = await desk.send("POST", `/v2/projects/${desk.projectId}/${path}`, body);
      const { message, param } = await answer.json();
      deepEqual([answer.status, param, message], [400, name, `'${name}' ${why}`]);
    }
  }
});

Deno.test("of two fields with one name, the last counts", async () => {
  await using desk = await openDesk();
  const api = apiOf(desk);
  const answer = await api.post("/offerings/default", '{"display_name":"a","display_name":"b"}');
  equal(answer.display_name, "b");
});
