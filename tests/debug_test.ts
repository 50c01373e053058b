import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { fc } from "./support/properties.ts";
import { createClient, type Exchange } from "../lib/client.ts";
import { formatExchange, redactToken } from "../lib/debug.ts";

const URL_BASE = "http://127.0.0.1:4010/v2/projects/proj1/apps";

/** An exchange as the client reports it, with some parts of one's own. */
function exchange(parts: Partial<Exchange> = {}): Exchange {
  return {
    attempt: 1,
    request: new Request(URL_BASE, { headers: { Accept: "application/json" } }),
    requestBody: undefined,
    response: new Response(null, { status: 200, headers: { "X-Request-Id": "req_7" } }),
    responseBody: '{"object":"list"}',
    error: undefined,
    durationMs: 12.4,
    ...parts,
  };
}

/** A POST to the given address with the given headers. */
function post(url: string, headers: Record<string, string> = {}): Request {
  return new Request(url, { method: "POST", headers });
}

Deno.test("an exchange shows method, address, status, time, request id, headers and bodies", () => {
  const text = formatExchange(exchange({
    attempt: 3,
    request: post(`${URL_BASE}?limit=5&starting_after=app1`, { "Idempotency-Key": "k-1" }),
    requestBody: '{"name": "Pro",  "n": 9007199254740993}',
    response: new Response(null, { status: 503, headers: { "X-Request-Id": "req_7" } }),
    responseBody: '{"type":"server_error"}',
  }));
  deepStrictEqual(text.split("\n"), [
    `> POST ${URL_BASE}?limit=5&starting_after=app1 (retry 2)`,
    "> idempotency-key: k-1",
    '> {"name": "Pro",  "n": 9007199254740993}',
    "< 503 in 12 ms, request req_7",
    "< x-request-id: req_7",
    '< {"type":"server_error"}',
  ]);
});

Deno.test("an exchange without an answer shows the reason, without the credentials in the address", () => {
  const error = new TypeError("error sending request for url (http://h/cb?code=abc&x=1)");
  const text = formatExchange(exchange({ response: undefined, responseBody: "", error }));
  match(text, /< no answer in 12 ms: TypeError: .*http:\/\/h\/cb\?code=\[hidden\]&x=1\)$/);
});

Deno.test("the log of a real client holds no credential", async () => {
  const log: string[] = [];
  const client = createClient({
    baseUrl: "http://127.0.0.1:1",
    credential: "atk_real_credential",
    fetch: async () => Response.json({ access_token: "s3", items: [] }),
    onExchange: (it) => log.push(formatExchange(it)),
  });
  await client.follow("/v2/projects?client_secret=s1");
  strictEqual(log.length, 1);
  ok(!/real_credential|s1|s3/.test(log.join()), log.join());
  match(log.join(), /authorization: \[hidden\]/);
});

const HEADERS = [
  "Authorization",
  "Proxy-Authorization",
  "Cookie",
  "Set-Cookie",
  "X-Api-Key",
  "X-Auth-Token",
];

const NAMES = [
  "access_token",
  "refresh_token",
  "id_token",
  "code",
  "code_verifier",
  "token",
  "key",
  "api_key",
  "client_secret",
  "shared_secret",
  "subscription_private_key",
  "app_store_connect_api_key",
  "roku_api_key",
  "paddle_api_key",
  "authorization_header",
  "signing_secret",
  "admin_secret",
  "password",
  "accessToken",
  "clientSecret",
  "apiKey",
  "Authorization",
  // Whoever has a signed address may read its file.
  "signature",
  "sig",
  "X-Amz-Signature",
];

/** Every place that a secret may stand in, under the given name. */
const PLACES: Record<string, (name: string, secret: string) => Partial<Exchange>> = {
  "a query": (name, secret) => ({
    request: post(`${URL_BASE}?a=1&${name}=${encodeURIComponent(secret)}&b=2`),
  }),
  "a query with an encoded name": (name, secret) => ({
    request: post(`${URL_BASE}?%${hex(name)}${name.slice(1)}=${encodeURIComponent(secret)}`),
  }),
  "a fragment": (name, secret) => ({
    request: post(`${URL_BASE}?a=1#${name}=${encodeURIComponent(secret)}`),
  }),
  "an address that a header holds": (name, secret) => ({
    response: new Response(null, {
      headers: { Location: `/cb?x=1&${name}=${encodeURIComponent(secret)}` },
    }),
  }),
  "a form": (name, secret) => ({
    requestBody: `grant=x&${new URLSearchParams({ [name]: secret })}&z=1`,
  }),
  "a form of one field": (name, secret) => ({
    requestBody: `${new URLSearchParams({ [name]: secret })}`,
  }),
  "JSON": (name, secret) => ({ requestBody: JSON.stringify({ a: 1, [name]: secret, b: "x" }) }),
  "JSON with space and escapes": (name, secret) => ({
    requestBody: `{ "a" : 1,\n "\\u00${hex(name)}${name.slice(1)}" : ${JSON.stringify(secret)} }`,
  }),
  "deep JSON": (name, secret) => ({
    responseBody: JSON.stringify({ items: [[{ app: { nested: [{ [name]: secret }] } }], 2] }),
  }),
  "an array under the name": (name, secret) => ({
    responseBody: JSON.stringify({ [name]: ["x", [secret], { y: secret }], after: true }),
  }),
  "a repeated name": (name, secret) => ({
    responseBody: `{"${name}":${JSON.stringify(secret)},"${name}":${JSON.stringify(secret)}}`,
  }),
  "JSON in a string of JSON": (name, secret) => ({
    responseBody: JSON.stringify({ payload: JSON.stringify({ a: { [name]: secret } }) }),
  }),
  "an address in JSON": (name, secret) => ({
    responseBody: JSON.stringify({ next: `http://h/x?a=1&${name}=${encodeURIComponent(secret)}` }),
  }),
  "JSON that was cut off": (name, secret) => ({
    responseBody: JSON.stringify({ a: [{ [name]: secret }] }).slice(0, -4),
  }),
  "JSON after other text": (name, secret) => ({
    responseBody: `Error: ${JSON.stringify({ [name]: secret })}`,
  }),
  "text in single quotes": (name, secret) => ({
    responseBody: `{'a': 1, '${name}': '${secret.replace(/['\\\s]/g, "_")} s'}`,
  }),
  "text": (name, secret) => ({
    responseBody: `<p>failed: ${name}=${encodeURIComponent(secret)} (again)</p>`,
  }),
};

/** The first character of a name as two hexadecimal digits. */
function hex(name: string): string {
  return name.charCodeAt(0).toString(16);
}

for (const [place, plant] of Object.entries(PLACES)) {
  Deno.test(`no part of a secret shows in ${place}, however short it is`, () => {
    fc.assert(fc.property(
      fc.constantFrom(...NAMES),
      fc.string({ minLength: 1, unit: "binary" }),
      fc.string({ minLength: 1, maxLength: 80, unit: "grapheme" }),
      (name, one, other) => {
        fc.pre(one.isWellFormed() && other.isWellFormed());
        // Even one letter of a secret, or its length, would make these differ.
        const shown = formatExchange(exchange(plant(name, one)));
        strictEqual(shown, formatExchange(exchange(plant(name, other))));
        ok(shown.includes("[hidden]"), shown);
      },
    ));
  });
}

Deno.test("no part of a secret shows in a header, however short it is", () => {
  const visibleAscii = fc.string({ minLength: 1 }).filter((text) => /^[!-~]+$/.test(text));
  fc.assert(
    fc.property(fc.constantFrom(...HEADERS), visibleAscii, visibleAscii, (name, one, other) => {
      const shown = (value: string) => {
        const headers = { [name]: value };
        return formatExchange(exchange({
          request: post(URL_BASE, headers),
          response: new Response(null, { headers }),
        }));
      };
      strictEqual(shown(one), shown(other));
    }),
  );
});

Deno.test("tokens with a known prefix are hidden everywhere", () => {
  const rest = fc.stringMatching(/^[A-Za-z0-9_-]{1,40}$/);
  const prefix = fc.constantFrom("atk_", "rtk_", "sk_", "whsec_", "adm_", "plk_");
  const places: ((token: string) => Partial<Exchange>)[] = [
    (token) => ({ responseBody: `no such token: ${token}` }),
    (token) => ({ responseBody: `<b>${token}</b>` }),
    (token) => ({ responseBody: `x=1&note=${encodeURIComponent(` ${token}`)}` }),
    (token) => ({ responseBody: JSON.stringify({ message: `bad (${token}) here` }) }),
    // The value is what it would be, too, if the rest of the token spelled "password".
    (token) => ({ responseBody: JSON.stringify({ [token]: "[hidden]", list: [`\n${token}`] }) }),
    (token) => ({ request: post(`${URL_BASE}/${token}`) }),
    (token) => ({ request: post(URL_BASE, { "X-Note": `=${token}` }) }),
    (token) => ({ response: undefined, error: new Error(`refused ${token}`) }),
  ];
  fc.assert(fc.property(fc.constantFrom(...places), prefix, rest, rest, (place, start, a, b) => {
    const shown = formatExchange(exchange(place(start + a)));
    strictEqual(shown, formatExchange(exchange(place(start + b))));
  }));
});

Deno.test("user names and passwords in addresses are hidden", () => {
  const headers = { Location: "https://me:pa@ss@h/x" };
  const text = formatExchange(exchange({
    response: new Response(null, { headers }),
    responseBody: JSON.stringify({ proxy: "http://u:p@proxy:1" }),
  }));
  match(text, /location: https:\/\/\[hidden\]@h\/x/);
  match(text, /"http:\/\/\[hidden\]@proxy:1"/);
});

Deno.test("private keys are hidden, whatever their field's name", () => {
  const pem = "-----BEGIN PRIVATE KEY-----\nMIGT\nabc\n-----END PRIVATE KEY-----";
  for (
    const responseBody of [`key file:\n${pem}`, JSON.stringify({ file: pem }), pem.slice(0, 40)]
  ) {
    const text = formatExchange(exchange({ responseBody }));
    ok(!/MIGT|abc/.test(text), text);
  }
  // A form writes its spaces as plus signs.
  const requestBody = `${new URLSearchParams({ file: pem, b: "x" })}`;
  const form = formatExchange(exchange({ requestBody }));
  match(form, /> file=\[hidden\]&b=x$/m);
});

Deno.test("after a hidden array or object, the rest of the body shows", () => {
  for (const secret of [["x", [1, { y: "z" }]], { a: [{ b: {} }], c: 2 }, "x", 7]) {
    const responseBody = JSON.stringify({ a: 1, token: secret, after: [true] });
    const text = formatExchange(exchange({ responseBody }));
    match(text, /< \{"a":1,"token":"\[hidden\]","after":\[true\]\}$/);
  }
});

Deno.test("a credential in an echoed header line is hidden", () => {
  const responseBody = "You sent:\nHost: h\nAuthorization: Bearer x y\nX-Api-Key:z1\n";
  const text = formatExchange(exchange({ responseBody }));
  match(text, /< Host: h\n< Authorization: \[hidden\]\n< X-Api-Key:\[hidden\]\n/);
});

Deno.test("the caller's credential is hidden where the answer repeats it", () => {
  const text = formatExchange(exchange({
    request: post(URL_BASE, { Authorization: "Bearer plain-credential" }),
    responseBody: `{"message":"not valid: plain-credential","pad":"${"x".repeat(5000)}"}`,
  }));
  ok(!text.includes("plain-cred"), text);
});

Deno.test("ids, lookup keys, nulls, error codes and currency codes are no secrets and stay visible", () => {
  const body =
    '{"lookup_key":"pro","lookup_keys":["a"],"task_id":"task_1","risk_level":1,"shared_secret":null,' +
    '"subscription_key_id":"K1","client_secret":"",' +
    '"code":7225,"big":12345678901234567890,"token_type":"Bearer"}';
  ok(formatExchange(exchange({ responseBody: body })).includes(body));
  const currency = formatExchange(exchange({
    request: post("http://h/v2/projects/p/virtual_currencies", { "Idempotency-Key": "i1" }),
    requestBody: '{"code":"GLD","name":"Gold"}',
  }));
  ok(currency.includes('{"code":"GLD","name":"Gold"}'), currency);
  ok(currency.includes("idempotency-key: i1"), currency);
});

Deno.test("a body is cut at 4 kB, after its secrets are hidden", () => {
  const secret = "q".repeat(9000);
  const hidden = formatExchange(exchange({ responseBody: JSON.stringify({ token: secret }) }));
  ok(!hidden.includes("qq"), hidden);
  const text = formatExchange(exchange({ responseBody: `${"a".repeat(4095)}😀${"b".repeat(10)}` }));
  match(text, /a{4095}\n< … and 12 more characters$/);
  ok(text.isWellFormed());
});

Deno.test("no body can control the terminal or imitate a line of the log", () => {
  const responseBody = "\u001b[2J\u009b1m\u007f\r\n> GET /forged\rback\u202e\u2028\ud800\tx";
  const text = formatExchange(exchange({ responseBody }));
  const body = text.split("\n").slice(-2);
  deepStrictEqual(body, [
    "< \\u001b[2J\\u009b1m\\u007f",
    "< > GET /forged\\u000dback\\u202e\\u2028\\ud800\tx",
  ]);
});

Deno.test("no body breaks the log, however nested or malformed", () => {
  const bodies = [
    "[".repeat(200_000),
    "a=".repeat(200_000),
    '"\\'.repeat(100_000),
    '{"a":'.repeat(9),
  ];
  for (const responseBody of bodies) ok(formatExchange(exchange({ responseBody })).length < 5000);
  fc.assert(fc.property(fc.string({ unit: "binary" }), (responseBody) => {
    formatExchange(exchange({ responseBody }));
  }));
});

Deno.test("a long token shows its first and last characters, a short one none", () => {
  strictEqual(redactToken("atk_0123456789abcdef"), "atk_…cdef");
  strictEqual(redactToken("0123456789abcdef"), "0123…cdef");
  strictEqual(redactToken("0123456789abcde"), "[hidden]");
  strictEqual(redactToken(""), "[hidden]");
  strictEqual(redactToken("\u001b[1m0123456789abcdef"), "\\u001b[1m…cdef");
});
