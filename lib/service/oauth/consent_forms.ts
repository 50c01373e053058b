/**
 * The forms that ask for a sign-in and for consent. What is asked stays here, so a form that was
 * tampered with asks for nothing else; the form has a one-time id, and a cookie shows that the same
 * browser answers it. Who has signed in is a fact of one form: no cookie opens a second one.
 *
 * @module
 */

import { randomBytes } from "node:crypto";
import { sha256Hex } from "../records/ids.ts";
import type { Tx } from "../store/mod.ts";
import type { Row } from "../store/tables.ts";
import type { Asked, Target } from "./authorization_request.ts";
import { PageRefusal, unusableForm } from "./refusal.ts";
import type { Span } from "./tokens.ts";

/** A form on its way to a browser. */
export interface NewForm {
  /** The one-time id, for the page. */
  id: string;
  /** The secret, for the cookie. */
  secret: string;
}

/** How many forms may wait for an answer: of one address, and of all. */
export const MOST_FORMS = { sender: 100, all: 1000 };

/** What a form asks, for whom. */
export type FormMatter = Pick<
  Row<"consent_forms">,
  "client_id" | "redirect_uri" | "scope" | "challenge" | "state" | "sender" | "account_id"
>;

/** What a new form asks: nobody has signed in yet. */
export function matterOf(target: Target, asked: Asked & { sender: string }): FormMatter {
  return {
    client_id: target.client.id,
    redirect_uri: target.redirect_uri,
    scope: asked.scope,
    challenge: asked.challenge,
    state: target.state ?? null,
    sender: asked.sender,
    account_id: null,
  };
}

/** Stores what a form asks. Where there are too many, the oldest ones go. */
export async function addForm(tx: Tx, matter: FormMatter, span: Span): Promise<NewForm> {
  const form = { id: randomText(), secret: randomText() };
  const hash = sha256Hex(form.id);
  const { client_id, redirect_uri, scope, challenge, state, sender, account_id } = matter;
  await tx.insertInto("consent_forms").values({
    ...{ client_id, redirect_uri, scope, challenge, state, sender, account_id },
    hash,
    cookie_hash: sha256Hex(form.secret),
    expires_at: span.now + span.lifetimes.form,
    answered_at: null,
  }).execute();
  await dropOldest(tx, hash, MOST_FORMS.sender, sender);
  await dropOldest(tx, hash, MOST_FORMS.all);
  return form;
}

/** Removes the oldest forms, of one sender or of all, until no more than so many are left. */
async function dropOldest(tx: Tx, latest: string, most: number, sender?: string): Promise<void> {
  await tx.deleteFrom("consent_forms").where("hash", "in", (eb) => {
    const others = eb.selectFrom("consent_forms").select("hash").where("hash", "!=", latest)
      .orderBy("expires_at", "desc").limit(Number.MAX_SAFE_INTEGER).offset(most - 1);
    return sender === undefined ? others : others.where("sender", "=", sender);
  }).execute();
}

function randomText(): string {
  return randomBytes(32).toString("base64url");
}

/** A form that a browser sends back. */
export interface ShownForm {
  /** The one-time id. */
  id: string;
  /** The secret in the cookie that came along, if one did. */
  secret: string | undefined;
}

/**
 * Finds what a form asks, without answering it.
 *
 * @throws {PageRefusal} when the form is unknown or too old, or when another browser answers it.
 */
export async function findForm(
  tx: Tx,
  { id, secret }: ShownForm,
  now: number,
): Promise<Row<"consent_forms">> {
  const form = await tx.selectFrom("consent_forms").selectAll().where("hash", "=", sha256Hex(id))
    .executeTakeFirst();
  if (!form || secret === undefined || form.cookie_hash !== sha256Hex(secret)) {
    const message = "The form does not belong to this browser session.";
    throw unusableForm(message, { status: 403 });
  }
  if (form.expires_at <= now) throw unusableForm("It has expired.");
  return form;
}

/**
 * Takes what a form asked, for the first and only time.
 *
 * @throws {PageRefusal} as `findForm`, and when the form was answered before.
 */
export async function takeForm(
  tx: Tx,
  shown: ShownForm,
  now: number,
): Promise<Row<"consent_forms">> {
  const form = await findForm(tx, shown, now);
  const { numUpdatedRows } = await tx.updateTable("consent_forms").set({ answered_at: now })
    .where("hash", "=", form.hash).where("answered_at", "is", null).executeTakeFirst();
  if (numUpdatedRows === 1n) return form;
  throw new PageRefusal({
    title: "You have already answered",
    message: "The form was submitted twice. The second submission changed nothing.",
    next: "Return to the program that sent you here. If it is still waiting, start again there.",
  });
}

/** How a form's cookie is set. */
interface CookieOptions {
  /** Whether the service is reached over TLS. */
  secure: boolean;
  /** How long the cookie is good for, in milliseconds. */
  lifetime: number;
  /** Whether it must also come along when another site sends the browser back here. */
  returns?: boolean;
}

/** The `Set-Cookie` that goes with a form, or takes its cookie away when there is no secret. */
export function formCookie(
  id: string,
  secret: string | undefined,
  { secure, lifetime, returns = false }: CookieOptions,
): string {
  const age = secret === undefined ? 0 : Math.floor(lifetime / 1000);
  // A name with this beginning can be set by this very host alone, over TLS. It must have this path.
  const rest = secure ? "Path=/; Secure" : "Path=/oauth2/authorize";
  return `${cookieName(id, secure)}=${secret ?? ""}; ${rest}; Max-Age=${age}; HttpOnly; ` +
    `SameSite=${returns ? "Lax" : "Strict"}`;
}

/** Each form has its own cookie, so that two tabs do not disturb each other. */
function cookieName(id: string, secure: boolean): string {
  return `${secure ? "__Host-" : ""}consent_${sha256Hex(id).slice(0, 16)}`;
}

/** The secret of a form among the cookies of a request. */
export function secretIn(
  cookies: string | null,
  id: string,
  { secure }: Pick<CookieOptions, "secure">,
): string | undefined {
  const name = cookieName(id, secure);
  for (const pair of (cookies ?? "").split(";")) {
    const [key, ...value] = pair.trim().split("=");
    if (key === name) return value.join("=");
  }
  return undefined;
}
