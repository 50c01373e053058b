/**
 * The page behind a one-time link: it sets the password of an account.
 *
 * @module
 */

import type { OpenRoute } from "../http/open_server.ts";
import { readForm } from "./form.ts";
import { faultOfPassword } from "./password_rules.ts";
import { findLink, setPassword } from "./passwords.ts";
import type { OAuthParts } from "./parts.ts";
import { PageRefusal } from "./refusal.ts";
import type { Passwords } from "./scrypt.ts";
import { passwordPage, passwordSetPage } from "./sign_in_pages.ts";
import { checkNavigation, checkOrigin, refuseWithPage } from "./visits.ts";

const PATH = "/oauth2/password";

/** A one-time link on which a person sets a password. */
export interface PasswordLink {
  /** Its address. */
  url: string;
  /** When it ends, in milliseconds since 1970. */
  expires_at: number;
}

/** The address of a link of a service. Its secret is in the query, which the log does not have. */
export function linkAddress(origin: string, token: string): string {
  return `${origin}${PATH}?link=${token}`;
}

/** The routes of the page. */
export function passwordRoutes(parts: OAuthParts): OpenRoute[] {
  if (parts.way.kind !== "password") return [];
  const { passwords } = parts.way;
  const common = { path: PATH, refuse: refuseWithPage };
  return [
    { ...common, method: "GET", answer: ({ request }) => showForm(parts, request) },
    { ...common, method: "POST", answer: ({ request }) => takePassword(parts, passwords, request) },
  ];
}

/** Shows the form. Looking at a link does not use it up: programs that preview links do that too. */
async function showForm(parts: OAuthParts, request: Request): Promise<Response> {
  checkNavigation(request);
  const token = new URL(request.url).searchParams.get("link") ?? "";
  const owner = await parts.store.read((tx) => findLink(tx, token, parts.clock()));
  if (!owner) throw badLink();
  return passwordPage({ token, email: owner.email });
}

async function takePassword(
  parts: OAuthParts,
  passwords: Passwords,
  request: Request,
): Promise<Response> {
  checkOrigin(parts, request);
  const given = await readForm(request);
  const token = given.required("link");
  const owner = await parts.store.read((tx) => findLink(tx, token, parts.clock()));
  if (!owner) throw badLink();
  const { email } = owner;
  const password = given.optional("password") ?? "";
  const again = given.optional("again") ?? "";
  const problem = await faultOfPassword({ password, again, email });
  if (problem !== undefined) return passwordPage({ token, email, problem });
  const hash = await passwords.hash(password);
  const span = { now: parts.clock(), lifetimes: parts.lifetimes };
  const ended = await parts.store.write((tx) => setPassword(tx, token, hash, span));
  if (!ended) throw badLink();
  ended.forEach(parts.cache.forget);
  return passwordSetPage(email);
}

function badLink(): PageRefusal {
  return new PageRefusal({
    title: "This link is not valid",
    message: "It was used before, has expired, or was replaced by a newer one.",
    next: "Ask the administrator of this service for a new link.",
  }, { status: 403 });
}
