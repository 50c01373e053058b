/**
 * Removes what has expired.
 *
 * @module
 */

import { fixed, type TextTx } from "../store/mod.ts";

/** An expired code is kept for a day: a second use must still be recognised as one. */
const KEEP_CODES_MS = 86_400_000;

/**
 * Removes expired tokens, codes, forms, links and tries, and grants that have no token left. A refresh token that
 * was exchanged stays until it expires, so that its reuse is noticed.
 */
export async function prune(tx: TextTx, now: number): Promise<void> {
  await fixed`delete from consent_forms where expires_at <= ${now}`.execute(tx);
  await fixed`delete from password_links where expires_at <= ${now}`.execute(tx);
  await fixed`delete from sign_in_tries where expires_at <= ${now}`.execute(tx);
  await fixed`delete from authorization_codes where expires_at <= ${now - KEEP_CODES_MS}`
    .execute(tx);
  await fixed`delete from access_tokens where expires_at <= ${now}`.execute(tx);
  await fixed`delete from refresh_tokens where expires_at <= ${now}`.execute(tx);
  await fixed`delete from grants
    where not exists (select 1 from refresh_tokens where refresh_tokens.grant_id = grants.id)
      and not exists (select 1 from access_tokens where access_tokens.grant_id = grants.id)`
    .execute(tx);
}
