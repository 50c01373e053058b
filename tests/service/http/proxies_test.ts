import { deepEqual, equal, throws } from "node:assert/strict";
import { throughProxies } from "../../../lib/service/http/proxies.ts";

/** What came through, for a request with some headers. */
async function pass(
  peer: string,
  headers: Record<string, string>,
  options: {
    proxies?: string[];
    host?: string;
    onlyTls?: boolean;
    path?: string;
    metricsSecret?: string;
  } = {},
): Promise<{
  status: number;
  refusal?: string | undefined;
  url?: string;
  sender?: string | undefined;
  body?: string;
}> {
  const { proxies = ["10.0.0.0/8"], host = "0.0.0.0", onlyTls = true, path = "/v2/projects" } =
    options;
  const { metricsSecret } = options;
  let seen: { url: string; sender?: string | undefined; body: string } | undefined;
  const answer = throughProxies({ proxies, host, onlyTls, metricsSecret })(
    async (request, sender) => {
      seen = { url: request.url, sender, body: await request.text() };
      return new Response();
    },
  );
  const request = new Request(`http://service.example${path}`, {
    method: "POST",
    body: "text",
    headers,
  });
  const response = await answer(request, peer);
  const { status } = response;
  return seen ? { status, ...seen } : { status, refusal: await response.text() };
}

const FORWARDED = { "X-Forwarded-Proto": "https", "X-Forwarded-For": "203.0.113.7" };

Deno.test("a trusted proxy says who asks, and that TLS was used", async () => {
  deepEqual(await pass("10.1.2.3", FORWARDED), {
    status: 200,
    url: "https://service.example/v2/projects",
    sender: "203.0.113.7",
    body: "text",
  });
  equal((await pass("::ffff:10.1.2.3", FORWARDED)).sender, "203.0.113.7");
  const proxies = ["2001:db8::/32"];
  equal((await pass("2001:db8::1", FORWARDED, { proxies })).sender, "203.0.113.7");
  equal((await pass("2001:db9::1", FORWARDED, { proxies })).status, 403);
});

Deno.test("the headers of anybody else are not believed", async () => {
  equal((await pass("192.168.1.5", FORWARDED)).status, 403);
  const open = await pass("192.168.1.5", FORWARDED, { onlyTls: false });
  deepEqual([open.url, open.sender], ["http://service.example/v2/projects", "192.168.1.5"]);
  equal((await pass("127.0.0.1", FORWARDED)).sender, "127.0.0.1");
  equal((await pass("11.0.0.1", FORWARDED, { proxies: ["10.0.0.0/8", "::1"] })).status, 403);
});

Deno.test("of a chain, the last address that is no trusted proxy counts", async () => {
  const from = async (chain: string) =>
    (await pass("10.1.2.3", { ...FORWARDED, "X-Forwarded-For": chain })).sender;
  equal(await from("1.1.1.1, 203.0.113.7, 10.9.9.9"), "203.0.113.7");
  equal(await from("made-up, 203.0.113.7:4711"), "203.0.113.7");
  equal(await from("1.1.1.1, [2001:db8::1]:4711"), "2001:db8::1");
  equal(await from("1.1.1.1, unknown"), "10.1.2.3", "what cannot be read is not skipped");
  equal(await from("10.2.2.2, 10.3.3.3"), "10.2.2.2");
  equal(await from(""), "10.1.2.3");
});

Deno.test("off loopback a request without TLS is refused, except from this machine and for health", async () => {
  const { status, refusal = "" } = await pass("10.1.2.3", {});
  const { type, message } = JSON.parse(refusal);
  deepEqual([status, type, message], [
    403,
    "authorization_error",
    "This service answers over TLS only; use its https address",
  ]);
  equal((await pass("10.1.2.3", { "X-Forwarded-Proto": "http" })).status, 403);
  // A proxy that adds to what its client has sent.
  equal((await pass("10.1.2.3", { "X-Forwarded-Proto": "https, http" })).status, 403);
  equal((await pass("203.0.113.7", {})).status, 403);
  equal((await pass("203.0.113.7", {}, { path: "/health" })).status, 200);
  equal((await pass("127.0.0.1", {})).status, 200);
  equal((await pass("::1", {})).status, 200);
  equal((await pass("192.168.1.5", {}, { host: "192.168.1.5" })).status, 200);
  // A proxy on this machine speaks for others.
  equal((await pass("127.0.0.1", {}, { proxies: ["127.0.0.1"] })).status, 403);
  equal((await pass("127.0.0.1", FORWARDED, { proxies: ["127.0.0.1"] })).status, 200);
});

Deno.test("off loopback the metrics need no TLS with their own secret, and nothing else does so", async () => {
  const metricsSecret = "met_0123456789abcdef";
  const own = { Authorization: `Bearer ${metricsSecret}` };
  const at = { path: "/metrics", metricsSecret };
  equal((await pass("203.0.113.7", own, at)).status, 200);
  equal((await pass("10.1.2.3", own, at)).status, 200);
  equal((await pass("203.0.113.7", {}, at)).status, 403);
  equal((await pass("203.0.113.7", { Authorization: "Bearer adm_x" }, at)).status, 403);
  equal((await pass("203.0.113.7", { Authorization: "Bearer " }, at)).status, 403);
  equal((await pass("203.0.113.7", own, { path: "/metrics" })).status, 403);
  const unset = { path: "/metrics", metricsSecret: "" };
  equal((await pass("203.0.113.7", { Authorization: "Bearer " }, unset)).status, 403);
  for (const path of ["/v2/projects", "/_sim/metrics", "/metrics/", "/openapi.json"]) {
    equal((await pass("203.0.113.7", own, { path, metricsSecret })).status, 403, path);
  }
});

Deno.test("on loopback a trusted proxy must say that TLS was used, this machine's programs need not", async () => {
  const local = { proxies: ["127.0.0.1"], host: "127.0.0.1", onlyTls: false };
  equal((await pass("127.0.0.1", FORWARDED, local)).status, 200);
  equal((await pass("127.0.0.1", { "X-Forwarded-For": "203.0.113.7" }, local)).status, 403);
  equal((await pass("127.0.0.1", { "X-Forwarded-Proto": "http" }, local)).status, 403);
  equal((await pass("127.0.0.1", {}, local)).status, 200);
});

Deno.test("a proxy that is neither an address nor a network is refused at the start", () => {
  for (
    const proxy of ["proxy.example", "10.0.0.0/33", "10.0.0.0/8/8", "10.0.0.0/x", "", "::1/129"]
  ) {
    throws(
      () => throughProxies({ proxies: [proxy], host: "0.0.0.0", onlyTls: true }),
      { name: "UsageError", message: /it is neither an IP address nor a network/ },
    );
  }
});

Deno.test("a network that clients are in, too, is refused, and one of proxies is not", () => {
  const trust = (proxy: string) =>
    throughProxies({ proxies: ["10.0.0.5", proxy], host: "0.0.0.0", onlyTls: true });
  const wide = ["0.0.0.0/0", "::/0", "0.0.0.0/1", "128.0.0.0/1", "10.0.0.0/7", "2000::/3", "::/8"];
  // IPv4 addresses that are written as IPv6.
  const mapped = ["::ffff:0:0/96", "::ffff:128.0.0.0/97", "::/80", "::1/64"];
  for (const proxy of [...wide, ...mapped]) {
    throws(() => trust(proxy), {
      name: "UsageError",
      message: `Cannot trust the proxy "${proxy}": clients are in this network, too, and each ` +
        "could claim another address and TLS",
      hint: /a network that only proxies are in/,
    });
  }
  for (const proxy of ["0.0.0.0", "::", "::/128", "0.0.0.0/32"]) {
    throws(() => trust(proxy), { name: "UsageError", message: /no request comes from this/ });
  }
  const narrow = ["10.0.0.0/8", "fc00::/7", "::1", "2001:db8::/32", "::ffff:10.0.0.0/104"];
  for (const proxy of [...narrow, "127.0.0.1/8", "::ffff:10.0.0.5"]) trust(proxy);
});
