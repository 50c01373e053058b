/**
 * The forms that ask for consent. What is asked stays here, so a form that was tampered with asks for
 * nothing else; the form has a one-time id, and a cookie shows that the same browser answers it.
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
interface NewForm {
  /** The one-time id, for the page. */
  id: string;
  /** The secret, for the cookie. */
  secret: string;
}

/** How many forms may wait for an answer: of one address, and of all. */
export const MOST_FORMS = { sender: 100, all: 1000 };

/** Stores what a form asks. Where there are too many, the oldest ones go. */
export async function addForm(
  tx: Tx,
  target: Target,
  asked: Asked & { sender: string },
  span: Span,
): Promise<NewForm> {
  const form = { id: randomText(), secret: randomText() };
  const hash = sha256Hex(form.id);
  await tx.insertInto("consent_forms").values({
    hash,
    cookie_hash: sha256Hex(form.secret),
    client_id: target.client.id,
    redirect_uri: target.redirect_uri,
    scope: asked.scope,
    challenge: asked.challenge,
    state: target.state ?? null,
    sender: asked.sender,
    expires_at: span.now + span.lifetimes.form,
    answered_at: null,
  }).execute();
  await dropOldest(tx, hash, MOST_FORMS.sender, asked.sender);
  await dropOldest(tx, hash, MOST_FORMS.all);
  return form;
}

/** Removes the oldest forms, of one sender or of all, until no more than so many are left. */
async function dropOldest(tx: Tx, latest: string, most: number, sender?: string): Promise<void> {
  await tx.deleteFrom("consent_forms").where("hash", "in", (eb) => {
    const others = eb.selectFrom("consent_forms").select("hash").where("hash", "!=", latest)
      .orderBy("expires_at", "desc").limit(-1).offset(most - 1);
    return sender === undefined ? others : others.where("sender", "=", sender);
  }).execute();
}

function randomText(): string {
  return randomBytes(32).toString("base64url");
}

/**
 * Takes what a form asked, for the first and only time.
 *
 * @throws {PageRefusal} when the form is unknown, was answered before or is too old, or when another
 * browser answers it.
 */
export async function takeForm(
  tx: Tx,
  id: string,
  cookies: string | null,
  now: number,
): Promise<Row<"consent_forms">> {
  const hash = sha256Hex(id);
  const form = await tx.selectFrom("consent_forms").selectAll().where("hash", "=", hash)
    .executeTakeFirst();
  const secret = cookieIn(cookies, cookieName(id));
  if (!form || secret === undefined || form.cookie_hash !== sha256Hex(secret)) {
    const message = "The form does not belong to this browser session.";
    throw unusableForm(message, { status: 403 });
  }
  if (form.expires_at <= now) throw unusableForm("It has expired.");
  const { numUpdatedRows } = await tx.updateTable("consent_forms").set({ answered_at: now })
    .where("hash", "=", hash).where("answered_at", "is", null).executeTakeFirst();
  if (numUpdatedRows === 1n) return form;
  throw new PageRefusal({
    title: "You have already answered",
    message: "The form was submitted twice. The second submission changed nothing.",
    next: "Return to the program that sent you here. If it is still waiting, start again there.",
  });
}

/** The `Set-Cookie` that goes with a form, or takes its cookie away when there is no secret. */
export function formCookie(
  id: string,
  secret: string | undefined,
  options: { secure: boolean; lifetime: number },
): string {
  const age = secret === undefined ? 0 : Math.floor(options.lifetime / 1000);
  return `${cookieName(id)}=${secret ?? ""}; Path=/oauth2/authorize; Max-Age=${age}; ` +
    `HttpOnly; SameSite=Strict${options.secure ? "; Secure" : ""}`;
}

/** Each form has its own cookie, so that two tabs do not disturb each other. */
function cookieName(id: string): string {
  return `consent_${sha256Hex(id).slice(0, 16)}`;
}

function cookieIn(header: string | null, name: string): string | undefined {
  for (const pair of (header ?? "").split(";")) {
    const [key, ...value] = pair.trim().split("=");
    if (key === name) return value.join("=");
  }
  return undefined;
}
