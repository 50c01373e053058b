import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import type { ServiceOptions } from "../../../../lib/service/mod.ts";
import { BASE_URL, type Home, openHome, type Ran } from "../../../support/home_fixture.ts";
import { CHEAP, PASSWORD } from "../../../support/password_fixture.ts";

const OWNER = "owner@example.com";

/** A machine that knows the admin secret of a service with passwords. */
async function withPasswords(options: Partial<ServiceOptions> = {}): Promise<Home> {
  const at = await openHome({ signIn: CHEAP, ...options });
  at.env.CLI_SERVICE_ADMIN_SECRET = at.service.adminSecret;
  at.pass(1);
  return at;
}

/** Sends a form as the browser does. */
function submit(
  { service }: Home,
  path: string,
  form: Record<string, string>,
  cookie = "",
): Promise<Response> {
  return service.fetch(
    new Request(BASE_URL + path, {
      method: "POST",
      headers: { Origin: BASE_URL, "Sec-Fetch-Site": "same-origin", Cookie: cookie },
      body: new URLSearchParams(form),
    }),
  );
}

/** Sets a password with the link that a command has printed. */
async function setPassword(at: Home, printed: Ran, password = PASSWORD): Promise<void> {
  strictEqual(printed.code, 0, printed.err);
  const link = new URL(printed.out.trim()).searchParams.get("link") ?? "";
  const response = await submit(at, "/oauth2/password", { link, password, again: password });
  strictEqual(response.status, 200, await response.text());
}

/** Fills in the fields of a page with what stands in it, and returns the cookie that came with it. */
async function read(
  response: Response,
): Promise<{ cookie: string; form: string; account: string }> {
  const html = await response.text();
  strictEqual(response.status, 200, html);
  const value = (name: string) => RegExp(`name="${name}" value="([^"]*)"`).exec(html)?.[1] ?? "";
  const cookie = response.headers.get("Set-Cookie")?.split(";")[0] ?? "";
  return { cookie, form: value("form"), account: value("account") };
}

/** Signs in with a password in the browser, and returns where it ends. */
async function signInAs(url: string, at: Home, email: string, password: string): Promise<string> {
  const { form, cookie } = await read(await at.service.fetch(new Request(url)));
  const typed = { form, email, password };
  const asked = await read(await submit(at, "/oauth2/authorize/sign-in", typed, cookie));
  const answer = { form: asked.form, account: asked.account, decision: "allow" };
  const response = await submit(at, "/oauth2/authorize", answer, asked.cookie);
  return response.headers.get("Location") ?? "";
}

Deno.test("account add prints a link, with which the person sets a password and signs in", async () => {
  await using at = await withPasswords();
  const project = at.service.projectId ?? "";
  const added = await at.run(`service account add ada@example.com --project ${project}`);
  match(added.out, /^http:\/\/127\.0\.0\.1:4010\/oauth2\/password\?link=plk_[\w-]{43}\n$/);
  match(added.err, /ada@example\.com can set a password with this link until .*, once\n/);
  match(
    added.err,
    /of this machine\. For others, restart .*: cli service start --public-url URL\n/,
  );
  await setPassword(at, added);
  const signedIn = await at.run("auth login", {
    browser: async (url) => {
      await (await fetch(await signInAs(url, at, "Ada@Example.com", PASSWORD))).body?.cancel();
      return true;
    },
  });
  strictEqual(signedIn.code, 0, signedIn.err);
  const { out } = await at.run("projects list --output json");
  ok(out.includes(project));
  const list = await at.run("service account list");
  match(list.out, /ada@example\.com .* set\n/);
});

Deno.test("auth login --paste signs in with a password too", async () => {
  await using at = await withPasswords();
  await setPassword(at, await at.run(`service account reset ${OWNER}`));
  const { code, err } = await at.run("auth login --paste", {
    type: (said) => signInAs(/http\S+/.exec(said)?.[0] ?? "", at, OWNER, PASSWORD),
  });
  strictEqual(code, 0, err);
});

Deno.test("the link has the public address where there is one", async () => {
  await using at = await withPasswords({ publicUrl: "https://subs.example.com" });
  const { out, err } = await at.run(`service account reset ${OWNER}`);
  match(out, /^https:\/\/subs\.example\.com\/oauth2\/password\?link=plk_/);
  ok(!err.includes("--public-url"));
});

Deno.test("account reset makes a new link, and the one before is no longer good", async () => {
  await using at = await withPasswords();
  const added = await at.run("service account add ada@example.com --output json");
  const { password_link } = added.json();
  const first = new URL(String(Object(password_link).url)).searchParams.get("link") ?? "";
  const twice = await at.run("service account add ada@example.com");
  strictEqual(twice.code, 7);
  match(
    twice.err,
    /already exists\n.*: cli service account reset ada@example\.com\. .* --project ID/,
  );
  const again = await at.run("service account reset ada@example.com");
  const old = await submit(at, "/oauth2/password", {
    ...{ link: first, password: PASSWORD, again: PASSWORD },
  });
  strictEqual(old.status, 403);
  await setPassword(at, again);
  strictEqual((await at.run("service account reset nobody@example.com")).code, 5);
});

Deno.test("account remove ends the account's sign-ins, and keeps a project's only owner", async () => {
  await using at = await withPasswords();
  const project = at.service.projectId ?? "";
  const added = await at.run(`service account add ada@example.com --project ${project}`);
  await setPassword(at, added);
  const { access_token } = await at.service.oauth.issueToken({ accountEmail: "ada@example.com" });
  ok(await at.service.oauth.authenticate(access_token));
  const refused = await at.run("service account remove ada@example.com");
  strictEqual(refused.code, 3, "it asks first");
  const removed = await at.run("service account remove Ada@example.com -y --output json");
  strictEqual(removed.code, 0, removed.err);
  strictEqual(removed.json().email, "ada@example.com");
  strictEqual(await at.service.oauth.authenticate(access_token), undefined);
  const left = await at.service.store.read(async (tx) => [
    await tx.selectFrom("accounts").select("email").execute(),
    await tx.selectFrom("passwords").select("account_id").execute(),
  ]);
  deepStrictEqual(left, [[{ email: OWNER }], []]);
  const owner = await at.run(`service account remove ${OWNER} -y`);
  strictEqual(owner.code, 7);
  match(owner.err, /is the only owner of the project proj\w+/);
  // The address is free again, for an account of its own.
  strictEqual((await at.run("service account add ada@example.com")).code, 0);
});

Deno.test("a service without passwords makes no links, and says why", async () => {
  await using open = await withPasswords({ signIn: undefined });
  const { code, err } = await open.run(`service account reset ${OWNER}`);
  strictEqual(code, 7);
  match(err, /This service asks for no password/);
  const added = await open.run("service account add ada@example.com");
  match(added.err, /ada@example\.com is an account of the service/);
  match(added.err, /print a link for it with: cli service account reset ada@example\.com/);
});
