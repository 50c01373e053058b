/**
 * Grants and their tokens in the database. A grant is what a person allowed a client to do; all
 * tokens of one sign-in belong to it and end with it.
 *
 * @module
 */

import { newId, newToken, sha256Hex } from "../records/ids.ts";
import type { Tx } from "../store/mod.ts";
import type { LiveToken } from "./token_cache.ts";

/** How long things are good for, in milliseconds. */
export interface Lifetimes {
  /** An access token. */
  access: number;
  /** A refresh token; its successor starts anew. */
  refresh: number;
  /** How long a refresh token that was exchanged still answers with its successor. */
  grace: number;
  /** An authorization code. */
  code: number;
  /** The page that asks for a password or for consent. */
  form: number;
  /** A link that sets a password. */
  link: number;
}

/** One hour, 30 days, 30 seconds, one minute, ten minutes, one day. */
export const LIFETIMES: Lifetimes = {
  access: 3_600_000,
  refresh: 30 * 86_400_000,
  grace: 30_000,
  code: 60_000,
  form: 600_000,
  link: 86_400_000,
};

/** What the token endpoint answers. */
export interface TokenAnswer {
  /** The access token, `atk_…`. */
  access_token: string;
  /** How to send it: as a bearer token. */
  token_type: "Bearer";
  /** Whole seconds until the access token ends. */
  expires_in: number;
  /** The refresh token, `rtk_…`. Absent when the one that was sent stays the one to use. */
  refresh_token?: string;
  /** What the access token permits, space-separated. */
  scope: string;
}

/** A token answer that holds a refresh token. */
export interface TokenPair extends TokenAnswer {
  /** The refresh token, `rtk_…`. */
  refresh_token: string;
}

/** What a grant is made of. */
interface NewGrant {
  /** The account that allows it. */
  account_id: string;
  /** The client that may use it. */
  client_id: string;
  /** What it permits, space-separated. */
  scope: string;
  /** Whether a refresh replaces the refresh token. */
  rotates: boolean;
}

/** When something begins and ends, in milliseconds since 1970. */
export interface Span {
  /** Now. */
  now: number;
  /** How long things are good for. */
  lifetimes: Lifetimes;
}

/** Makes a grant with its first pair of tokens, and returns both. */
export async function startGrant(
  tx: Tx,
  grant: NewGrant,
  span: Span,
): Promise<{ id: string; pair: TokenPair }> {
  const id = newId("grant");
  await tx.insertInto("grants").values({
    ...grant,
    id,
    rotates: grant.rotates ? 1 : 0,
    created_at: span.now,
    revoked_at: null,
  }).execute();
  const tokens = { refresh: newToken("rtk_"), access: newToken("atk_") };
  return { id, pair: await addPair(tx, { id, scope: grant.scope }, tokens, span) };
}

/** Stores a pair of tokens of a grant. `scope` narrows the access token, never the refresh token. */
export async function addPair(
  tx: Tx,
  grant: { id: string; scope: string },
  tokens: { refresh: string; access: string },
  span: Span,
  scope?: string,
): Promise<TokenPair> {
  await tx.insertInto("refresh_tokens").values({
    hash: sha256Hex(tokens.refresh),
    grant_id: grant.id,
    created_at: span.now,
    expires_at: span.now + span.lifetimes.refresh,
    rotated_at: null,
  }).execute();
  const answer = await addAccessToken(tx, grant, tokens.access, span, scope);
  return pairOf(answer, tokens.refresh);
}

/** Stores an access token of a grant. */
export async function addAccessToken(
  tx: Tx,
  grant: { id: string; scope: string },
  token: string,
  span: Span,
  scope?: string,
): Promise<TokenAnswer> {
  const expires_at = span.now + span.lifetimes.access;
  await tx.insertInto("access_tokens").values({
    hash: sha256Hex(token),
    grant_id: grant.id,
    created_at: span.now,
    expires_at,
    scope: scope ?? null,
  }).execute();
  return answerOf(token, expires_at - span.now, scope ?? grant.scope);
}

/** The answer for an access token with so many milliseconds left. */
export function answerOf(token: string, left: number, scope: string): TokenAnswer {
  return {
    access_token: token,
    token_type: "Bearer",
    expires_in: Math.floor(left / 1000),
    scope,
  };
}

/** The answer with its refresh token. */
export function pairOf(answer: TokenAnswer, refresh_token: string): TokenPair {
  const { access_token, token_type, expires_in, scope } = answer;
  return { access_token, token_type, expires_in, refresh_token, scope };
}

/** The access token, if it is live: neither expired nor revoked. */
export async function findAccessToken(
  tx: Tx,
  token: string,
  now: number,
): Promise<LiveToken | undefined> {
  const row = await tx.selectFrom("access_tokens as t")
    .innerJoin("grants as g", "g.id", "t.grant_id")
    .innerJoin("accounts as a", "a.id", "g.account_id")
    .select(["t.expires_at", "t.scope as own_scope", "t.grant_id"])
    .select(["g.account_id", "g.client_id", "g.scope", "a.email", "a.name", "a.has_mfa"])
    .where("t.hash", "=", sha256Hex(token))
    .where("t.expires_at", ">", now)
    .where("g.revoked_at", "is", null)
    .executeTakeFirst();
  if (!row) return undefined;
  const { account_id, client_id, email, name, grant_id, expires_at } = row;
  const scope = row.own_scope ?? row.scope;
  const actor = { account_id, email, name, has_mfa: row.has_mfa === 1, client_id, scope };
  return { actor, grant_id, expires_at };
}

/** Ends a grant: its access tokens are gone, its refresh tokens no longer good. */
export async function revokeGrant(tx: Tx, id: string, now: number): Promise<void> {
  await tx.updateTable("grants").set({ revoked_at: now })
    .where("id", "=", id).where("revoked_at", "is", null).execute();
  await dropAccessTokens(tx, id);
}

/** Ends the access tokens of a grant. */
export async function dropAccessTokens(tx: Tx, grantId: string): Promise<void> {
  await tx.deleteFrom("access_tokens").where("grant_id", "=", grantId).execute();
}
