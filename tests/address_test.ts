import { doesNotMatch, match, ok, rejects, strictEqual } from "node:assert/strict";
import { checkedBaseUrl, isLoopback, serviceAddress } from "../lib/address.ts";
import { createClient } from "../lib/client.ts";
import { UsageError } from "../lib/errors.ts";
import { path } from "../lib/path.ts";
import { openHome } from "./support/home_fixture.ts";

Deno.test("the version and a trailing slash do not change an address", () => {
  for (const end of ["", "/", "/v2", "/v2/"]) {
    strictEqual(serviceAddress(`https://api.example.com${end}`), "https://api.example.com");
    strictEqual(checkedBaseUrl(`https://api.example.com/x${end}`), "https://api.example.com/x");
  }
  strictEqual(serviceAddress("https://api.example.com/v1"), "https://api.example.com/v1");
  strictEqual(serviceAddress("https://api.example.com/xv2"), "https://api.example.com/xv2");
});

Deno.test("loopback addresses count as this machine, others do not", () => {
  for (
    const host of ["127.0.0.1", "127.9.9.9", "localhost", "x.localhost", "[::1]", "2130706433"]
  ) {
    ok(isLoopback(`http://${host}:4010/x`), host);
  }
  for (const host of ["127.0.0.1.example.com", "localhost.example.com", "10.0.0.1", "[::2]"]) {
    ok(!isLoopback(`http://${host}:4010/x`), host);
  }
});

Deno.test("no token goes over plain HTTP to another machine without permission", async () => {
  const sent: string[] = [];
  const client = (baseUrl: string, allowInsecureHost: boolean) =>
    createClient({
      baseUrl,
      credential: "atk_1",
      projectId: "proj1",
      allowInsecureHost,
      fetch: (request) => {
        sent.push(request.url);
        return Promise.resolve(Response.json({}));
      },
    });
  await rejects(client("http://api.example.com", false).get(path`/apps`), UsageError);
  strictEqual(sent.length, 0);
  await client("https://api.example.com", false).get(path`/apps`);
  await client("http://127.0.0.1:1", false).get(path`/apps`);
  await client("http://api.example.com", true).get(path`/apps`);
  strictEqual(sent.length, 3);
});

Deno.test("commands send no token over plain HTTP unless --allow-insecure-host is set", async () => {
  await using at = await openHome();
  const { refresh_token } = await at.service.oauth.issueToken();
  Object.assign(at.env, {
    CLI_REFRESH_TOKEN: refresh_token,
    CLI_PROJECT_ID: at.service.projectId ?? "",
    CLI_BASE_URL: "http://service.example:4010",
  });
  const refused = await at.run("apps list");
  strictEqual(refused.code, 2);
  match(
    refused.err,
    /^Cannot send a token to http:\/\/service\.example:4010: without HTTPS .*\nUse .*--allow-inse/,
  );
  const signIn = await at.run("auth login");
  match(signIn.err, /^Cannot send a token to/);
  ok(!at.sent.some((line) => line.includes("/oauth2/")));
  at.env.CLI_BASE_URL = "notaurl";
  strictEqual((await at.run("apps list")).code, 2);
  at.env.CLI_BASE_URL = "http://service.example:4010";
  const allowed = await at.run("apps list --allow-insecure-host");
  doesNotMatch(allowed.err, /Cannot send a token/);
  ok(at.sent.includes("POST /oauth2/token"));
  at.sent.length = 0;
  at.env.CLI_ALLOW_INSECURE_HOST = "1";
  await at.run("apps list");
  ok(at.sent.length > 0);
});

Deno.test("an error of the service at the token address shows the service's message", async () => {
  await using at = await openHome();
  at.env.CLI_REFRESH_TOKEN = (await at.service.oauth.issueToken()).refresh_token;
  at.env.CLI_PROJECT_ID = at.service.projectId ?? "";
  for (const [status, type] of [[503, "server_error"], [421, "invalid_host"]] as const) {
    const body = { object: "error", type, message: "The disk is full" };
    const ran = await at.run("apps list", {
      intercept: (request) =>
        Promise.resolve(
          request.url.endsWith("/oauth2/token") ? Response.json(body, { status }) : undefined,
        ),
    });
    strictEqual(ran.code, 1);
    match(ran.err, /^Cannot .*The disk is full/);
    doesNotMatch(ran.err, /does not come from the service|proxy/);
  }
});
