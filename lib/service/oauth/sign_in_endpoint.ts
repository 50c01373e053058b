/**
 * Asks who is there, before anybody is asked for consent: for the password here, or by sending the
 * browser to a provider.
 *
 * @module
 */

import type { Found } from "../http/mount.ts";
import type { OpenRoute } from "../http/open_server.ts";
import type { Tx } from "../store/mod.ts";
import type { Row } from "../store/tables.ts";
import { findClient } from "./clients.ts";
import { addForm, findForm, type FormMatter, type NewForm, takeForm } from "./consent_forms.ts";
import { type Parameters, readForm } from "./form.ts";
import { consentPage } from "./pages.ts";
import { findPassword } from "./passwords.ts";
import { commit, type OAuthParts } from "./parts.ts";
import { elsewherePage, signInPage } from "./sign_in_pages.ts";
import { PageRefusal } from "./refusal.ts";
import type { Passwords } from "./scrypt.ts";
import type { Span } from "./tokens.ts";
import { countTry, forgiveTry } from "./tries.ts";
import { checkOrigin, cookieOf, redirect, refuseWithPage, shownForm, visitOf } from "./visits.ts";

/** The routes of the page that asks for a password. */
export function signInRoutes(parts: OAuthParts): OpenRoute[] {
  const { way } = parts;
  if (way.kind === "open") return [];
  const common = { method: "POST", refuse: refuseWithPage };
  return [
    {
      ...common,
      path: "/oauth2/authorize/again",
      answer: ({ request }) => startAgain(parts, request),
    },
    ...way.kind === "password"
      ? [{
        ...common,
        path: "/oauth2/authorize/sign-in",
        answer: (found: Found) => answerPassword(parts, way.passwords, found),
      }]
      : [],
  ];
}

/** Asks who wants to allow what a program asks for. */
export async function askWho(
  parts: OAuthParts,
  request: Request,
  matter: FormMatter,
): Promise<Response> {
  const form = await commit(
    parts,
    async (tx, span) => ({ value: await addForm(tx, matter, span) }),
  );
  if (parts.way.kind !== "oidc") {
    return signInPage({ form: form.id }, { "Set-Cookie": cookieOf(parts, request, form) });
  }
  const address = await parts.way.provider.addressFor(visitOf(parts, request, form));
  return redirect(address, { "Set-Cookie": cookieOf(parts, request, form, { returns: true }) });
}

/** Lets somebody else sign in than the one that the page shows. */
async function startAgain(parts: OAuthParts, request: Request): Promise<Response> {
  checkOrigin(parts, request);
  const given = await readForm(request);
  const shown = shownForm(parts, request, given.required("form"));
  const form = await commit(parts, async (tx, span) => {
    const before = await takeForm(tx, shown, span.now);
    return { value: await addForm(tx, { ...before, account_id: null }, span) };
  });
  if (parts.way.kind !== "oidc") {
    return signInPage({ form: form.id }, { "Set-Cookie": cookieOf(parts, request, form) });
  }
  // A page with a link: browsers follow no redirect of a form to a host that its page did not name.
  const address = await parts.way.provider.addressFor(visitOf(parts, request, form), {
    anew: true,
  });
  const cookie = cookieOf(parts, request, form, { returns: true });
  return elsewherePage(address, { "Set-Cookie": cookie });
}

/** Takes a password, and asks for consent when it is right. */
async function answerPassword(
  parts: OAuthParts,
  passwords: Passwords,
  { request, sender }: Found,
): Promise<Response> {
  checkOrigin(parts, request);
  const given = await readForm(request);
  const id = given.required("form");
  const shown = shownForm(parts, request, id);
  const trier = { email: emailIn(given), sender };
  const { now, known, lockedUntil, networkLock } = await commit(parts, async (tx, { now }) => {
    await findForm(tx, shown, now);
    const counted = await countTry(tx, trier, now);
    return { value: { now, ...counted, known: await findPassword(tx, trier.email) } };
  });
  if (lockedUntil !== undefined) {
    const seconds = Math.ceil((lockedUntil - now) / 1000);
    const headers = { "Retry-After": String(seconds) };
    const problem = `There were too many wrong tries. Wait ${inWords(seconds)}, then try again.`;
    return signInPage({ form: id, email: trier.email, problem, status: 429 }, headers);
  }
  // An account that does not exist, or has no password yet, takes as long as a wrong password.
  const isRight = await passwords.matches(given.optional("password") ?? "", known?.hash);
  if (!isRight || !known) {
    const problem = "The e-mail address or the password is wrong.";
    return signInPage({ form: id, email: trier.email, problem, status: 403 });
  }
  const signedIn = await commit(parts, async (tx, span) => {
    const form = await takeForm(tx, shown, span.now);
    // It may have been changed in the meantime.
    if ((await findPassword(tx, trier.email))?.hash !== known.hash) throw changed();
    await forgiveTry(tx, trier, { now: span.now, networkLock });
    return { value: await admit(tx, form, known.account_id, span) };
  });
  return askSignedIn(parts, request, signedIn);
}

function emailIn(given: Parameters): string {
  return (given.optional("email") ?? "").trim().toLowerCase().slice(0, 255);
}

function changed(): PageRefusal {
  return new PageRefusal({
    title: "The password has changed",
    message: "It was changed while you were signing in.",
  });
}

/** A form on which somebody has signed in. */
interface SignedIn {
  /** What the form asks. */
  matter: FormMatter;
  /** The form. */
  form: NewForm;
  /** The client's name. */
  client: string;
  /** Who has signed in. */
  account: Row<"accounts">;
}

/** Puts a form on which an account has signed in into the place of one that asked who is there. */
export async function admit(
  tx: Tx,
  before: FormMatter,
  accountId: string,
  span: Span,
): Promise<SignedIn> {
  const account = await tx.selectFrom("accounts").selectAll().where("id", "=", accountId)
    .executeTakeFirstOrThrow();
  const matter = { ...before, account_id: account.id };
  const client = await findClient(tx, before.client_id);
  // The id and the cookie are new, so nobody who has seen the earlier ones is signed in with them.
  const form = await addForm(tx, matter, span);
  return { matter, form, client: client?.name ?? before.client_id, account };
}

/** Asks the one who has signed in for consent. */
export function askSignedIn(
  parts: OAuthParts,
  request: Request,
  { matter, form, client, account }: SignedIn,
): Response {
  const { scope, redirect_uri } = matter;
  const view = { client, scope, redirect_uri, accounts: [account], form: form.id, again: true };
  return consentPage(view, { "Set-Cookie": cookieOf(parts, request, form) });
}

function inWords(seconds: number): string {
  if (seconds < 120) return seconds === 1 ? "one second" : `${seconds} seconds`;
  return `${Math.ceil(seconds / 60)} minutes`;
}
