import assert from "node:assert/strict";
import { addAccount } from "../../../lib/service/oauth/mod.ts";
import {
  answerPage,
  authorizePath,
  codeForm,
  ORIGIN,
  type SignIn,
  startSignIn,
} from "../../support/oauth_fixture.ts";
import { pageIn } from "../../support/password_fixture.ts";
import { CLIENT, startProvider, type TestProvider } from "../../support/provider.ts";

/** A service, a provider, and a browser between them. */
interface Scene extends AsyncDisposable {
  /** The service. */
  signIn: SignIn;
  /** The provider. */
  provider: TestProvider;
  /** What the administrator was told. */
  reports: unknown[];
  /** Goes to the provider: the address that it sends the browser back to, and the cookie. */
  leave(): Promise<{ back: URL; cookie: string }>;
  /** Comes back from the provider. */
  arrive(back: URL, cookie: string): Promise<Response>;
  /** Both. */
  visit(): Promise<Response>;
}

/** Sets the scene. */
async function setScene(
  options: { allow?: string[]; algorithm?: "ES256" | "RS256" } = {},
): Promise<Scene> {
  const { allow = ["@example.com"], algorithm } = options;
  const provider = await startProvider(algorithm && { algorithm });
  const reports: unknown[] = [];
  const signIn = await startSignIn({
    signIn: {
      kind: "oidc",
      issuer: provider.issuer,
      clientId: CLIENT.id,
      clientSecret: CLIENT.secret,
      allow,
    },
    report: (error) => reports.push(error),
  });
  const scene: Scene = {
    ...{ signIn, provider, reports },
    async leave() {
      const left = await signIn.send(authorizePath());
      assert.equal(left.status, 303, await left.text());
      const cookie = left.headers.get("Set-Cookie") ?? "";
      assert.match(cookie, /; HttpOnly; SameSite=Lax$/);
      const there = await fetch(left.headers.get("Location") ?? "", { redirect: "manual" });
      await there.body?.cancel();
      return { back: new URL(there.headers.get("Location") ?? ""), cookie };
    },
    arrive: (back, cookie) =>
      signIn.send(back.href, { headers: { Cookie: cookie.split(";")[0] ?? "" } }),
    async visit() {
      const { back, cookie } = await scene.leave();
      return await scene.arrive(back, cookie);
    },
    async [Symbol.asyncDispose]() {
      await provider[Symbol.asyncDispose]();
      await signIn[Symbol.asyncDispose]();
    },
  };
  return scene;
}

/** The e-mail address of the account that a consent page signs in. */
async function emailOf({ signIn }: Scene, response: Response): Promise<string | undefined> {
  const page = await pageIn(response);
  assert.equal(response.status, 200, page.html);
  const answered = await answerPage(signIn, page);
  assert.equal(answered.status, 303, await answered.text());
  const code = new URL(answered.headers.get("Location") ?? "").searchParams.get("code") ?? "";
  const { json } = await signIn.post("/oauth2/token", codeForm(code));
  return (await signIn.oauth.authenticate(String(json.access_token)))?.email;
}

/** How many accounts there are. */
async function countAccounts({ signIn }: Scene): Promise<number> {
  const rows = await signIn.store.read((tx) => tx.selectFrom("accounts").select("id").execute());
  return rows.length;
}

/** Expects a refusal with a reason, after which nobody is signed in. */
async function expectRefused(scene: Scene, response: Response, reason: RegExp): Promise<void> {
  const text = await response.text();
  assert.equal(response.status, 403, text);
  assert.match(text, reason);
  assert.doesNotMatch(text, /name="decision"/);
  assert.equal(await countAccounts(scene), 1);
}

for (const algorithm of ["ES256", "RS256"] as const) {
  Deno.test(`the provider's person signs in, with a token signed by ${algorithm}`, async () => {
    await using scene = await setScene({ algorithm });
    assert.equal(await emailOf(scene, await scene.visit()), "ada@example.com");
    const [asked] = scene.provider.asked;
    assert.equal(asked?.get("redirect_uri"), `${ORIGIN}/oauth2/authorize/callback`);
    assert.equal(asked?.get("code_challenge_method"), "S256");
    assert.equal(asked?.get("scope"), "openid email profile");
    // The second sign-in finds the account of the first.
    assert.equal(await emailOf(scene, await scene.visit()), "ada@example.com");
    assert.equal(await countAccounts(scene), 2);
  });
}

const WRONG: Record<string, [Record<string, unknown>, RegExp]> = {
  "another issuer": [{ iss: "https://evil.example" }, /&quot;iss&quot;/],
  "another audience": [{ aud: "another-service" }, /&quot;aud&quot;/],
  "an end in the past": [{ exp: 1_600_000_000 }, /&quot;exp&quot;/],
  "another nonce": [{ nonce: "x".repeat(43) }, /&quot;nonce&quot;/],
  "no nonce": [{ nonce: undefined }, /&quot;nonce&quot;/],
  "no subject": [{ sub: undefined }, /&quot;sub&quot;/],
};
for (const [name, [claims, reason]] of Object.entries(WRONG)) {
  Deno.test(`an ID token with ${name} is refused`, async () => {
    await using scene = await setScene();
    scene.provider.state.claims = claims;
    await expectRefused(scene, await scene.visit(), reason);
  });
}

Deno.test("an ID token that another key has signed is refused", async () => {
  await using scene = await setScene();
  scene.provider.state.forged = true;
  await expectRefused(scene, await scene.visit(), /signature/i);
});

Deno.test("a state is good once, in the browser that it was made for, for ten minutes", async () => {
  await using scene = await setScene();
  const { back, cookie } = await scene.leave();
  await expectRefused(scene, await scene.arrive(back, ""), /does not belong to this browser/);
  const other = await scene.leave();
  await expectRefused(scene, await scene.arrive(back, other.cookie), /does not belong/);
  const unknown = new URL(back);
  unknown.searchParams.set("state", "x".repeat(43));
  await expectRefused(scene, await scene.arrive(unknown, cookie), /does not belong/);
  assert.equal((await scene.arrive(back, cookie)).status, 200);
  const replayed = await scene.arrive(back, cookie);
  assert.equal(replayed.status, 400);
  assert.match(await replayed.text(), /You have already answered/);
  scene.signIn.pass(600_000);
  assert.equal((await scene.arrive(other.back, other.cookie)).status, 400);
});

Deno.test("a code of another sign-in does not fit: its verifier is in the other browser", async () => {
  await using scene = await setScene();
  const victim = await scene.leave();
  const thief = await scene.leave();
  thief.back.searchParams.set("code", victim.back.searchParams.get("code") ?? "");
  await expectRefused(scene, await scene.arrive(thief.back, thief.cookie), /not valid/);
});

Deno.test("a provider that refuses, or answers for another issuer, lets nobody in", async () => {
  await using scene = await setScene();
  scene.provider.state.redirect = ({ searchParams }) => {
    searchParams.delete("code");
    searchParams.set("error", "access_denied");
  };
  await expectRefused(scene, await scene.visit(), /did not let you in:[^]*access_denied/);
  scene.provider.state.redirect = ({ searchParams }) =>
    searchParams.set("iss", "https://evil.example");
  await expectRefused(scene, await scene.visit(), /&quot;iss&quot;/);
});

Deno.test("only listed people and domains come in, with a verified address", async () => {
  await using scene = await setScene({ allow: ["@example.com", "eve@partner.example"] });
  const { state } = scene.provider;
  for (const email of ["x@example.com.evil.example", "x@sub.example.com", "bob@partner.example"]) {
    state.claims = { email };
    await expectRefused(scene, await scene.visit(), /This e-mail address may not sign in here/);
  }
  for (const email_verified of [false, "true", undefined]) {
    state.claims = { email_verified };
    await expectRefused(scene, await scene.visit(), /has not verified this e-mail address/);
  }
  state.claims = { email: undefined };
  await expectRefused(scene, await scene.visit(), /did not send your e-mail address/);
  state.claims = { email: "Eve@Partner.example", sub: "person-2" };
  assert.equal(await emailOf(scene, await scene.visit()), "eve@partner.example");
});

Deno.test("the address of the user info endpoint counts where the token has none", async () => {
  await using scene = await setScene();
  scene.provider.state.claims = { email: undefined, email_verified: undefined };
  scene.provider.state.userinfo = { email: "ada@example.com", email_verified: true };
  assert.equal(await emailOf(scene, await scene.visit()), "ada@example.com");
});

Deno.test("without a list, only accounts that were added before come in", async () => {
  await using scene = await setScene({ allow: [] });
  await expectRefused(scene, await scene.visit(), /no account for the e-mail address:/);
  await scene.signIn.store.write((tx) => addAccount(tx, { email: "ada@example.com", now: 1 }));
  assert.equal(await emailOf(scene, await scene.visit()), "ada@example.com");
});

Deno.test("an account stays with its person, whoever gets the e-mail address later", async () => {
  await using scene = await setScene();
  const { state } = scene.provider;
  assert.equal(await emailOf(scene, await scene.visit()), "ada@example.com");
  state.claims = { email: "ada.new@example.com" };
  assert.equal(await emailOf(scene, await scene.visit()), "ada@example.com");
  state.claims = { sub: "person-2" };
  const response = await scene.visit();
  assert.equal(response.status, 403);
  assert.match(await response.text(), /Another person has signed in with this e-mail address/);
});

Deno.test("Use another account leads to the provider, with a choice there", async () => {
  await using scene = await setScene();
  const page = await pageIn(await scene.visit());
  const response = await scene.signIn.send("/oauth2/authorize/again", {
    method: "POST",
    headers: { Origin: ORIGIN, "Sec-Fetch-Site": "same-origin", Cookie: page.cookie },
    body: new URLSearchParams({ form: page.form }),
  });
  assert.equal(response.status, 200);
  const [, href = ""] = /href="([^"]+)"/.exec(await response.text()) ?? [];
  const address = new URL(href.replaceAll("&amp;", "&"));
  assert.equal(address.origin, scene.provider.issuer);
  assert.equal(address.searchParams.get("prompt"), "select_account");
  assert.equal((await answerPage(scene.signIn, page)).status, 400, "the page before is used up");
});

Deno.test("a provider that cannot be reached is said to the person and to the administrator", async () => {
  const scene = await setScene();
  await scene.provider[Symbol.asyncDispose]();
  const response = await scene.signIn.send(authorizePath());
  assert.equal(response.status, 503);
  assert.match(await response.text(), /The sign-in provider cannot be reached/);
  assert.match(String(scene.reports[0]), /Cannot use the sign-in provider: /);
  await scene.signIn[Symbol.asyncDispose]();
});

Deno.test("an issuer without TLS, and a list with neither address nor domain, are refused", async () => {
  const start = (issuer: string, allow: string[] = []) =>
    startSignIn({ signIn: { kind: "oidc", issuer, clientId: "service", allow } });
  for (const issuer of ["http://login.example", "login.example", "https://x.example/?a=b", ""]) {
    await assert.rejects(start(issuer), {
      name: "UsageError",
      message: /^Cannot use the sign-in/,
    });
  }
  await assert.rejects(start("https://login.example", ["example.com"]), {
    message: /^Cannot allow "example\.com" to sign in: it is neither/,
  });
});
