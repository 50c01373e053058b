/**
 * Deletes old data of deliveries, by wall time: response bodies after 7 days, attempts and
 * successful deliveries after 30 days. Pending deliveries keep everything. Failed and lost
 * deliveries stay, so that they can be resent. Events stay, since listeners may still need them.
 *
 * @module
 */

import { type RawBuilder, sql, type SqlBool } from "kysely";
import type { Clock } from "../clock.ts";
import { inProject, type Store } from "../store/mod.ts";
import type { Row } from "../store/tables.ts";

/** Deletes old data. */
export interface Pruner {
  /** Deletes all old data in small transactions. A second call waits for the first. */
  prune(): Promise<void>;
  /** Stops after the current transaction. */
  stop(): Promise<void>;
}

const DAY_MS = 24 * 3_600_000;

/** The retention of response bodies. */
const KEEP_BODIES_MS = 7 * DAY_MS;

/** The retention of attempts and successful deliveries. */
const KEEP_MS = 30 * DAY_MS;

/** The rows that one transaction checks. */
const BATCH = 500;

/** Makes the pruner of a database. */
export function createPruner(store: Store, clock: Clock): Pruner {
  let running: Promise<void> | undefined;
  let stopped = false;
  const pruneAll = async () => {
    for (let more = true; more && !stopped;) more = await pruneBodies(store, clock());
    for (let more = true; more && !stopped;) more = await pruneDeliveries(store, clock());
    for (let more = true; more && !stopped;) more = await pruneAttempts(store, clock());
  };
  return {
    prune: () => running ??= pruneAll().finally(() => running = undefined),
    async stop() {
      stopped = true;
      await running?.catch(() => {});
    },
  };
}

/** Whether an attempt belongs to a finished delivery. */
const IS_OVER = sql`exists (
  select 1 from deliveries where deliveries.project_id = attempts.project_id
    and deliveries.id = attempts.delivery_id and state <> 'pending')`;

/**
 * The time up to which a transaction removes things: that of the last of the oldest rows, so many that
 * one transaction may look at. Undefined when nothing is old.
 */
async function cutOf(
  store: Store,
  before: number,
  condition: RawBuilder<SqlBool>,
): Promise<{ at: number; more: boolean } | undefined> {
  const rows = await store.read(async (tx) => {
    const found = await sql<{ at: number }>`select started_at as at from attempts
      where started_at < ${before} and ${condition} and ${IS_OVER}
      order by started_at limit ${BATCH}`.execute(tx);
    return found.rows;
  });
  const last = rows.at(-1);
  return last && { at: last.at, more: rows.length === BATCH };
}

/** Removes bodies of answers. Tells whether there may be more. */
async function pruneBodies(store: Store, now: number): Promise<boolean> {
  const hasBody = sql<SqlBool>`response_body is not null`;
  const cut = await cutOf(store, now - KEEP_BODIES_MS, hasBody);
  if (!cut) return false;
  await store.write(async (tx) => {
    await sql`update attempts set response_body = null, response_cut = 1
      where ${hasBody} and started_at <= ${cut.at} and ${IS_OVER}`.execute(tx);
  });
  return cut.more;
}

/** Removes attempts. Tells whether there may be more. */
async function pruneAttempts(store: Store, now: number): Promise<boolean> {
  const cut = await cutOf(store, now - KEEP_MS, sql<SqlBool>`1 = 1`);
  if (!cut) return false;
  await store.write(async (tx) => {
    await sql`delete from attempts where started_at <= ${cut.at} and ${IS_OVER}`.execute(tx);
  });
  return cut.more;
}

type Arrived = Pick<Row<"deliveries">, "project_id" | "id">;

/** Deletes successful deliveries with their attempts. Returns whether there may be more. */
async function pruneDeliveries(store: Store, now: number): Promise<boolean> {
  const isOld = sql<SqlBool>`state = 'delivered' and finished_at < ${now - KEEP_MS}`;
  const old = await store.read(async (tx) => {
    const { rows } = await sql<Arrived>`select project_id, id from deliveries
      where ${isOld} order by finished_at limit ${BATCH}`.execute(tx);
    return rows;
  });
  if (old.length === 0) return false;
  await store.write(async (whole) => {
    for (const { project_id, id } of old) {
      const tx = inProject(whole, project_id);
      const gone = await tx.deleteFrom("deliveries").where("id", "=", id).where(isOld)
        .returning(["integration_id", "seq"]).executeTakeFirst();
      if (!gone) continue;
      // Otherwise the event would look as if it had never been sent.
      await tx.updateTable("webhook_integrations")
        .set({
          pruned_seq: sql<
            number
          >`case when pruned_seq < ${gone.seq} then ${gone.seq} else pruned_seq end`,
        })
        .where("id", "=", gone.integration_id).execute();
    }
  });
  return old.length === BATCH;
}
