/**
 * Deletes old data of deliveries, by wall time: response bodies after 7 days, attempts and
 * successful deliveries after 30 days. Pending deliveries keep everything. Failed and lost
 * deliveries stay, so that they can be resent. Events stay, since listeners may still need them.
 *
 * @module
 */

import { sql, type SqlBool } from "kysely";
import type { Clock } from "../clock.ts";
import { inProject, type Store, type Tx } from "../store/mod.ts";
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
    for (let after: number | undefined = 0; after !== undefined && !stopped;) {
      after = await pruneAttempts(store, clock(), after);
    }
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

/** Deletes response bodies. Returns whether there may be more. */
async function pruneBodies(store: Store, now: number): Promise<boolean> {
  const old = await store.read((tx) =>
    rowsOf(
      tx,
      sql`select rowid from attempts where response_body is not null
        and started_at < ${now - KEEP_BODIES_MS} and ${IS_OVER} order by started_at limit ${BATCH}`,
    )
  );
  if (old.length === 0) return false;
  await store.write(async (tx) => {
    await sql`update attempts set response_body = null, response_cut = 1
      where rowid in (${sql.join(old)}) and ${IS_OVER}`.execute(tx);
  });
  return old.length === BATCH;
}

/**
 * Deletes attempts. They are in the order of time, so the walk ends at the first recent one.
 * Returns the position to continue from.
 */
async function pruneAttempts(
  store: Store,
  now: number,
  after: number,
): Promise<number | undefined> {
  const first = await store.read(async (tx) => {
    const { rows } = await sql<{ rowid: number; started_at: number }>`
      select rowid, started_at from attempts where rowid > ${after}
      order by rowid limit ${BATCH}`.execute(tx);
    return rows;
  });
  const old = first.filter(({ started_at }) => started_at < now - KEEP_MS);
  if (old.length > 0) {
    const ids = old.map(({ rowid }) => rowid);
    await store.write(async (tx) => {
      await sql`delete from attempts where rowid in (${sql.join(ids)}) and ${IS_OVER}`.execute(tx);
    });
  }
  return old.length === BATCH ? old.at(-1)?.rowid : undefined;
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
        .set({ pruned_seq: sql<number>`max(pruned_seq, ${gone.seq})` })
        .where("id", "=", gone.integration_id).execute();
    }
  });
  return old.length === BATCH;
}

async function rowsOf(tx: Tx, query: ReturnType<typeof sql<unknown>>): Promise<number[]> {
  const { rows } = await sql<{ rowid: number }>`${query}`.execute(tx);
  return rows.map(({ rowid }) => rowid);
}
