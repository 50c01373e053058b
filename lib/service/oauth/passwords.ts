/**
 * The passwords of accounts, and the one-time links that set them.
 *
 * @module
 */

import { randomBytes } from "node:crypto";
import { sha256Hex } from "../records/ids.ts";
import type { Tx } from "../store/mod.ts";
import { forgetTries } from "./tries.ts";
import { revokeGrant, type Span } from "./tokens.ts";

/** A link that was made. */
interface NewLink {
  /** The secret in it. */
  token: string;
  /** When it ends, in milliseconds since 1970. */
  expires_at: number;
}

/** Whose link it is. */
interface LinkOwner {
  /** The account. */
  account_id: string;
  /** Its e-mail address. */
  email: string;
}

/** Makes a link for an account. Its earlier links end. */
export async function addLink(tx: Tx, accountId: string, span: Span): Promise<NewLink> {
  const token = `plk_${randomBytes(32).toString("base64url")}`;
  const expires_at = span.now + span.lifetimes.link;
  await tx.deleteFrom("password_links").where("account_id", "=", accountId).execute();
  await tx.insertInto("password_links")
    .values({ hash: sha256Hex(token), account_id: accountId, expires_at }).execute();
  return { token, expires_at };
}

/** Whose link this is; undefined when it is unknown, was used, or has expired. */
export async function findLink(tx: Tx, token: string, now: number): Promise<LinkOwner | undefined> {
  return await tx.selectFrom("password_links as l")
    .innerJoin("accounts as a", "a.id", "l.account_id")
    .select(["l.account_id", "a.email"])
    .where("l.hash", "=", sha256Hex(token)).where("l.expires_at", ">", now)
    .executeTakeFirst();
}

/**
 * Uses a link up: sets the password, and ends the sign-ins of its account. Returns the grants that
 * ended; undefined when the link is not good any more.
 */
export async function setPassword(
  tx: Tx,
  token: string,
  hash: string,
  { now }: Span,
): Promise<string[] | undefined> {
  const owner = await findLink(tx, token, now);
  if (!owner) return undefined;
  const { account_id, email } = owner;
  await tx.deleteFrom("password_links").where("account_id", "=", account_id).execute();
  await tx.insertInto("passwords").values({ account_id, hash, changed_at: now })
    .onConflict((conflict) => conflict.column("account_id").doUpdateSet({ hash, changed_at: now }))
    .execute();
  await forgetTries(tx, email);
  return await endSignIns(tx, account_id, now);
}

/**
 * Ends what a person has signed in to: pages that wait for consent, codes, and grants. Tokens of
 * `cli service token`, which do not rotate, stay: the administrator made them.
 */
async function endSignIns(tx: Tx, accountId: string, now: number): Promise<string[]> {
  await tx.deleteFrom("consent_forms").where("account_id", "=", accountId).execute();
  await tx.deleteFrom("authorization_codes").where("account_id", "=", accountId)
    .where("used_at", "is", null).execute();
  const grants = await tx.selectFrom("grants").select("id").where("account_id", "=", accountId)
    .where("rotates", "=", 1).where("revoked_at", "is", null).execute();
  for (const { id } of grants) await revokeGrant(tx, id, now);
  return grants.map(({ id }) => id);
}

/** The hash of an account's password, with who it is; undefined when there is no such account. */
export async function findPassword(
  tx: Tx,
  email: string,
): Promise<{ account_id: string; hash: string } | undefined> {
  return await tx.selectFrom("passwords as p").innerJoin("accounts as a", "a.id", "p.account_id")
    .select(["p.account_id", "p.hash"]).where("a.email", "=", email.toLowerCase())
    .executeTakeFirst();
}
