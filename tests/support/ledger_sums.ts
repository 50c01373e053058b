/**
 * What must hold of the rows that a ledger leaves behind, whatever has happened.
 *
 * @module
 */

import { deepEqual } from "node:assert/strict";
import { checkAll } from "../../lib/service/check/check.ts";
import { rowsOf } from "../../lib/service/check/invariant.ts";
import type { Store } from "../../lib/service/store/mod.ts";

/**
 * Checks all invariants, up to a moment at which everything that is due has been done. Besides, no
 * period begins before the one before it ends: here nobody extends, ends or changes anything.
 */
export async function checkSums(store: Store, now: number): Promise<void> {
  await store.read(async (tx) => {
    const moment = { tx, now, settled: true };
    const broken = (await checkAll(moment)).filter(({ rows }) => rows.length > 0);
    deepEqual(broken.map(({ name, rows }) => ({ name, row: rows[0] })), []);
    const overlapping = await rowsOf(
      moment,
      `select * from (
        select subscription_id, purchased_at, lag(expires_at) over (
          partition by project_id, subscription_id order by seq, purchased_at) as before
        from transactions where status = 'completed') as payments
      where purchased_at < before - 1`,
    );
    deepEqual(overlapping, []);
  });
}
