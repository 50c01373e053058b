import assert from "node:assert/strict";
import { addAccount, addClient } from "../../../lib/service/oauth/mod.ts";
import { describeScope } from "../../../lib/service/oauth/scope_words.ts";
import { SCOPES } from "../../../lib/service/contract/scopes.ts";
import {
  answerPage,
  authorizePath,
  codeForm,
  openPage,
  ORIGIN,
  OWNER,
  REDIRECT,
  type SignIn,
  startSignIn,
} from "../../support/oauth_fixture.ts";

Deno.test("the page names the client, what it may do, the account and where it leads", async () => {
  await using signIn = await startSignIn();
  const { html } = await openPage(signIn);
  for (const text of ["Command-line client", "Project setup", "Customers", "Charts and metrics"]) {
    assert.ok(html.includes(text), text);
  }
  for (const text of ["See, change and delete everything", "Olivia Owner", OWNER]) {
    assert.ok(html.includes(text), text);
  }
  assert.match(html, /<b>127\.0\.0\.1:53682<\/b>, a program on this computer/);
  assert.ok(!/<img|<link|style=|onclick|src=/i.test(html), "nothing but markup");
  assert.equal(html.match(/<script/gi)?.length, 1, "and the script that its policy names");
  // A browser without style sheets runs inline elements together, and lets a drawing fill the page.
  assert.doesNotMatch(html, /<\/(strong|span)><(span|small)/);
  assert.match(html, /<svg width="28" height="28"/);
});

Deno.test("the page is kept out of caches and frames, and runs nothing but its own script", async () => {
  await using signIn = await startSignIn();
  const { headers } = await signIn.send(authorizePath());
  assert.equal(headers.get("Cache-Control"), "no-store");
  assert.equal(headers.get("X-Frame-Options"), "DENY");
  assert.equal(headers.get("X-Content-Type-Options"), "nosniff");
  assert.equal(headers.get("Referrer-Policy"), "same-origin");
  assert.equal(headers.get("Access-Control-Allow-Origin"), null);
  const policy = headers.get("Content-Security-Policy") ?? "";
  const own = "'sha256-[\\w+/]{43}='";
  assert.match(policy, RegExp(`^default-src 'none'; style-src ${own}; script-src ${own}; `));
  assert.match(policy, /; form-action 'self' http:\/\/127\.0\.0\.1:53682; base-uri 'none'/);
  assert.match(policy, /; frame-ancestors 'none'$/);
  const cookie = headers.get("Set-Cookie") ?? "";
  assert.match(cookie, /^consent_[0-9a-f]{16}=[\w-]{43}; Path=\/oauth2\/authorize; Max-Age=600; /);
  assert.match(cookie, /; HttpOnly; SameSite=Strict$/);
});

Deno.test("over https the cookie is for https alone", async () => {
  await using signIn = await startSignIn({ issuer: "https://service.example" });
  const { headers } = await signIn.send(authorizePath());
  const cookie = headers.get("Set-Cookie") ?? "";
  assert.match(cookie, /^__Host-consent_\w+=[\w-]+; Path=\/; Secure; .*; SameSite=Strict$/);
});

Deno.test("Allow sends a code to the client, with its state and the issuer", async () => {
  await using signIn = await startSignIn();
  const page = await openPage(signIn);
  const response = await answerPage(signIn, page);
  assert.equal(response.status, 303);
  assert.equal(response.headers.get("Cache-Control"), "no-store");
  assert.match(response.headers.get("Set-Cookie") ?? "", /^consent_[0-9a-f]{16}=; .*Max-Age=0;/);
  const location = new URL(response.headers.get("Location") ?? "");
  assert.equal(location.origin + location.pathname, REDIRECT);
  const { code, ...rest } = Object.fromEntries(location.searchParams);
  assert.match(code ?? "", /^[\w-]{43}$/);
  assert.deepEqual(rest, { state: "a state & more", iss: ORIGIN });
  const { status, json } = await signIn.post("/oauth2/token", codeForm(code ?? ""));
  assert.equal(status, 200);
  assert.deepEqual(Object.keys(json), [
    "access_token",
    "token_type",
    "expires_in",
    "refresh_token",
    "scope",
  ]);
  assert.equal((await signIn.oauth.authenticate(String(json.access_token)))?.email, OWNER);
});

Deno.test("Deny sends the client away with access_denied, and nothing else", async () => {
  await using signIn = await startSignIn();
  const response = await answerPage(signIn, await openPage(signIn), { decision: "deny" });
  const { searchParams } = new URL(response.headers.get("Location") ?? "");
  assert.deepEqual(Object.fromEntries(searchParams), {
    error: "access_denied",
    error_description: "The request was denied",
    state: "a state & more",
    iss: ORIGIN,
  });
});

Deno.test("any state comes back as it was sent", async () => {
  await using signIn = await startSignIn();
  for (const state of [" ", "%41", "a+b&c=d#e", "é🎉", "x".repeat(2048)]) {
    const response = await answerPage(signIn, await openPage(signIn, authorizePath({ state })));
    assert.equal(new URL(response.headers.get("Location") ?? "").searchParams.get("state"), state);
  }
});

Deno.test("a request without state is answered without one", async () => {
  await using signIn = await startSignIn();
  const page = await openPage(signIn, authorizePath({ state: undefined }));
  const response = await answerPage(signIn, page);
  assert.equal(new URL(response.headers.get("Location") ?? "").searchParams.has("state"), false);
});

Deno.test("of several accounts, the one that is chosen signs in", async () => {
  await using signIn = await startSignIn();
  const second = await signIn.store.write((tx) =>
    addAccount(tx, { email: "Support@Example.com", now: 1_800_000_000_000 })
  );
  const page = await openPage(signIn);
  assert.equal(page.accounts.length, 2);
  assert.match(page.html, /Choose your account/);
  assert.equal(page.html.match(/ checked>/g)?.length, 1);
  const response = await answerPage(signIn, page, { account: second.id });
  const code = new URL(response.headers.get("Location") ?? "").searchParams.get("code") ?? "";
  const { json } = await signIn.post("/oauth2/token", codeForm(code));
  const actor = await signIn.oauth.authenticate(String(json.access_token));
  assert.equal(actor?.email, "support@example.com");
  assert.equal(actor?.name, null);
});

Deno.test("names cannot become markup, nor hide what they are", async () => {
  await using signIn = await startSignIn();
  const name = `<b onmouseover="x">'&\u202egnp.exe`;
  await registerClient(signIn, name, "http://127.0.0.1/callback");
  const { html } = await openPage(signIn, authorizePath({ client_id: "other" }));
  assert.ok(html.includes("&lt;b onmouseover=&quot;x&quot;&gt;&#39;&amp;\ufffdgnp.exe"));
});

Deno.test("the page may lead where the client is registered, whatever kind of address that is", async () => {
  const kinds = {
    "https://app.example/cb?x=1": ["https://app.example", "<b>app.example</b>"],
    "com.example.app:/cb": ["com.example.app:", "the app <b>com.example.app</b>"],
    // A policy cannot name an IPv6 address.
    "http://[::1]:8080/cb": ["http:", "<b>[::1]:8080</b>, a program on this computer"],
  };
  for (const [redirect_uri, [target, words]] of Object.entries(kinds)) {
    await using signIn = await startSignIn();
    await registerClient(signIn, "Other", redirect_uri);
    const path = authorizePath({ client_id: "other", redirect_uri });
    const policy = (await signIn.send(path)).headers.get("Content-Security-Policy") ?? "";
    assert.ok(policy.includes(`form-action 'self' ${target};`), policy);
    const page = await openPage(signIn, path);
    assert.ok(page.html.includes(words ?? ""), page.html);
    const location = (await answerPage(signIn, page)).headers.get("Location") ?? "";
    assert.ok(
      location.startsWith(redirect_uri + (redirect_uri.includes("?") ? "&" : "?")),
      location,
    );
  }
});

Deno.test("permissions are told in words, and every one of them has some", () => {
  assert.deepEqual(describeScope("*:*:read").map(({ everything }) => everything), [
    "see",
    "see",
    "see",
  ]);
  assert.deepEqual(
    describeScope(
      "project_configuration:apps:read_write project_configuration:apps:read *:charts:read",
    ),
    [
      { area: "Project setup", change: ["apps"], see: [], everything: undefined },
      { area: "Charts and metrics", change: [], see: ["charts"], everything: undefined },
    ],
  );
  assert.deepEqual(describeScope("*:offerings:read_write")[0]?.change, ["offerings and paywalls"]);
  for (const scope of SCOPES) {
    const [permission, ...others] = describeScope(scope);
    assert.equal(others.length, 0);
    assert.match([...permission?.change ?? [], ...permission?.see ?? []].join(), /^[a-z ]+$/);
  }
});

Deno.test("for tests without a browser, valid requests can be allowed unasked", async () => {
  await using signIn = await startSignIn({ autoApprove: OWNER });
  const response = await signIn.send(authorizePath());
  assert.equal(response.status, 303);
  const { searchParams } = new URL(response.headers.get("Location") ?? "");
  assert.equal(searchParams.get("state"), "a state & more");
  const { status } = await signIn.post("/oauth2/token", codeForm(searchParams.get("code") ?? ""));
  assert.equal(status, 200);
  assert.equal((await signIn.send(authorizePath({ client_id: "other" }))).status, 400);
  const bad = await signIn.send(authorizePath({ scope: "everything" }));
  assert.match(bad.headers.get("Location") ?? "", /error=invalid_scope/);
});

Deno.test("where nobody can sign in, the client is told why", async () => {
  await using signIn = await startSignIn({ autoApprove: "nobody@example.com" });
  const unknown = await signIn.send(authorizePath());
  assert.match(unknown.headers.get("Location") ?? "", /error=server_error&.*nobody%40example\.com/);
  await using empty = await startSignIn();
  await empty.store.write((tx) => tx.deleteFrom("accounts").execute());
  const none = await empty.send(authorizePath());
  assert.match(none.headers.get("Location") ?? "", /error=server_error&.*no\+account/);
});

function registerClient(signIn: SignIn, name: string, redirect_uri: string): Promise<void> {
  const client = { id: "other", name, redirect_uris: [redirect_uri] };
  return signIn.store.write((tx) => addClient(tx, client, 0));
}
