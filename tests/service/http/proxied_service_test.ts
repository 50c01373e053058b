import { deepEqual, doesNotMatch, equal, match } from "node:assert/strict";
import type { ServeOptions, Server } from "../../../lib/service/serve.ts";
import { authorizePath } from "../../support/oauth_fixture.ts";
import { CHEAP } from "../../support/password_fixture.ts";
import { startServer } from "../../support/server.ts";

const FORWARDED = "X-Forwarded-Proto: https\r\nX-Forwarded-For: 203.0.113.7\r\n";

/** Serves to proxies of some addresses. */
async function withProxies(
  proxies: string[],
  test: (server: Server, lines: string[]) => Promise<void>,
  changes: Partial<ServeOptions> = {},
): Promise<void> {
  const lines: string[] = [];
  await using server = await startServer({
    names: ["subs.example.com"],
    signIn: CHEAP,
    proxies,
    log: (line) => lines.push(line),
    ...changes,
  });
  await test(server, lines);
}

/** Sends a request as a proxy does, which keeps the host, and returns the whole response. */
async function get(
  { baseUrl }: Server,
  path: string,
  headers = "",
  host = "subs.example.com",
): Promise<string> {
  const conn = await Deno.connect({ hostname: "127.0.0.1", port: Number(new URL(baseUrl).port) });
  const head = `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n`;
  await conn.write(new TextEncoder().encode(`${head}${headers}\r\n`));
  return await new Response(conn.readable).text();
}

/** The issuer that the service says it is. */
async function issuerOf(server: Server, headers: string): Promise<string> {
  const text = await get(server, "/.well-known/oauth-authorization-server", headers);
  return /"issuer":"([^"]*)"/.exec(text)?.[1] ?? text;
}

Deno.test("behind a trusted proxy with TLS, cookies, issuer and log are those of its people", async () => {
  await withProxies(["127.0.0.1"], async (server, lines) => {
    const page = await get(server, authorizePath(), FORWARDED);
    match(page, /^HTTP\/1\.1 200 OK/);
    match(page, /set-cookie: __Host-consent_\w+=[\w-]+; Path=\/; Secure; /i);
    equal(await issuerOf(server, FORWARDED), "https://subs.example.com");
    deepEqual(lines.map((line) => JSON.parse(line).client), ["203.0.113.7", "203.0.113.7"]);
  });
});

Deno.test("a proxy that is not trusted cannot say that TLS was used, or who asks", async () => {
  await withProxies(["10.0.0.1"], async (server, lines) => {
    const page = await get(server, authorizePath(), FORWARDED);
    match(page, /set-cookie: consent_\w+=[\w-]+; Path=\/oauth2\/authorize; /i);
    equal(await issuerOf(server, FORWARDED), "http://subs.example.com");
    deepEqual(lines.map((line) => JSON.parse(line).client), ["127.0.0.1", "127.0.0.1"]);
  });
});

Deno.test("the log has no link that sets a password", async () => {
  await withProxies(["127.0.0.1"], async (server, lines) => {
    match(await get(server, "/oauth2/password?link=plk_secret", FORWARDED), /^HTTP\/1\.1 403/);
    equal(lines.length, 1);
    equal(JSON.parse(lines[0] ?? "").path, "/oauth2/password");
    equal(lines[0]?.includes("plk_"), false);
  });
});

Deno.test("an invalid Host header is refused with its reason, and in the log", async () => {
  await withProxies(["127.0.0.1"], async (server, lines) => {
    for (const host of ["a b", "[::1", "a:99999"]) {
      for (const headers of ["", FORWARDED]) {
        const text = await get(server, "/v2/projects?secret=x", headers, host);
        match(text, /^HTTP\/1\.1 400 /, host);
        match(text, /The Host header must be a host name or address/);
        const { status, path } = JSON.parse(lines.pop() ?? "{}");
        deepEqual([status, path], [400, "/v2/projects"]);
      }
    }
  });
});

Deno.test("pages of the public address use the service, also when the proxy leaves out its port", async () => {
  const publicUrl = "https://subs.example.com:8443";
  // Its name is one of the service's without --name.
  await withProxies(["127.0.0.1"], async (server) => {
    const from = (origin: string) => get(server, "/health", `${FORWARDED}Origin: ${origin}\r\n`);
    match(await from(publicUrl), /^HTTP\/1\.1 200 OK/);
    match(await from("https://subs.example.com"), /^HTTP\/1\.1 200 OK/);
    const foreign = await from("https://subs.example.com:9443");
    match(foreign, /^HTTP\/1\.1 403/);
    match(foreign, /start it with --public-url https:\/\/subs\.example\.com:9443"/);
    doesNotMatch(await from("null"), /--public-url/);
  }, { publicUrl, names: [] });
});
