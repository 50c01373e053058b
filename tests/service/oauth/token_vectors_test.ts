import assert from "node:assert/strict";
import { addClient } from "../../../lib/service/oauth/mod.ts";
import { prune } from "../../../lib/service/oauth/prune.ts";
import {
  CHALLENGE,
  codeForm,
  obtainCode,
  refreshForm,
  type SignIn,
  startSignIn,
  VERIFIER,
} from "../../support/oauth_fixture.ts";

/** Token requests that name a good code and are refused all the same. */
const REFUSED_CODES: Record<string, [changes: Record<string, string | undefined>, error: string]> =
  {
    "no code": [{ code: undefined }, "invalid_request"],
    "empty code": [{ code: "" }, "invalid_request"],
    "unknown code": [{ code: "x".repeat(43) }, "invalid_grant"],
    "no verifier": [{ code_verifier: undefined }, "invalid_request"],
    "another verifier": [{ code_verifier: "A".repeat(43) }, "invalid_grant"],
    "the challenge as verifier": [{ code_verifier: CHALLENGE }, "invalid_grant"],
    "verifier too short": [{ code_verifier: VERIFIER.slice(1) }, "invalid_request"],
    "verifier too long": [{ code_verifier: "A".repeat(129) }, "invalid_request"],
    "verifier with a slash": [{ code_verifier: VERIFIER.slice(1) + "/" }, "invalid_request"],
    "verifier with a space": [{ code_verifier: VERIFIER + " " }, "invalid_request"],
    "verifier beyond ASCII": [{ code_verifier: VERIFIER + "é" }, "invalid_request"],
    "no redirect URI": [{ redirect_uri: undefined }, "invalid_request"],
    "another port": [{ redirect_uri: "http://127.0.0.1:53683/callback" }, "invalid_grant"],
    "the registered redirect URI, not the one asked for": [
      { redirect_uri: "http://127.0.0.1/callback" },
      "invalid_grant",
    ],
    "the other loopback": [{ redirect_uri: "http://[::1]:53682/callback" }, "invalid_grant"],
    "no client": [{ client_id: undefined }, "invalid_request"],
    "unknown client": [{ client_id: "nobody" }, "invalid_client"],
    "another client": [{ client_id: "other" }, "invalid_grant"],
    "a client secret": [{ client_secret: "secret" }, "invalid_client"],
    "a client assertion": [{ client_assertion: "e30." }, "invalid_client"],
    "no grant type": [{ grant_type: undefined }, "invalid_request"],
    "grant type password": [{ grant_type: "password" }, "unsupported_grant_type"],
    "grant type client_credentials": [
      { grant_type: "client_credentials" },
      "unsupported_grant_type",
    ],
    "grant type implicit": [{ grant_type: "implicit" }, "unsupported_grant_type"],
    "grant type device": [
      { grant_type: "urn:ietf:params:oauth:grant-type:device_code" },
      "unsupported_grant_type",
    ],
    "grant type of an object": [{ grant_type: "constructor" }, "unsupported_grant_type"],
    "grant type in capitals": [{ grant_type: "AUTHORIZATION_CODE" }, "unsupported_grant_type"],
  };

Deno.test("a code is exchanged for its own client, address and verifier only", async (t) => {
  await using signIn = await startSignIn();
  await addOtherClient(signIn);
  for (const [name, [changes, error]] of Object.entries(REFUSED_CODES)) {
    await t.step(name, async () => {
      const code = await obtainCode(signIn);
      const { status, json, headers } = await signIn.post("/oauth2/token", codeForm(code, changes));
      assert.equal(json.error, error);
      assert.equal(status, error === "invalid_client" ? 401 : 400);
      assert.equal(headers.get("Cache-Control"), "no-store");
      assert.equal(headers.get("Pragma"), "no-cache");
      assert.equal(typeof json.error_description, "string");
      assert.deepEqual(Object.keys(json), ["error", "error_description"]);
    });
  }
});

Deno.test("a code that was presented wrongly is used up, a form that is malformed uses nothing up", async () => {
  await using signIn = await startSignIn();
  const burnt = await obtainCode(signIn);
  await signIn.post("/oauth2/token", codeForm(burnt, { code_verifier: "A".repeat(43) }));
  assert.equal((await signIn.post("/oauth2/token", codeForm(burnt))).json.error, "invalid_grant");
  const kept = await obtainCode(signIn);
  await signIn.post("/oauth2/token", codeForm(kept, { code_verifier: undefined }));
  assert.equal((await signIn.post("/oauth2/token", codeForm(kept))).status, 200);
});

Deno.test("a code that is used twice takes back what it gave, also to others who refreshed it", async () => {
  await using signIn = await startSignIn();
  const code = await obtainCode(signIn);
  const first = await signIn.post("/oauth2/token", codeForm(code));
  assert.equal(first.status, 200);
  const next = await signIn.post("/oauth2/token", refreshForm(String(first.json.refresh_token)));
  const token = String(next.json.access_token);
  assert.ok(await signIn.oauth.authenticate(token));
  const second = await signIn.post("/oauth2/token", codeForm(code, { client_id: "svc-cli" }));
  assert.equal(second.json.error, "invalid_grant");
  assert.equal(await signIn.oauth.authenticate(token), undefined);
  const dead = await signIn.post("/oauth2/token", refreshForm(String(next.json.refresh_token)));
  assert.equal(dead.json.error, "invalid_grant");
});

Deno.test("of 16 uses of one code at once, one gets tokens, and those are taken back", async () => {
  await using signIn = await startSignIn();
  const code = await obtainCode(signIn);
  const answers = await Promise.all(
    Array.from({ length: 16 }, () => signIn.post("/oauth2/token", codeForm(code))),
  );
  const good = answers.filter(({ status }) => status === 200);
  assert.equal(good.length, 1);
  assert.equal(await signIn.oauth.authenticate(String(good[0]?.json.access_token)), undefined);
});

Deno.test("a code is good for a minute, and its reuse is noticed for a day more", async () => {
  await using signIn = await startSignIn();
  const [late, used] = [await obtainCode(signIn), await obtainCode(signIn)];
  const { json } = await signIn.post("/oauth2/token", codeForm(used));
  signIn.pass(60_000);
  assert.equal((await signIn.post("/oauth2/token", codeForm(late))).json.error, "invalid_grant");
  signIn.pass(86_000_000);
  await signIn.store.write((tx) => prune(tx, signIn.now()));
  await signIn.post("/oauth2/token", codeForm(used));
  const refresh = await signIn.post("/oauth2/token", refreshForm(String(json.refresh_token)));
  assert.equal(refresh.json.error, "invalid_grant");
});

Deno.test("a refresh token is good for its own client only, and a wrong one does not use it up", async () => {
  await using signIn = await startSignIn();
  await addOtherClient(signIn);
  const { refresh_token } = await signIn.oauth.issueToken({ rotates: true });
  const vectors: [Record<string, string>, string][] = [
    [{ client_id: "other" }, "invalid_grant"],
    [{ client_id: "nobody" }, "invalid_client"],
    [{ client_id: "" }, "invalid_request"],
    [{ client_secret: "secret" }, "invalid_client"],
    [{ refresh_token: "" }, "invalid_request"],
    [{ refresh_token: refresh_token + "x" }, "invalid_grant"],
    [{ refresh_token: refresh_token.toLowerCase() }, "invalid_grant"],
    [{ scope: "everything" }, "invalid_scope"],
  ];
  for (const [changes, error] of vectors) {
    const form = { ...refreshForm(refresh_token), ...changes };
    assert.equal((await signIn.post("/oauth2/token", form)).json.error, error);
  }
  const stranger = await signIn.post("/oauth2/revoke", {
    token: refresh_token,
    client_id: "other",
  });
  assert.equal(stranger.status, 400);
  assert.equal(stranger.json.error, "invalid_grant");
  assert.equal((await signIn.post("/oauth2/token", refreshForm(refresh_token))).status, 200);
});

const FORM_TYPE = "application/x-www-form-urlencoded";

/** A request with a form, or what is said to be one. */
function post(body: string, headers: Record<string, string> = {}): RequestInit {
  return { method: "POST", body, headers: { "Content-Type": FORM_TYPE, ...headers } };
}

/** Requests with a good form that are refused for what is around it. */
function strangeRequests(form: string): Record<string, [RequestInit, number, string]> {
  return {
    "GET": [{ method: "GET" }, 405, "invalid_request"],
    "PUT": [{ ...post(form), method: "PUT" }, 405, "invalid_request"],
    "DELETE": [{ method: "DELETE" }, 405, "invalid_request"],
    "OPTIONS": [{ method: "OPTIONS" }, 405, "invalid_request"],
    "no body": [{ method: "POST", headers: { "Content-Type": FORM_TYPE } }, 400, "invalid_request"],
    "JSON": [
      post(JSON.stringify(Object.fromEntries(new URLSearchParams(form))), {
        "Content-Type": "application/json",
      }),
      400,
      "invalid_request",
    ],
    "a form that says it is JSON": [
      post(form, { "Content-Type": "application/json" }),
      400,
      "invalid_request",
    ],
    "plain text": [post(form, { "Content-Type": "text/plain" }), 400, "invalid_request"],
    "no content type": [post(form, { "Content-Type": "" }), 400, "invalid_request"],
    "another type first": [
      post(form, { "Content-Type": `text/plain, ${FORM_TYPE}` }),
      400,
      "invalid_request",
    ],
    "another encoding": [
      post(form, { "Content-Type": `${FORM_TYPE}; charset=utf-16` }),
      400,
      "invalid_request",
    ],
    "client twice": [post(form + `&client_id=svc-cli`), 400, "invalid_request"],
    "empty client after a good one": [post(form + `&client_id=`), 400, "invalid_request"],
    "unknown parameter twice": [post(form + `&x=1&x=1`), 400, "invalid_request"],
    "a client that authenticates": [
      post(form, { Authorization: `Basic ${btoa("svc-cli:secret")}` }),
      401,
      "invalid_client",
    ],
    "from a web page": [post(form, { Origin: "http://evil.example" }), 403, "invalid_request"],
    "from a sandboxed page": [post(form, { Origin: "null" }), 403, "invalid_request"],
    "too large": [post(form + `&x=${"x".repeat(40_000)}`), 413, "invalid_request"],
  };
}

Deno.test("the token and revocation endpoints take a form by POST and nothing else", async (t) => {
  await using signIn = await startSignIn();
  const { refresh_token } = await signIn.oauth.issueToken({ rotates: true });
  const form = new URLSearchParams({ ...refreshForm(refresh_token), token: refresh_token });
  const vectors = strangeRequests(form.toString());
  for (const path of ["/oauth2/token", "/oauth2/revoke"]) {
    for (const [name, [init, status, error]] of Object.entries(vectors)) {
      await t.step(`${path}: ${name}`, async () => {
        const response = await signIn.send(path, init);
        assert.equal(response.status, status);
        assert.equal((await response.json()).error, error);
        assert.equal(response.headers.get("Location"), null);
        assert.equal(response.headers.get("Access-Control-Allow-Origin"), null);
        assert.equal(response.headers.get("Allow"), status === 405 ? "POST" : null);
        assert.equal(response.headers.has("WWW-Authenticate"), status === 401);
      });
    }
    await t.step(`${path}: parameters in the address`, async () => {
      const { json } = await signIn.post(`${path}?${form}`, `${form}`);
      assert.equal(json.error, "invalid_request");
    });
    await t.step(`${path}: bytes that are not UTF-8`, async () => {
      const body = new Uint8Array([0x78, 0x3d, 0xff]);
      const init = { method: "POST", body, headers: { "Content-Type": FORM_TYPE } };
      assert.equal((await signIn.send(path, init)).status, 400);
    });
  }
  await t.step("and after all that the token is as good as before", async () => {
    assert.equal((await signIn.post("/oauth2/token", refreshForm(refresh_token))).status, 200);
  });
});

/** Registers a second client with the same address. */
async function addOtherClient(signIn: SignIn): Promise<void> {
  const client = {
    id: "other",
    name: "Another program",
    redirect_uris: ["http://127.0.0.1/callback"],
  };
  await signIn.store.write((tx) => addClient(tx, client, 0));
}
