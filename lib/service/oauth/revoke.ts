/**
 * Revocation, RFC 7009.
 *
 * @module
 */

import { sha256Hex } from "../records/ids.ts";
import type { Tx } from "../store/mod.ts";
import { invalidGrant, type Outcome } from "./refusal.ts";
import { revokeGrant, type Span } from "./tokens.ts";

/**
 * Revokes a token. A refresh token ends the whole grant, also when it was exchanged already; an
 * access token ends alone. An unknown token is no error.
 */
export async function revokeToken(
  tx: Tx,
  token: string,
  client_id: string,
  span: Span,
): Promise<Outcome<undefined>> {
  const hash = sha256Hex(token);
  const refresh = await grantOf(tx, "refresh_tokens", hash);
  const found = refresh ?? await grantOf(tx, "access_tokens", hash);
  if (!found) return { value: undefined };
  if (found.client_id !== client_id) {
    return { value: invalidGrant("The token was issued to another client") };
  }
  if (refresh) await revokeGrant(tx, found.id, span.now);
  else await tx.deleteFrom("access_tokens").where("hash", "=", hash).execute();
  return { value: undefined, stale: found.id };
}

function grantOf(tx: Tx, table: "refresh_tokens" | "access_tokens", hash: string) {
  return tx.selectFrom(table).innerJoin("grants", "grants.id", `${table}.grant_id`)
    .select(["grants.id", "grants.client_id"]).where(`${table}.hash`, "=", hash)
    .executeTakeFirst();
}
