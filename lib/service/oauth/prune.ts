/**
 * Removes what has expired.
 *
 * @module
 */

import type { Tx } from "../store/mod.ts";

/** An expired code is kept for a day: a second use must still be recognised as one. */
const KEEP_CODES_MS = 86_400_000;

/**
 * Removes expired tokens, codes, forms, links and tries, and grants that have no token left. A refresh token that
 * was exchanged stays until it expires, so that its reuse is noticed.
 */
export async function prune(tx: Tx, now: number): Promise<void> {
  await tx.deleteFrom("consent_forms").where("expires_at", "<=", now).execute();
  await tx.deleteFrom("password_links").where("expires_at", "<=", now).execute();
  await tx.deleteFrom("sign_in_tries").where("expires_at", "<=", now).execute();
  await tx.deleteFrom("authorization_codes").where("expires_at", "<=", now - KEEP_CODES_MS)
    .execute();
  await tx.deleteFrom("access_tokens").where("expires_at", "<=", now).execute();
  await tx.deleteFrom("refresh_tokens").where("expires_at", "<=", now).execute();
  await tx.deleteFrom("grants")
    .where((eb) =>
      eb.not(eb.exists(
        eb.selectFrom("refresh_tokens as r").select("r.hash").whereRef(
          "r.grant_id",
          "=",
          "grants.id",
        ),
      ))
    )
    .where((eb) =>
      eb.not(eb.exists(
        eb.selectFrom("access_tokens as a").select("a.hash").whereRef(
          "a.grant_id",
          "=",
          "grants.id",
        ),
      ))
    )
    .execute();
}
