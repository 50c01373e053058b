import assert from "node:assert/strict";
import { join } from "node:path";
import { prune } from "../../../lib/service/oauth/prune.ts";
import { refuse } from "../../../lib/service/http/respond.ts";
import { dump, openLasting } from "../../support/lasting.ts";
import {
  type Answer,
  openPage,
  OWNER,
  refreshForm,
  type SignIn,
  startSignIn,
} from "../../support/oauth_fixture.ts";

const EXCHANGE = "urn:ietf:params:oauth:grant-type:token-exchange";
const ACCESS_TOKEN = "urn:ietf:params:oauth:token-type:access_token";

Deno.test("an issued token stands for the owner and permits everything", async () => {
  await using signIn = await startSignIn();
  const pair = await signIn.oauth.issueToken();
  assert.match(pair.access_token, /^atk_[\w-]{43}$/);
  assert.match(pair.refresh_token, /^rtk_[\w-]{43}$/);
  assert.equal(pair.expires_in, 3600);
  const actor = await signIn.oauth.authenticate(pair.access_token);
  assert.equal(actor?.email, OWNER);
  assert.equal(actor?.name, "Olivia Owner");
  assert.equal(actor?.client_id, "svc-cli");
  assert.equal(actor?.scope, "*:*:read_write");
  assert.equal(actor?.has_mfa, false);
});

Deno.test("only a live access token is a credential", async () => {
  await using signIn = await startSignIn();
  const { access_token, refresh_token } = await signIn.oauth.issueToken();
  for (const token of [refresh_token, access_token + "x", access_token.slice(0, -1), "atk_", ""]) {
    assert.equal(await signIn.oauth.authenticate(token), undefined);
  }
  assert.ok(await signIn.oauth.authenticate(access_token));
  signIn.pass(3_600_000 - 1);
  assert.ok(await signIn.oauth.authenticate(access_token));
  signIn.pass(1);
  assert.equal(await signIn.oauth.authenticate(access_token), undefined);
});

Deno.test("a token is issued for the account, scope and lifetime that are asked for", async () => {
  await using signIn = await startSignIn();
  const { access_token, refresh_token, scope } = await signIn.oauth.issueToken({
    accountEmail: "Owner@Example.com",
    scope: "charts_metrics:charts:read charts_metrics:charts:read *:apps:read",
    lifetimeMs: 5_000,
  });
  assert.equal(scope, "charts_metrics:charts:read *:apps:read");
  assert.equal((await signIn.oauth.authenticate(access_token))?.scope, scope);
  signIn.pass(5_000);
  assert.equal((await refresh(signIn, refresh_token)).json.error, "invalid_grant");
});

Deno.test("a token for nobody, or for an unknown scope, is refused with the reason", async () => {
  await using signIn = await startSignIn();
  const report = () => assert.fail("not our fault");
  const nobody = await signIn.oauth.issueToken({ accountEmail: "x@y.z" }).catch((e) =>
    refuse(e, { report })
  );
  assert.ok(nobody instanceof Response);
  assert.equal(nobody.status, 404);
  assert.match((await nobody.json()).message, /"x@y\.z"/);
  const scope = await signIn.oauth.issueToken({ scope: "all" }).catch((e) => refuse(e, { report }));
  assert.ok(scope instanceof Response);
  assert.equal(scope.status, 400);
  assert.equal((await scope.json()).param, "scope");
});

Deno.test("a token that does not rotate stays good, and its access tokens live side by side", async () => {
  await using signIn = await startSignIn();
  const first = await signIn.oauth.issueToken();
  const second = await refresh(signIn, first.refresh_token);
  const third = await refresh(signIn, first.refresh_token);
  assert.equal(second.status, 200);
  assert.deepEqual(Object.keys(second.json), ["access_token", "token_type", "expires_in", "scope"]);
  const tokens = [
    first.access_token,
    text(second.json.access_token),
    text(third.json.access_token),
  ];
  assert.equal(new Set(tokens).size, 3);
  for (const token of tokens) assert.ok(await signIn.oauth.authenticate(token));
});

Deno.test("a refresh gives a new pair and ends the old one at once", async () => {
  await using signIn = await startSignIn();
  const old = await signIn.oauth.issueToken({ rotates: true });
  assert.ok(await signIn.oauth.authenticate(old.access_token), "now it is remembered");
  const { status, json, headers } = await refresh(signIn, old.refresh_token);
  assert.equal(status, 200);
  assert.equal(headers.get("Cache-Control"), "no-store");
  assert.equal(headers.get("Pragma"), "no-cache");
  assert.equal(headers.get("Content-Type"), "application/json");
  assert.match(text(json.access_token), /^atk_[\w-]{43}$/);
  assert.match(text(json.refresh_token), /^rtk_[\w-]{43}$/);
  assert.equal(json.token_type, "Bearer");
  assert.equal(json.expires_in, 3600);
  assert.equal(json.scope, "*:*:read_write");
  assert.notEqual(json.refresh_token, old.refresh_token);
  assert.equal(await signIn.oauth.authenticate(old.access_token), undefined);
  assert.ok(await signIn.oauth.authenticate(text(json.access_token)));
});

Deno.test("within 30 seconds the old refresh token answers with the very same pair", async () => {
  await using signIn = await startSignIn();
  const { refresh_token } = await signIn.oauth.issueToken({ rotates: true });
  const first = await refresh(signIn, refresh_token);
  signIn.pass(29_999);
  const again = await refresh(signIn, refresh_token);
  const expected: Record<string, unknown> = { ...first.json, expires_in: 3570 };
  assert.deepEqual(again.json, expected);
  assert.ok(await signIn.oauth.authenticate(text(first.json.access_token)));
});

Deno.test("within the grace each refresh gets the permissions that it asks for", async () => {
  await using signIn = await startSignIn();
  const { refresh_token } = await signIn.oauth.issueToken({ rotates: true });
  const ask = async (scope?: string) => {
    const form = { ...refreshForm(refresh_token), ...scope !== undefined && { scope } };
    const { json } = await signIn.post("/oauth2/token", form);
    const actor = await signIn.oauth.authenticate(text(json.access_token));
    assert.equal(actor?.scope, json.scope);
    return json;
  };
  const narrow = "*:apps:read *:products:read";
  const wide = await ask();
  const narrowed = await ask(narrow);
  assert.equal(narrowed.scope, narrow);
  assert.equal((await ask("*:apps:read")).scope, "*:apps:read");
  assert.deepEqual(await ask(), wide);
  for (const { refresh_token } of [narrowed, wide]) assert.equal(refresh_token, wide.refresh_token);
  const other = await signIn.oauth.issueToken({ rotates: true });
  const form = refreshForm(other.refresh_token);
  const first = await signIn.post("/oauth2/token", { ...form, scope: narrow });
  assert.deepEqual(
    (await signIn.post("/oauth2/token", { ...form, scope: narrow })).json,
    first.json,
  );
  assert.equal((await signIn.post("/oauth2/token", form)).json.scope, "*:*:read_write");
});

Deno.test("after the grace an old refresh token ends the whole sign-in", async () => {
  await using signIn = await startSignIn();
  const { refresh_token } = await signIn.oauth.issueToken({ rotates: true });
  const bystander = await signIn.oauth.issueToken({ rotates: true });
  const { json } = await refresh(signIn, refresh_token);
  assert.ok(await signIn.oauth.authenticate(text(json.access_token)), "now it is remembered");
  signIn.pass(30_000);
  const reuse = await refresh(signIn, refresh_token);
  assert.equal(reuse.status, 400);
  assert.equal(reuse.json.error, "invalid_grant");
  assert.equal(await signIn.oauth.authenticate(text(json.access_token)), undefined);
  assert.equal((await refresh(signIn, text(json.refresh_token))).json.error, "invalid_grant");
  assert.ok(await signIn.oauth.authenticate(bystander.access_token), "others are not touched");
});

Deno.test("a token that was overtaken twice within the grace answers with the pair that works", async () => {
  await using signIn = await startSignIn();
  const { refresh_token } = await signIn.oauth.issueToken({ rotates: true });
  const second = await refresh(signIn, refresh_token);
  const third = await refresh(signIn, text(second.json.refresh_token));
  const late = await refresh(signIn, refresh_token);
  assert.deepEqual(late.json, third.json);
  assert.ok(await signIn.oauth.authenticate(text(late.json.access_token)));
});

Deno.test("in the grace a successor whose access token is gone comes with a fresh one", async () => {
  await using signIn = await startSignIn();
  const { refresh_token } = await signIn.oauth.issueToken({ rotates: true });
  const first = await refresh(signIn, refresh_token);
  await revoke(signIn, text(first.json.access_token));
  const again = await refresh(signIn, refresh_token);
  assert.equal(again.json.refresh_token, first.json.refresh_token);
  assert.notEqual(again.json.access_token, first.json.access_token);
  assert.ok(await signIn.oauth.authenticate(text(again.json.access_token)));
  assert.equal(await signIn.oauth.authenticate(text(first.json.access_token)), undefined);
});

Deno.test("a refresh token lives 30 days, and its successor 30 days from then", async () => {
  await using signIn = await startSignIn();
  const { refresh_token } = await signIn.oauth.issueToken({ rotates: true });
  signIn.pass(30 * 86_400_000 - 1);
  const second = await refresh(signIn, refresh_token);
  assert.equal(second.status, 200);
  signIn.pass(30 * 86_400_000 - 1);
  const third = await refresh(signIn, text(second.json.refresh_token));
  assert.equal(third.status, 200);
  signIn.pass(30 * 86_400_000);
  assert.equal((await refresh(signIn, text(third.json.refresh_token))).json.error, "invalid_grant");
});

for (const place of ["in memory", "on disk"]) {
  Deno.test(`64 refreshes of one token at once make one pair, and all get it (${place})`, async () => {
    await using lasting = await openLasting();
    const file = place === "in memory" ? ":memory:" : lasting.database;
    await using signIn = await startSignIn({ file });
    const { refresh_token } = await signIn.oauth.issueToken({ rotates: true });
    const answers = await Promise.all(
      Array.from({ length: 64 }, () => refresh(signIn, refresh_token)),
    );
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]));
    assert.equal(new Set(answers.map(({ json }) => JSON.stringify(json))).size, 1);
    const live = await signIn.store.read((tx) =>
      tx.selectFrom("refresh_tokens").select("hash").where("rotated_at", "is", null).execute()
    );
    assert.equal(live.length, 1);
    assert.ok(await signIn.oauth.authenticate(text(answers[0]?.json.access_token)));
  });
}

Deno.test("64 refreshes of one token over HTTP make one pair, and all get it", async () => {
  await using signIn = await startSignIn();
  await using server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    (request) => signIn.handle(request),
  );
  const { refresh_token } = await signIn.oauth.issueToken({ rotates: true });
  const url = `http://127.0.0.1:${server.addr.port}/oauth2/token`;
  const answers = await Promise.all(Array.from({ length: 64 }, async () => {
    const body = new URLSearchParams(refreshForm(refresh_token));
    const response = await fetch(url, { method: "POST", body });
    assert.equal(response.status, 200);
    return await response.text();
  }));
  assert.equal(new Set(answers).size, 1);
});

Deno.test("a narrower scope at a refresh holds for that access token only", async () => {
  await using signIn = await startSignIn();
  const { refresh_token } = await signIn.oauth.issueToken({
    rotates: true,
    scope: "*:apps:read_write",
  });
  const scope = "project_configuration:apps:read";
  const narrow = await signIn.post("/oauth2/token", { ...refreshForm(refresh_token), scope });
  assert.equal(narrow.json.scope, scope);
  assert.equal((await signIn.oauth.authenticate(text(narrow.json.access_token)))?.scope, scope);
  const next = await refresh(signIn, text(narrow.json.refresh_token));
  assert.equal(next.json.scope, "*:apps:read_write");
  const wide = { ...refreshForm(text(next.json.refresh_token)), scope: "*:*:read" };
  assert.equal((await signIn.post("/oauth2/token", wide)).json.error, "invalid_scope");
  assert.equal((await refresh(signIn, text(next.json.refresh_token))).status, 200, "not used up");
});

Deno.test("an exchange makes a sign-in of its own, which the first one's end does not touch", async () => {
  await using signIn = await startSignIn();
  const first = await signIn.oauth.issueToken({ rotates: true });
  const second = await exchange(signIn, first.access_token);
  assert.equal(second.status, 200);
  assert.equal(second.json.issued_token_type, ACCESS_TOKEN);
  assert.equal(second.json.scope, "*:*:read_write");
  assert.ok(await signIn.oauth.authenticate(first.access_token), "the first one goes on");
  assert.equal((await refresh(signIn, first.refresh_token)).status, 200);
  await revoke(signIn, first.refresh_token);
  assert.ok(await signIn.oauth.authenticate(text(second.json.access_token)));
  const next = await refresh(signIn, text(second.json.refresh_token));
  assert.equal(next.status, 200);
  assert.ok(next.json.refresh_token, "it rotates");
});

Deno.test("an exchange gives at most what the token permits", async () => {
  await using signIn = await startSignIn();
  const { access_token } = await signIn.oauth.issueToken({
    scope: "*:apps:read charts_metrics:*:read",
  });
  const narrow = await exchange(signIn, access_token, { scope: "charts_metrics:charts:read" });
  assert.equal(narrow.json.scope, "charts_metrics:charts:read");
  for (const scope of ["*:apps:read_write", "*:*:read", "nonsense", "*:apps:read  *:apps:read"]) {
    assert.equal((await exchange(signIn, access_token, { scope })).json.error, "invalid_scope");
  }
});

Deno.test("only a live access token of the same client can be exchanged", async () => {
  await using signIn = await startSignIn();
  const { access_token, refresh_token } = await signIn.oauth.issueToken();
  const refused = async (form: Record<string, string>, token = access_token) =>
    (await exchange(signIn, token, form)).json.error;
  assert.equal(await refused({}, refresh_token), "invalid_request");
  assert.equal(await refused({}, "atk_unknown"), "invalid_request");
  assert.equal(await refused({ subject_token_type: "urn:x" }), "invalid_request");
  assert.equal(await refused({ requested_token_type: "urn:x" }), "invalid_request");
  assert.equal(await refused({ actor_token: "x" }), "invalid_request");
  assert.equal(await refused({ audience: "x" }), "invalid_target");
  assert.equal(await refused({ client_id: "other" }), "invalid_client");
  await revoke(signIn, access_token);
  assert.equal(await refused({}), "invalid_request");
});

Deno.test("revoking a refresh token ends its sign-in; an access token ends alone", async () => {
  await using signIn = await startSignIn();
  const pair = await signIn.oauth.issueToken({ rotates: true });
  const other = await signIn.oauth.issueToken({ rotates: true });
  assert.ok(await signIn.oauth.authenticate(pair.access_token), "now it is remembered");
  assert.ok(await signIn.oauth.authenticate(other.access_token), "now it is remembered");
  assert.equal((await revoke(signIn, pair.access_token)).status, 200);
  assert.equal(await signIn.oauth.authenticate(pair.access_token), undefined);
  const next = await refresh(signIn, pair.refresh_token);
  assert.equal(next.status, 200);
  assert.equal(
    (await revoke(signIn, pair.refresh_token)).status,
    200,
    "the one that was exchanged",
  );
  assert.equal(await signIn.oauth.authenticate(text(next.json.access_token)), undefined);
  assert.equal((await refresh(signIn, text(next.json.refresh_token))).json.error, "invalid_grant");
  assert.ok(await signIn.oauth.authenticate(other.access_token));
  assert.equal((await revoke(signIn, "rtk_unknown")).status, 200);
});

Deno.test("a token that is looked up while it is revoked is not remembered", async () => {
  await using signIn = await startSignIn();
  const { access_token } = await signIn.oauth.issueToken();
  await Promise.all([signIn.oauth.authenticate(access_token), revoke(signIn, access_token)]);
  assert.equal(await signIn.oauth.authenticate(access_token), undefined);
});

Deno.test("the database holds no token, only hashes", async () => {
  await using lasting = await openLasting();
  const tokens: string[] = [];
  {
    await using signIn = await startSignIn({ file: lasting.database });
    const pair = await signIn.oauth.issueToken({ rotates: true });
    const { json } = await refresh(signIn, pair.refresh_token);
    tokens.push(pair.access_token, pair.refresh_token);
    tokens.push(text(json.access_token), text(json.refresh_token));
  }
  const rows = Object.values(await dump(lasting)).flat();
  assert.ok(rows.length > 0);
  for (const token of tokens) assert.ok(!rows.some((row) => row.includes(token.slice(4))));
  for await (const { name } of Deno.readDir(lasting.folder)) {
    const bytes = new TextDecoder("latin1").decode(await Deno.readFile(join(lasting.folder, name)));
    for (const token of tokens) assert.ok(!bytes.includes(token.slice(4)), name);
  }
});

Deno.test("what expired is removed, but a token that was exchanged is kept to notice its reuse", async () => {
  await using signIn = await startSignIn();
  const { refresh_token } = await signIn.oauth.issueToken({ rotates: true });
  const count = () =>
    signIn.store.read(async (tx) => ({
      grants: (await tx.selectFrom("grants").select("id").execute()).length,
      refresh: (await tx.selectFrom("refresh_tokens").select("hash").execute()).length,
      access: (await tx.selectFrom("access_tokens").select("hash").execute()).length,
      forms: (await tx.selectFrom("consent_forms").select("hash").execute()).length,
      tries: (await tx.selectFrom("sign_in_tries").select("subject").execute()).length,
    }));
  const endOfTries = signIn.now() + 2 * 3_600_000;
  await signIn.store.write(async (tx) => {
    const times = { locked_until: 0, expires_at: endOfTries };
    await tx.insertInto("sign_in_tries").values({ subject: "a", tries: 1, ...times }).execute();
  });
  signIn.pass(3_600_000);
  await refresh(signIn, refresh_token);
  await openPage(signIn);
  await removeExpired(signIn);
  assert.deepEqual(await count(), { grants: 1, refresh: 2, access: 1, forms: 1, tries: 1 });
  signIn.pass(3_600_000);
  await signIn.oauth.issueToken();
  await removeExpired(signIn);
  assert.deepEqual(await count(), { grants: 2, refresh: 3, access: 1, forms: 0, tries: 0 });
  signIn.pass(31 * 86_400_000);
  await removeExpired(signIn);
  assert.deepEqual(await count(), { grants: 0, refresh: 0, access: 0, forms: 0, tries: 0 });
});

function removeExpired({ store, now }: SignIn): Promise<void> {
  return store.write((tx) => prune(tx, now()));
}

function refresh(signIn: SignIn, refresh_token: string): Promise<Answer> {
  return signIn.post("/oauth2/token", refreshForm(refresh_token));
}

function revoke(signIn: SignIn, token: string): Promise<Answer> {
  return signIn.post("/oauth2/revoke", { token, client_id: "svc-cli" });
}

function exchange(
  signIn: SignIn,
  subject_token: string,
  form: Record<string, string> = {},
): Promise<Answer> {
  return signIn.post("/oauth2/token", {
    grant_type: EXCHANGE,
    client_id: "svc-cli",
    subject_token,
    subject_token_type: ACCESS_TOKEN,
    ...form,
  });
}

function text(value: unknown): string {
  assert.equal(typeof value, "string");
  return String(value);
}
