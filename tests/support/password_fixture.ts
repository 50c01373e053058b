/**
 * People who sign in with a password, as browsers do it.
 *
 * @module
 */

import assert from "node:assert/strict";
import {
  addAccount,
  findAccount,
  type OAuthOptions,
  type SignInChoice,
} from "../../lib/service/oauth/mod.ts";
import {
  authorizePath,
  type OpenPage,
  ORIGIN,
  OWNER,
  type SignIn,
  startSignIn,
} from "./oauth_fixture.ts";

/** Hashes that cost little. */
export const CHEAP: SignInChoice = { kind: "password", cost: { n: 1024, r: 8, p: 1 } };

/** A good password. */
export const PASSWORD = "correct horse battery staple";

/** The form of the page that a response has, with its cookie. */
export async function pageIn(response: Response): Promise<OpenPage> {
  const html = await response.text();
  const values = (name: string) =>
    [...html.matchAll(new RegExp(`name="${name}" value="([^"]*)"`, "g"))].map((m) => m[1] ?? "");
  const cookie = response.headers.get("Set-Cookie")?.split(";")[0];
  const form = values("form")[0] ?? "";
  return { origin: ORIGIN, form, accounts: values("account"), cookie: cookie ?? "", html };
}

/** Starts a service whose owner has a password. */
export async function startWithPassword(
  options: Partial<OAuthOptions> & { file?: string } = {},
): Promise<SignIn> {
  const signIn = await startSignIn({ signIn: CHEAP, ...options });
  const response = await usePasswordLink(signIn, await linkFor(signIn, OWNER), PASSWORD);
  assert.equal(response.status, 200, await response.text());
  return signIn;
}

/** Adds an account. */
export async function addPerson(signIn: SignIn, email: string): Promise<void> {
  await signIn.store.write((tx) => addAccount(tx, { email, now: signIn.now() }));
}

/** Makes a link for an account, and returns the secret in it. */
export async function linkFor({ oauth, store }: SignIn, email: string): Promise<string> {
  const { url } = await store.write(async (tx) => {
    const account = await findAccount(tx, email);
    assert.ok(account);
    return await oauth.addPasswordLink(tx, account.id, new URL(ORIGIN));
  });
  assert.match(url, /^https?:\/\/[\w.:]+\/oauth2\/password\?link=plk_[\w-]{43}$/);
  return new URL(url).searchParams.get("link") ?? "";
}

/** Sets a password with a link. */
export function usePasswordLink(
  signIn: SignIn,
  link: string,
  password: string,
  again = password,
): Promise<Response> {
  return signIn.send("/oauth2/password", {
    method: "POST",
    headers: { Origin: ORIGIN, "Sec-Fetch-Site": "same-origin" },
    body: new URLSearchParams({ link, password, again }),
  });
}

/** Opens the page that asks for a password. */
export async function openSignIn(signIn: SignIn, path = authorizePath()): Promise<OpenPage> {
  const response = await signIn.send(path);
  assert.equal(response.status, 200);
  return await pageIn(response);
}

/** Types a password into an open page. */
export function typePassword(
  signIn: SignIn,
  page: Pick<OpenPage, "form" | "cookie">,
  typed: { email?: string; password?: string; sender?: string } = {},
  headers: Record<string, string> = {},
): Promise<Response> {
  const { email = OWNER, password = PASSWORD, sender } = typed;
  const request = new Request(`${ORIGIN}/oauth2/authorize/sign-in`, {
    method: "POST",
    headers: {
      ...{ Origin: ORIGIN, "Sec-Fetch-Site": "same-origin", Cookie: page.cookie },
      ...headers,
    },
    body: new URLSearchParams({ form: page.form, email, password }),
  });
  return signIn.handle(request, sender);
}

/** Signs in with a password, up to the page that asks for consent. */
export async function openConsent(signIn: SignIn, path?: string): Promise<OpenPage> {
  const response = await typePassword(signIn, await openSignIn(signIn, path));
  const page = await pageIn(response);
  assert.equal(response.status, 200, page.html);
  return page;
}
