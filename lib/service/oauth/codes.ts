/**
 * Authorization codes: good for one attempt, for a minute, for whom they were made.
 *
 * @module
 */

import { createHash, randomBytes } from "node:crypto";
import { sha256Hex } from "../records/ids.ts";
import type { Tx } from "../store/mod.ts";
import type { Row } from "../store/tables.ts";
import type { Parameters } from "./form.ts";
import { invalidGrant, invalidRequest, OAuthRefusal, type Outcome } from "./refusal.ts";
import { revokeGrant, type Span, startGrant, type TokenAnswer } from "./tokens.ts";

/** What a code is bound to. */
interface CodeBinding {
  /** The account that consented. */
  account_id: string;
  /** The client that asked. */
  client_id: string;
  /** Where the code is sent, exactly as asked for. */
  redirect_uri: string;
  /** What was consented to, space-separated. */
  scope: string;
  /** The PKCE challenge, method S256. */
  challenge: string;
}

/** Makes up a code. */
export async function addCode(tx: Tx, binding: CodeBinding, span: Span): Promise<string> {
  const code = randomBytes(32).toString("base64url");
  await tx.insertInto("authorization_codes").values({
    account_id: binding.account_id,
    client_id: binding.client_id,
    redirect_uri: binding.redirect_uri,
    scope: binding.scope,
    challenge: binding.challenge,
    hash: sha256Hex(code),
    expires_at: span.now + span.lifetimes.code,
    used_at: null,
    grant_id: null,
  }).execute();
  return code;
}

/** Exchanges a code for tokens. A second attempt ends what the first one brought about. */
export async function redeemCode(
  tx: Tx,
  form: Parameters,
  client_id: string,
  span: Span,
): Promise<Outcome<TokenAnswer>> {
  const hash = sha256Hex(form.required("code"));
  const redirect_uri = form.required("redirect_uri");
  const verifier = requiredVerifier(form);
  const found = await tx.selectFrom("authorization_codes").selectAll().where("hash", "=", hash)
    .executeTakeFirst();
  if (!found) return { value: invalidGrant("The code is unknown") };
  if (!await markUsed(tx, hash, span.now)) return await punishReuse(tx, found, span.now);
  // Gap: a code that was presented wrongly is used up too, so nobody can try what else may fit.
  const refusal = reasonAgainst(found, { client_id, redirect_uri, verifier }, span.now);
  if (refusal) return { value: refusal };
  const { account_id, scope } = found;
  const { id, pair } = await startGrant(tx, { account_id, client_id, scope, rotates: true }, span);
  await tx.updateTable("authorization_codes").set({ grant_id: id }).where("hash", "=", hash)
    .execute();
  return { value: pair };
}

/** RFC 7636 §4.1. */
function requiredVerifier(form: Parameters): string {
  const verifier = form.required("code_verifier");
  if (/^[A-Za-z0-9._~-]{43,128}$/.test(verifier)) return verifier;
  throw invalidRequest("The code_verifier must be 43 to 128 letters, digits or -._~");
}

/** Marks a code as used. False when it was before. */
async function markUsed(tx: Tx, hash: string, now: number): Promise<boolean> {
  const { numUpdatedRows } = await tx.updateTable("authorization_codes").set({ used_at: now })
    .where("hash", "=", hash).where("used_at", "is", null).executeTakeFirst();
  return numUpdatedRows === 1n;
}

async function punishReuse(
  tx: Tx,
  { grant_id }: Row<"authorization_codes">,
  now: number,
): Promise<Outcome<TokenAnswer>> {
  if (grant_id === null) return { value: invalidGrant("The code was used before") };
  await revokeGrant(tx, grant_id, now);
  const value = invalidGrant("The code was used before; its tokens were revoked");
  return { value, stale: grant_id };
}

/** Why a code is not good for the one who presents it. */
function reasonAgainst(
  found: Row<"authorization_codes">,
  shown: { client_id: string; redirect_uri: string; verifier: string },
  now: number,
): OAuthRefusal | undefined {
  if (found.expires_at <= now) return invalidGrant("The code has expired");
  if (found.client_id !== shown.client_id) {
    return invalidGrant("The code was issued to another client");
  }
  if (found.redirect_uri !== shown.redirect_uri) {
    return invalidGrant("The redirect_uri differs from the one in the authorization request");
  }
  const challenge = createHash("sha256").update(shown.verifier).digest("base64url");
  if (found.challenge !== challenge) {
    return invalidGrant("The code_verifier does not match the code_challenge");
  }
  return undefined;
}
