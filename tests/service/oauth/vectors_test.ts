import assert from "node:assert/strict";
import { isRegistrable, matchesRedirect } from "../../../lib/service/oauth/redirect.ts";
import {
  answerPage,
  authorizePath,
  CHALLENGE,
  type OpenPage,
  openPage,
  ORIGIN,
  REDIRECT,
  startSignIn,
} from "../../support/oauth_fixture.ts";

/** Redirect URIs that look like the registered `http://127.0.0.1/callback` and are not. */
const FOREIGN_REDIRECTS = [
  "http://127.0.0.1:53682/callback/",
  "http://127.0.0.1:53682/callback/more",
  "http://127.0.0.1:53682/callback?x=1",
  "http://127.0.0.1:53682/callback#fragment",
  "http://127.0.0.1:53682/callback%2f",
  "http://127.0.0.1:53682/%63allback",
  "http://127.0.0.1:53682/Callback",
  "http://127.0.0.1:53682/../callback",
  "http://127.0.0.1:53682//callback",
  "http://127.0.0.1:53682/",
  "http://127.0.0.1:53682",
  "http://127.0.0.1",
  "http://127.0.0.1:/callback",
  "http://127.0.0.1:0/callback",
  "http://127.0.0.1:0080/callback",
  "http://127.0.0.1:65536/callback",
  "http://127.0.0.1:99999/callback",
  "http://127.0.0.1:+80/callback",
  "http://127.0.0.1:80a/callback",
  "http://127.0.0.1:80:80/callback",
  "http://127.0.0.1:53682\\callback",
  "http:\\\\127.0.0.1:53682\\callback",
  "http://127.0.0.1.evil.example/callback",
  "http://127.0.0.1.:53682/callback",
  "http://127.0.0.1@evil.example/callback",
  "http://127.0.0.1:53682@evil.example/callback",
  "http://evil.example@127.0.0.1:53682/callback",
  "http://user:pass@127.0.0.1:53682/callback",
  "http://127.0.0.1:53682\\@evil.example/callback",
  "http://evil.example/callback",
  "http://evil.example/http://127.0.0.1/callback",
  "http://localhost:53682/callback",
  "http://127.0.0.2:53682/callback",
  "http://127.1:53682/callback",
  "http://2130706433:53682/callback",
  "http://0x7f.0.0.1:53682/callback",
  "http://0177.0.0.1:53682/callback",
  "http://0.0.0.0:53682/callback",
  "http://127.0.0.1%2eevil.example/callback",
  "http://１２７.0.0.1:53682/callback",
  "http://[::1]:53682/callback/x",
  "http://[::1%25lo]:53682/callback",
  "http://[0:0:0:0:0:0:0:1]:53682/callback",
  "http://[::ffff:127.0.0.1]:53682/callback",
  "http://[::2]:53682/callback",
  "http://[::1:53682/callback",
  "http://::1:53682/callback",
  "https://127.0.0.1:53682/callback",
  "https://127.0.0.1/callback",
  "HTTP://127.0.0.1:53682/callback",
  " http://127.0.0.1:53682/callback",
  "http://127.0.0.1:53682/callback ",
  "http://127.0.0.1:53682/callback\n",
  "http://127.0.0.1:53682/call\tback",
  "http://127.0.0.1:53682/callback\r\nLocation: http://evil.example",
  "//127.0.0.1:53682/callback",
  "/callback",
  "callback",
  "javascript:alert(1)//127.0.0.1/callback",
  "data:text/html,hello",
  "file:///callback",
  "urn:ietf:wg:oauth:2.0:oob",
];

Deno.test("no address but a registered one is redirected to", async (t) => {
  await using signIn = await startSignIn();
  for (const uri of FOREIGN_REDIRECTS) {
    await t.step(JSON.stringify(uri), async () => {
      await refusedByPage(await signIn.send(authorizePath({ redirect_uri: uri })));
    });
  }
});

Deno.test("a loopback address is good with any port, and only that is free", () => {
  const registered = [
    "http://127.0.0.1/callback",
    "http://[::1]/callback",
    "https://a.example/cb?x=1",
  ];
  for (
    const uri of [
      "http://127.0.0.1/callback",
      "http://127.0.0.1:1/callback",
      "http://127.0.0.1:80/callback",
      "http://127.0.0.1:65535/callback",
      "http://[::1]:8080/callback",
      "https://a.example/cb?x=1",
    ]
  ) assert.ok(matchesRedirect(registered, uri), uri);
  for (
    const uri of [
      "https://a.example:444/cb?x=1",
      "https://a.example/cb",
      "https://a.example/cb?x=1&y=2",
    ]
  ) assert.ok(!matchesRedirect(registered, uri), uri);
  assert.ok(!matchesRedirect(["http://127.0.0.1/callback"], "http://[::1]:8080/callback"));
});

Deno.test("only addresses that are safe to send a code to can be registered", () => {
  for (
    const uri of [
      "https://app.example/callback",
      "http://127.0.0.1/callback",
      "http://[::1]:8080/",
      "com.example.app:/callback",
    ]
  ) assert.ok(isRegistrable(uri), uri);
  for (
    const uri of [
      "http://app.example/callback",
      "http://localhost/callback",
      "https://app.example/*",
      "https://*.app.example/",
      "https://app.example/#x",
      "https://user@app.example/",
      "https://app.example/a/../b",
      "https://APP.example/",
      "javascript:alert(1)",
      "data:text/html,x",
      "myapp:/callback",
      "/callback",
      "",
    ]
  ) assert.ok(!isRegistrable(uri), uri);
});

Deno.test("a client that is unknown or not clear gets no redirect", async (t) => {
  await using signIn = await startSignIn();
  const vectors: Record<string, string> = {
    "unknown client": authorizePath({ client_id: "other" }),
    "no client": authorizePath({ client_id: undefined }),
    "empty client": authorizePath({ client_id: "" }),
    "client in other case": authorizePath({ client_id: "SVC-CLI" }),
    "client with a space": authorizePath({ client_id: "svc-cli " }),
    "client twice": authorizePath() + "&client_id=svc-cli",
    "no redirect URI": authorizePath({ redirect_uri: undefined }),
    "empty redirect URI": authorizePath({ redirect_uri: "" }),
    "redirect URI twice": authorizePath() + `&redirect_uri=${encodeURIComponent(REDIRECT)}`,
    "a second, foreign redirect URI": authorizePath() + "&redirect_uri=http://evil.example/",
    "markup as client": authorizePath({ client_id: "<script>alert(1)</script>" }),
    "nothing at all": "/oauth2/authorize",
  };
  for (const [name, path] of Object.entries(vectors)) {
    await t.step(name, async () => {
      const html = await refusedByPage(await signIn.send(path));
      assert.ok(!html.includes("<script"), html);
    });
  }
});

/** Requests of a known client that cannot be granted, and what it is told. */
const REFUSED_REQUESTS: Record<string, [path: string, error: string]> = {
  "no response type": [authorizePath({ response_type: undefined }), "invalid_request"],
  "response type token": [authorizePath({ response_type: "token" }), "unsupported_response_type"],
  "response type code token": [
    authorizePath({ response_type: "code token" }),
    "unsupported_response_type",
  ],
  "response type in capitals": [
    authorizePath({ response_type: "CODE" }),
    "unsupported_response_type",
  ],
  "response type twice": [authorizePath() + "&response_type=code", "invalid_request"],
  "response mode fragment": [authorizePath({ response_mode: "fragment" }), "invalid_request"],
  "no challenge": [authorizePath({ code_challenge: undefined }), "invalid_request"],
  "no challenge at all": [
    authorizePath({ code_challenge: undefined, code_challenge_method: undefined }),
    "invalid_request",
  ],
  "no method, which means plain": [
    authorizePath({ code_challenge_method: undefined }),
    "invalid_request",
  ],
  "method plain": [authorizePath({ code_challenge_method: "plain" }), "invalid_request"],
  "method in lower case": [authorizePath({ code_challenge_method: "s256" }), "invalid_request"],
  "method twice": [authorizePath() + "&code_challenge_method=plain", "invalid_request"],
  "challenge too short": [authorizePath({ code_challenge: CHALLENGE.slice(1) }), "invalid_request"],
  "challenge too long": [authorizePath({ code_challenge: CHALLENGE + "A" }), "invalid_request"],
  "challenge with padding": [authorizePath({ code_challenge: CHALLENGE + "=" }), "invalid_request"],
  "challenge in base64": [
    authorizePath({ code_challenge: CHALLENGE.replace("-", "+") }),
    "invalid_request",
  ],
  "challenge that is no hash": [
    authorizePath({ code_challenge: CHALLENGE.slice(0, -1) + "N" }),
    "invalid_request",
  ],
  "challenge twice": [authorizePath() + `&code_challenge=${CHALLENGE}`, "invalid_request"],
  "no scope": [authorizePath({ scope: undefined }), "invalid_scope"],
  "unknown scope": [authorizePath({ scope: "everything" }), "invalid_scope"],
  "one unknown scope of two": [
    authorizePath({ scope: "*:*:read project_configuration:nothing:read" }),
    "invalid_scope",
  ],
  "scope with a wrong level": [authorizePath({ scope: "*:*:write" }), "invalid_scope"],
  "scope with a wildcard level": [authorizePath({ scope: "*:*:*" }), "invalid_scope"],
  "scope with commas": [authorizePath({ scope: "*:*:read,*:apps:read" }), "invalid_scope"],
  "scope with two spaces": [authorizePath({ scope: "*:*:read  *:apps:read" }), "invalid_scope"],
  "scope twice": [authorizePath() + "&scope=*:*:read", "invalid_request"],
  "unknown parameter twice": [authorizePath() + "&x=1&x=2", "invalid_request"],
  "request object": [authorizePath({ request: "e30." }), "request_not_supported"],
  "request address": [
    authorizePath({ request_uri: "https://evil.example/" }),
    "request_uri_not_supported",
  ],
};

Deno.test("a request that cannot be granted is told to its client alone", async (t) => {
  await using signIn = await startSignIn();
  for (const [name, [path, error]] of Object.entries(REFUSED_REQUESTS)) {
    await t.step(name, async () => {
      const response = await signIn.send(path);
      assert.equal(response.status, 303);
      const location = new URL(response.headers.get("Location") ?? "");
      assert.equal(location.origin + location.pathname, REDIRECT);
      const { error_description, ...answer } = Object.fromEntries(location.searchParams);
      assert.deepEqual(answer, { error, state: "a state & more", iss: ORIGIN });
      assert.match(error_description ?? "", /^[\x20\x21\x23-\x5b\x5d-\x7e]+$/, "RFC 6749 §4.1.2.1");
    });
  }
  await t.step("state with control characters", async () => {
    const response = await signIn.send(authorizePath({ state: "a\0b\r\nX-Y: z" }));
    const { searchParams } = new URL(response.headers.get("Location") ?? "");
    assert.equal(searchParams.get("error"), "invalid_request");
    assert.equal(searchParams.get("state"), "a\0b\r\nX-Y: z");
  });
  await t.step("state twice", async () => {
    const response = await signIn.send(authorizePath() + "&state=other");
    const { searchParams } = new URL(response.headers.get("Location") ?? "");
    assert.equal(searchParams.get("error"), "invalid_request");
    assert.equal(searchParams.get("state"), null, "neither is known to be the client's");
  });
});

Deno.test("a method that the authorization endpoint does not have is refused", async (t) => {
  await using signIn = await startSignIn();
  for (const method of ["HEAD", "PUT", "DELETE", "PATCH", "OPTIONS"]) {
    await t.step(method, async () => {
      const response = await signIn.send(authorizePath(), { method });
      assert.equal(response.status, 405);
      assert.equal(response.headers.get("Allow"), "GET, POST");
      await refusedByPage(response, 405);
    });
  }
});

/** Answers to a page that are refused: what is changed in form and headers, and the status. */
function strangeAnswers(page: OpenPage, other: OpenPage): Record<string, StrangeAnswer> {
  return {
    "no cookie": [{}, { Cookie: "" }, 403],
    "another page's cookie": [{}, { Cookie: other.cookie }, 403],
    "another page's secret in this page's cookie": [
      {},
      { Cookie: `${page.cookie.split("=")[0]}=${other.cookie.split("=")[1]}` },
      403,
    ],
    "another page's form": [{ form: other.form }, {}, 403],
    "an unknown form": [{ form: "x".repeat(43) }, {}, 403],
    "no form": [{ form: "" }, {}, 400],
    "another origin": [{}, { Origin: "http://evil.example" }, 403],
    "another port": [{}, { Origin: "http://127.0.0.1:4011" }, 403],
    "another scheme": [{}, { Origin: "https://127.0.0.1:4010" }, 403],
    "origin null": [{}, { Origin: "null" }, 403],
    "origin empty": [{}, { Origin: "" }, 403],
    "from a cross-site page": [{}, { "Sec-Fetch-Site": "cross-site" }, 403],
    "from a page on another port": [{}, { "Sec-Fetch-Site": "same-site" }, 403],
    "typed in": [{}, { "Sec-Fetch-Site": "none" }, 403],
    "no decision": [{ decision: "" }, {}, 400],
    "unknown decision": [{ decision: "perhaps" }, {}, 400],
    "unknown account": [{ account: "acct0000000000" }, {}, 400],
    "no account": [{ account: "" }, {}, 400],
    "JSON": [{}, { "Content-Type": "application/json" }, 400],
    "plain text": [{}, { "Content-Type": "text/plain" }, 400],
    "multipart": [{}, { "Content-Type": "multipart/form-data; boundary=x" }, 400],
  };
}

type StrangeAnswer = [
  form: Record<string, string>,
  headers: Record<string, string>,
  status: number,
];

Deno.test("a form that is not the answer of this browser to this page is refused", async (t) => {
  await using signIn = await startSignIn();
  const page = await openPage(signIn);
  const other = await openPage(signIn);
  const account = page.accounts[0] ?? "";
  const vectors = strangeAnswers(page, other);
  for (const [name, [form, headers, status]] of Object.entries(vectors)) {
    await t.step(name, async () => {
      await refusedByPage(await answerPage(signIn, page, form, headers), status);
    });
  }
  await t.step("without an origin", async () => {
    const response = await signIn.send("/oauth2/authorize", {
      method: "POST",
      headers: { Cookie: page.cookie },
      body: new URLSearchParams({ form: page.form, account, decision: "allow" }),
    });
    await refusedByPage(response, 403);
  });
  await t.step("a decision that appears twice", async () => {
    const body = `form=${page.form}&account=${account}&decision=deny&decision=allow`;
    const headers = { Origin: ORIGIN, Cookie: page.cookie };
    const type = { "Content-Type": "application/x-www-form-urlencoded" };
    await refusedByPage(
      await signIn.send("/oauth2/authorize", {
        method: "POST",
        body,
        headers: { ...headers, ...type },
      }),
    );
  });
  await t.step("and the page is still good for its own browser", async () => {
    assert.equal((await answerPage(signIn, page)).status, 303);
  });
});

Deno.test("a page is answered once, whatever the answer was", async () => {
  await using signIn = await startSignIn();
  for (
    const [first, second] of [["allow", "allow"], ["deny", "allow"], ["allow", "deny"]] as const
  ) {
    const page = await openPage(signIn);
    assert.equal((await answerPage(signIn, page, { decision: first })).status, 303);
    const html = await refusedByPage(await answerPage(signIn, page, { decision: second }));
    assert.match(html, /already answered/);
  }
  const page = await openPage(signIn);
  const both = await Promise.all([answerPage(signIn, page), answerPage(signIn, page)]);
  assert.deepEqual(both.map(({ status }) => status).sort(), [303, 400]);
});

Deno.test("a page waits ten minutes and no longer", async () => {
  await using signIn = await startSignIn();
  const page = await openPage(signIn);
  const late = await openPage(signIn);
  signIn.pass(599_999);
  assert.equal((await answerPage(signIn, page)).status, 303);
  signIn.pass(1);
  assert.match(await refusedByPage(await answerPage(signIn, late)), /has expired/);
});

Deno.test("addresses beside the endpoints are not answered", async () => {
  await using signIn = await startSignIn();
  for (
    const path of [
      "/oauth2",
      "/oauth2/",
      "/oauth2/token/",
      "/oauth2/Token",
      "/oauth2/introspect",
      "/",
    ]
  ) assert.equal((await signIn.send(path)).status, 404, path);
});

/** Checks that a response is our error page, leads nowhere and sets nothing. */
async function refusedByPage(response: Response, status = 400): Promise<string> {
  const html = await response.text();
  assert.equal(response.status, status, html);
  assert.equal(response.headers.get("Location"), null);
  assert.equal(response.headers.get("Refresh"), null);
  assert.equal(response.headers.get("Set-Cookie"), null);
  assert.equal(response.headers.get("Content-Type"), "text/html; charset=utf-8");
  assert.equal(response.headers.get("Cache-Control"), "no-store");
  assert.match(response.headers.get("Content-Security-Policy") ?? "", /form-action 'none'/);
  assert.ok(!/http-equiv="refresh"|<a |<form|<script/i.test(html), html);
  return html;
}
