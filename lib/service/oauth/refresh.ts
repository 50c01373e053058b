/**
 * The refresh grant: rotation by compare-and-set, a grace in which the old token still answers with
 * the same successor, and the end of the grant when an old token turns up later.
 *
 * @module
 */

import { newToken, sha256Hex } from "../records/ids.ts";
import type { Tx } from "../store/mod.ts";
import { invalidGrant, OAuthRefusal, type Outcome } from "./refusal.ts";
import { isWithin } from "./scope.ts";
import { deriveSuccessors, ensureServerKey } from "./server_key.ts";
import {
  addAccessToken,
  addPair,
  answerOf,
  dropAccessTokens,
  pairOf,
  revokeGrant,
  type Span,
  type TokenAnswer,
  type TokenPair,
} from "./tokens.ts";

/** What a refresh asks for. */
interface RefreshRequest {
  /** The refresh token. */
  token: string;
  /** The client that sends it. */
  client_id: string;
  /** Narrows the new access token. */
  scope?: string | undefined;
}

/** Answers a refresh. */
export async function refreshTokens(
  tx: Tx,
  request: RefreshRequest,
  span: Span,
): Promise<Outcome<TokenAnswer>> {
  const found = await findRefreshToken(tx, request.token);
  const refusal = reasonAgainst(found, request, span.now);
  if (!found || refusal) return { value: refusal ?? unknownToken() };
  const grant = { id: found.grant_id, scope: found.scope };
  if (found.rotates === 0) {
    return { value: await addAccessToken(tx, grant, newToken("atk_"), span, request.scope) };
  }
  if (await markRotated(tx, request.token, span.now)) {
    return { value: await rotate(tx, grant, request, span), stale: grant.id };
  }
  if (span.now - (found.rotated_at ?? span.now) < span.lifetimes.grace) {
    return { value: await currentPair(tx, grant, request, span) };
  }
  await revokeGrant(tx, grant.id, span.now);
  const message = "The refresh token was used before, so this sign-in has ended; sign in again";
  return { value: invalidGrant(message), stale: grant.id };
}

type FoundToken = NonNullable<Awaited<ReturnType<typeof findRefreshToken>>>;

function findRefreshToken(tx: Tx, token: string) {
  return tx.selectFrom("refresh_tokens as t")
    .innerJoin("grants as g", "g.id", "t.grant_id")
    .select(["t.grant_id", "t.expires_at", "t.rotated_at"])
    .select(["g.client_id", "g.scope", "g.rotates", "g.revoked_at"])
    .where("t.hash", "=", sha256Hex(token))
    .executeTakeFirst();
}

/** Why a token cannot be used, whether or not it was exchanged already. */
function reasonAgainst(
  found: FoundToken | undefined,
  request: RefreshRequest,
  now: number,
): OAuthRefusal | undefined {
  if (!found) return unknownToken();
  if (found.client_id !== request.client_id) {
    return invalidGrant("The refresh token was issued to another client");
  }
  if (found.revoked_at !== null) {
    return invalidGrant("The refresh token was revoked; sign in again");
  }
  if (found.expires_at <= now) return invalidGrant("The refresh token has expired; sign in again");
  if (request.scope !== undefined && !isWithin(found.scope, request.scope)) {
    return new OAuthRefusal("invalid_scope", "The scope exceeds the granted scope");
  }
  return undefined;
}

function unknownToken(): OAuthRefusal {
  return invalidGrant("The refresh token is unknown");
}

/** Marks a token as exchanged. False when somebody else was faster. */
async function markRotated(tx: Tx, token: string, now: number): Promise<boolean> {
  const { numUpdatedRows } = await tx.updateTable("refresh_tokens").set({ rotated_at: now })
    .where("hash", "=", sha256Hex(token)).where("rotated_at", "is", null).executeTakeFirst();
  return numUpdatedRows === 1n;
}

/** Puts the successors in the place of a token and of the access tokens that came with it. */
async function rotate(
  tx: Tx,
  grant: { id: string; scope: string },
  request: RefreshRequest,
  span: Span,
): Promise<TokenPair> {
  const successors = deriveSuccessors(await ensureServerKey(tx), request.token);
  await dropAccessTokens(tx, grant.id);
  return await addPair(tx, grant, successors, span, request.scope);
}

/**
 * The pair that took the place of a token. When that was exchanged as well, all within the grace,
 * the one after it, and so on: the caller gets tokens that work. A caller that asks for other
 * permissions than the first one did gets an access token of its own.
 */
async function currentPair(
  tx: Tx,
  grant: { id: string; scope: string },
  { token, scope = grant.scope }: RefreshRequest,
  span: Span,
): Promise<TokenPair> {
  const key = await ensureServerKey(tx);
  let pair = deriveSuccessors(key, token);
  while (await isRotated(tx, pair.refresh)) pair = deriveSuccessors(key, pair.refresh);
  const access = await tx.selectFrom("access_tokens").select(["expires_at", "scope"])
    .where("hash", "=", sha256Hex(pair.access)).where("expires_at", ">", span.now)
    .executeTakeFirst();
  const given = access?.scope ?? grant.scope;
  // It may have ended on its own: revoked by its holder, or short-lived.
  const answer = access && isWithin(given, scope) && isWithin(scope, given)
    ? answerOf(pair.access, access.expires_at - span.now, given)
    : await addAccessToken(tx, grant, newToken("atk_"), span, scope);
  return pairOf(answer, pair.refresh);
}

async function isRotated(tx: Tx, token: string): Promise<boolean> {
  const row = await tx.selectFrom("refresh_tokens").select("hash")
    .where("hash", "=", sha256Hex(token)).where("rotated_at", "is not", null).executeTakeFirst();
  return row !== undefined;
}
