import assert from "node:assert/strict";
import { createOpenServer } from "../../../lib/service/http/open_server.ts";
import { throughProxies } from "../../../lib/service/http/proxies.ts";
import { createOAuth } from "../../../lib/service/oauth/mod.ts";
import { TRIES } from "../../../lib/service/oauth/tries.ts";
import {
  answerPage,
  authorizePath,
  codeForm,
  openPage,
  ORIGIN,
  OWNER,
  refreshForm,
  type SignIn,
  startSignIn,
} from "../../support/oauth_fixture.ts";
import {
  addPerson,
  CHEAP,
  linkFor,
  openConsent,
  openSignIn,
  pageIn,
  PASSWORD,
  startWithPassword,
  typePassword,
  usePasswordLink,
} from "../../support/password_fixture.ts";

/** The code in the redirect that ends a sign-in. */
function codeIn(response: Response): string {
  assert.equal(response.status, 303);
  return new URL(response.headers.get("Location") ?? "").searchParams.get("code") ?? "";
}

/** Signs the owner in, and returns the tokens. */
async function tokensOf(signIn: SignIn): Promise<Record<string, unknown>> {
  const response = await answerPage(signIn, await openConsent(signIn));
  const { status, json } = await signIn.post("/oauth2/token", codeForm(codeIn(response)));
  assert.equal(status, 200);
  return json;
}

Deno.test("the right password leads to consent, and that to tokens of the account", async () => {
  await using signIn = await startWithPassword();
  await addPerson(signIn, "other@example.com");
  const consent = await openConsent(signIn);
  assert.match(consent.html, /Allow “Command-line client”/);
  assert.equal(consent.accounts.length, 1, "nobody else can be chosen");
  assert.doesNotMatch(consent.html, /other@example\.com/);
  const code = codeIn(await answerPage(signIn, consent));
  const { json } = await signIn.post("/oauth2/token", codeForm(code));
  assert.equal((await signIn.oauth.authenticate(String(json.access_token)))?.email, OWNER);
});

Deno.test("the sign-in page names no account, and does not ask for consent", async () => {
  await using signIn = await startWithPassword();
  const { html, accounts } = await openPage(signIn);
  assert.doesNotMatch(html, /owner@example\.com|Olivia|name="decision"/);
  assert.deepEqual(accounts, []);
});

Deno.test("consent without a sign-in, or for another account, is refused", async () => {
  await using signIn = await startWithPassword();
  await addPerson(signIn, "other@example.com");
  const ids = await signIn.store.read((tx) =>
    tx.selectFrom("accounts").select(["id", "email"]).execute()
  );
  const idOf = (email: string) => ids.find((row) => row.email === email)?.id ?? "";
  const unsigned = await openSignIn(signIn);
  const skipped = await answerPage(signIn, unsigned, { account: idOf(OWNER) });
  assert.equal(skipped.status, 400, await skipped.text());
  const consent = await openConsent(signIn);
  const swapped = await answerPage(signIn, consent, { account: idOf("other@example.com") });
  assert.equal(swapped.status, 400, await swapped.text());
});

Deno.test("an unknown account, one without a password and a wrong password get one answer", async () => {
  await using signIn = await startWithPassword();
  await addPerson(signIn, "new@example.com");
  const answers = new Set<string>();
  for (const email of ["nobody@example.com", "new@example.com", OWNER]) {
    const page = await openSignIn(signIn);
    const response = await typePassword(signIn, page, { email, password: "wrong password 1" });
    assert.equal(response.status, 403);
    const { html } = await pageIn(response);
    answers.add(html.replaceAll(email, "EMAIL").replaceAll(page.form, "FORM"));
  }
  assert.equal(answers.size, 1);
  assert.match([...answers][0] ?? "", /role="alert">The e-mail address or the password is wrong\./);
});

Deno.test("after a wrong password the same page takes the right one", async () => {
  await using signIn = await startWithPassword();
  const page = await openSignIn(signIn);
  const wrong = await typePassword(signIn, page, { password: "wrong password 1" });
  const { html, form } = await pageIn(wrong);
  assert.match(html, /value="owner@example\.com"/);
  assert.equal(form, page.form);
  assert.equal((await typePassword(signIn, page)).status, 200);
});

Deno.test("of 300 wrong tries five are checked, and the right password is refused meanwhile", async () => {
  await using signIn = await startWithPassword();
  const page = await openSignIn(signIn);
  const statuses = new Map<number, number>();
  for (let i = 0; i < 300; i++) {
    const sender = `10.0.${i >> 8}.${i & 255}`;
    const response = await typePassword(signIn, page, { password: `wrong password ${i}`, sender });
    await response.body?.cancel();
    statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1);
  }
  assert.deepEqual([...statuses], [[403, TRIES.account], [429, 300 - TRIES.account]]);
  const right = await typePassword(signIn, page, { sender: "10.9.9.9" });
  assert.equal(right.status, 429);
  assert.match(right.headers.get("Retry-After") ?? "", /^[12]$/);
  assert.match(await right.text(), /wrong tries\. Wait (one second|2 seconds), then/);
  signIn.pass(2000);
  assert.equal((await typePassword(signIn, page, { sender: "10.9.9.9" })).status, 200);
});

Deno.test("tries at the same moment are counted before any of them is checked", async () => {
  await using signIn = await startWithPassword();
  const page = await openSignIn(signIn);
  const all = Array.from({ length: 30 }, async (_, i) => {
    const response = await typePassword(signIn, page, {
      password: `wrong password ${i}`,
      sender: `10.0.0.${i}`,
    });
    await response.body?.cancel();
    return response.status;
  });
  const checked = (await Promise.all(all)).filter((status) => status === 403);
  assert.equal(checked.length, TRIES.account);
});

Deno.test("a network that tries many accounts is locked, others are not", async () => {
  await using signIn = await startWithPassword();
  const page = await openSignIn(signIn);
  const from = async (sender: string, email: string) => {
    const response = await typePassword(signIn, page, { email, password: "wrong one 123", sender });
    await response.body?.cancel();
    return response.status;
  };
  for (let i = 0; i < TRIES.address; i++) {
    assert.equal(await from("2001:db8::1", `a${i}@example.com`), 403);
  }
  assert.equal(await from("2001:db8::ffff:2", "z@example.com"), 429, "of the same /64");
  assert.equal((await typePassword(signIn, page, { sender: "2001:db8::3" })).status, 429);
  assert.equal((await typePassword(signIn, page, { sender: "2001:db8:0:1::1" })).status, 200);
});

Deno.test("locks double with each wrong password, up to a quarter of an hour", async () => {
  await using signIn = await startWithPassword();
  const tryWrong = async () => {
    const page = await openSignIn(signIn);
    const response = await typePassword(signIn, page, { password: "wrong password" });
    await response.body?.cancel();
    return response;
  };
  for (let i = 1; i < TRIES.account; i++) assert.equal((await tryWrong()).status, 403);
  const waits: number[] = [];
  for (let i = 0; i < 12; i++) {
    assert.equal((await tryWrong()).status, 403);
    const seconds = Number((await tryWrong()).headers.get("Retry-After"));
    waits.push(seconds);
    signIn.pass(seconds * 1000);
  }
  assert.deepEqual(waits, [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900]);
  signIn.pass(TRIES.forget_ms);
  for (let i = 1; i < TRIES.account; i++) assert.equal((await tryWrong()).status, 403);
  assert.equal((await typePassword(signIn, await openSignIn(signIn))).status, 200, "forgotten");
});

Deno.test("the tries at two services on one database count together", async () => {
  await using one = await startWithPassword();
  const oauth = createOAuth({ store: one.store, clock: one.now, signIn: CHEAP });
  const report = (error: unknown) => assert.ifError(error);
  const other = { ...one, handle: createOpenServer(await oauth.routes(), { report }) };
  const page = await openSignIn(one);
  for (let i = 0; i < TRIES.account; i++) {
    const response = await typePassword([one, other][i % 2] ?? one, page, { password: "wrong" });
    assert.equal(response.status, 403, await response.text());
  }
  for (const service of [one, other]) assert.equal((await typePassword(service, page)).status, 429);
  const rows = await one.store.read((tx) => tx.selectFrom("sign_in_tries").selectAll().execute());
  assert.deepEqual(rows.map(({ tries }) => tries), [TRIES.account, TRIES.account]);
  assert.ok(!JSON.stringify(rows).includes(OWNER), "the typed address is not stored");
});

Deno.test("addresses that an untrusted proxy makes up do not get around the lock of a network", async () => {
  await using signIn = await startWithPassword();
  const passage = { proxies: ["10.0.0.1"], host: "127.0.0.1", onlyTls: false };
  const behind = { ...signIn, handle: throughProxies(passage)(signIn.handle) };
  const locked = async (sender: string) => {
    const page = await openSignIn(signIn);
    let count = 0;
    for (let i = 0; i < TRIES.address + 10; i++) {
      const typed = { email: `a${i}@example.com`, password: "wrong password", sender };
      const headers = { "X-Forwarded-For": `203.0.113.${i}` };
      const response = await typePassword(behind, page, typed, headers);
      await response.body?.cancel();
      if (response.status === 429) count++;
    }
    return count;
  };
  assert.equal(await locked("192.168.1.5"), 10);
  signIn.pass(TRIES.forget_ms + TRIES.longest_lock_ms);
  assert.equal(await locked("10.0.0.1"), 0, "the trusted one tells people apart");
});

Deno.test("a link sets a password once, and looking at it does not use it up", async () => {
  await using signIn = await startSignIn({ signIn: CHEAP });
  const link = await linkFor(signIn, OWNER);
  for (let i = 0; i < 2; i++) {
    const page = await signIn.send(`/oauth2/password?link=${link}`);
    assert.equal(page.status, 200);
    assert.match(await page.text(), /Set your password[^]*owner@example\.com/);
  }
  assert.equal((await usePasswordLink(signIn, link, PASSWORD)).status, 200);
  const twice = await usePasswordLink(signIn, link, "another password");
  assert.equal(twice.status, 403);
  assert.match(await twice.text(), /used before, has expired, or was replaced/);
  assert.equal((await typePassword(signIn, await openSignIn(signIn))).status, 200);
});

Deno.test("of two uses of a link at the same moment, one sets the password", async () => {
  await using signIn = await startSignIn({ signIn: CHEAP });
  const link = await linkFor(signIn, OWNER);
  const all = [PASSWORD, "another password"].map((text) => usePasswordLink(signIn, link, text));
  const statuses = (await Promise.all(all)).map(({ status }) => status);
  assert.deepEqual(statuses.sort(), [200, 403]);
});

Deno.test("an expired link, a replaced link and a made-up link set nothing", async () => {
  await using signIn = await startSignIn({ signIn: CHEAP });
  const replaced = await linkFor(signIn, OWNER);
  const link = await linkFor(signIn, OWNER);
  signIn.pass(86_400_000);
  for (const one of [replaced, link, `plk_${"x".repeat(43)}`]) {
    assert.equal((await signIn.send(`/oauth2/password?link=${one}`)).status, 403);
    assert.equal((await usePasswordLink(signIn, one, PASSWORD)).status, 403);
  }
  const rows = await signIn.store.read((tx) =>
    tx.selectFrom("passwords").select("account_id").execute()
  );
  assert.deepEqual(rows, []);
});

Deno.test("the database holds neither passwords nor links", async () => {
  await using signIn = await startWithPassword();
  const link = await linkFor(signIn, OWNER);
  const rows = await signIn.store.read(async (tx) => [
    await tx.selectFrom("passwords").selectAll().execute(),
    await tx.selectFrom("password_links").selectAll().execute(),
  ]);
  const text = JSON.stringify(rows);
  assert.match(text, /"hash":"scrypt\$1024\$8\$1\$/);
  assert.ok(!text.includes(PASSWORD) && !text.includes(link));
});

Deno.test("a password that is short, plain, the e-mail address or typed differently is refused", async () => {
  await using signIn = await startSignIn({ signIn: CHEAP });
  const link = await linkFor(signIn, OWNER);
  const refused: [string, string, RegExp][] = [
    ["short", "short", /at least 12 characters/],
    ["aaaaaaaaaaaaaaa", "aaaaaaaaaaaaaaa", /at least 4 different characters/],
    ["x1y2".repeat(100), "x1y2".repeat(100), /at most 256 characters/],
    ["Owner@example.com", "Owner@example.com", /differ from the e-mail address/],
    ["passwordpassword", "passwordpassword", /must not repeat a shorter text/],
    ["Password-2026", "Password-2026", /must not be a common one/],
    [PASSWORD, `${PASSWORD}!`, /The two passwords differ/],
  ];
  for (const [password, again, reason] of refused) {
    const response = await usePasswordLink(signIn, link, password, again);
    assert.equal(response.status, 400);
    assert.match(await response.text(), reason);
  }
  assert.equal(
    (await usePasswordLink(signIn, link, PASSWORD)).status,
    200,
    "the link is still good",
  );
});

Deno.test("a new password ends pages, codes and tokens of the account, not those for CI", async () => {
  await using signIn = await startWithPassword();
  const { access_token, refresh_token } = await tokensOf(signIn);
  const ci = await signIn.oauth.issueToken();
  const consent = await openConsent(signIn);
  const code = codeIn(await answerPage(signIn, await openConsent(signIn)));
  const link = await linkFor(signIn, OWNER);
  assert.equal((await usePasswordLink(signIn, link, "a wholly new password")).status, 200);
  assert.equal(await signIn.oauth.authenticate(String(access_token)), undefined);
  const refreshed = await signIn.post("/oauth2/token", refreshForm(String(refresh_token)));
  assert.equal(refreshed.json.error, "invalid_grant");
  assert.equal((await answerPage(signIn, consent)).status, 403);
  assert.equal((await signIn.post("/oauth2/token", codeForm(code))).json.error, "invalid_grant");
  assert.equal((await typePassword(signIn, await openSignIn(signIn))).status, 403, "the old one");
  assert.ok(await signIn.oauth.authenticate(ci.access_token));
});

Deno.test("a stolen cookie is worth one page, ten minutes and no token", async () => {
  await using signIn = await startWithPassword();
  const consent = await openConsent(signIn);
  // Whoever has it needs the page's own id too.
  const other = await openSignIn(signIn);
  assert.equal((await answerPage(signIn, { ...other, cookie: consent.cookie })).status, 403);
  // It opens no other request: the page that a thief opens asks for the password.
  const again = await signIn.send(authorizePath(), { headers: { Cookie: consent.cookie } });
  assert.match(await again.text(), /name="password"/);
  // With both, the answer is a code for the program that asked, which alone has the verifier.
  const code = codeIn(await answerPage(signIn, consent));
  const thief = codeForm(code, { code_verifier: "v".repeat(43) });
  assert.equal((await signIn.post("/oauth2/token", thief)).json.error, "invalid_grant");
  // And once only.
  assert.equal((await answerPage(signIn, consent)).status, 400);
  const late = await openConsent(signIn);
  signIn.pass(600_000);
  assert.equal((await answerPage(signIn, late)).status, 400);
});

Deno.test("the cookie of the time before the password does not become that of a sign-in", async () => {
  await using signIn = await startWithPassword();
  const page = await openSignIn(signIn);
  const consent = await pageIn(await typePassword(signIn, page));
  assert.notEqual(consent.cookie, page.cookie);
  assert.notEqual(consent.form, page.form);
  const account = consent.accounts[0] ?? "";
  const mixed = await answerPage(signIn, { ...consent, cookie: page.cookie });
  assert.equal(mixed.status, 403);
  assert.equal((await answerPage(signIn, page, { account })).status, 400);
});

Deno.test("a password from another site, another browser or without a form is refused", async () => {
  await using signIn = await startWithPassword();
  const page = await openSignIn(signIn);
  const statuses = [
    await typePassword(signIn, page, {}, { Origin: "https://evil.example" }),
    await typePassword(signIn, page, {}, { "Sec-Fetch-Site": "cross-site" }),
    await typePassword(signIn, { ...page, cookie: "" }),
    await typePassword(signIn, { ...page, form: "made-up" }),
  ].map(({ status }) => status);
  assert.deepEqual(statuses, [403, 403, 403, 403]);
  const tries = await signIn.store.read((tx) =>
    tx.selectFrom("sign_in_tries").selectAll().execute()
  );
  assert.deepEqual(tries, [], "no page of another site can lock an account");
});

Deno.test("Use another account asks for a password again", async () => {
  await using signIn = await startWithPassword();
  const consent = await openConsent(signIn);
  const response = await signIn.send("/oauth2/authorize/again", {
    method: "POST",
    headers: { Origin: ORIGIN, "Sec-Fetch-Site": "same-origin", Cookie: consent.cookie },
    body: new URLSearchParams({ form: consent.form }),
  });
  assert.equal(response.status, 200);
  const page = await pageIn(response);
  assert.match(page.html, /name="password"/);
  assert.equal((await answerPage(signIn, consent)).status, 400, "the page before is used up");
  assert.equal((await typePassword(signIn, page)).status, 200);
});

Deno.test("over TLS the cookies have the __Host- prefix, and others are not read", async () => {
  await using signIn = await startWithPassword({ issuer: "https://service.example" });
  const response = await signIn.send(authorizePath());
  const cookie = response.headers.get("Set-Cookie") ?? "";
  assert.match(
    cookie,
    /^__Host-consent_[0-9a-f]{16}=[\w-]{43}; Path=\/; Secure; Max-Age=600; HttpOnly; SameSite=Strict$/,
  );
  const page = await pageIn(response);
  const bare = page.cookie.replace("__Host-", "");
  assert.equal((await typePassword(signIn, { ...page, cookie: bare })).status, 403);
  assert.equal((await typePassword(signIn, page)).status, 200);
});

Deno.test("a service that asks for no password has none of these pages", async () => {
  await using signIn = await startSignIn();
  const page = await openPage(signIn);
  for (const path of ["/oauth2/password?link=x", "/oauth2/authorize/sign-in"]) {
    assert.equal((await signIn.send(path)).status, 404);
  }
  assert.equal((await typePassword(signIn, page)).status, 404);
});

Deno.test("the setting that allows every request unasked has no effect where people sign in", async () => {
  await using signIn = await startWithPassword({ autoApprove: OWNER });
  const { html } = await openSignIn(signIn);
  assert.match(html, /name="password"/);
});
