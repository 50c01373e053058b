/**
 * Removes what is old of deliveries, by wall time: the bodies of answers after 7 days; after 30 days
 * attempts, and deliveries that have arrived. What is pending keeps everything, and what was given up
 * or lost stays until it arrives, so that it can be sent again. Events themselves are kept, and with
 * them all that a listener still waits for.
 *
 * @module
 */

import { sql, type SqlBool } from "kysely";
import type { Clock } from "../clock.ts";
import { inProject, type Store, type Tx } from "../store/mod.ts";
import type { Row } from "../store/tables.ts";

/** Removes what is old. */
export interface Pruner {
  /** Removes all that is old by now, in small transactions. Whoever asks meanwhile waits for it. */
  prune(): Promise<void>;
  /** Ends after the transaction that is under way, and begins no more. */
  stop(): Promise<void>;
}

const DAY_MS = 24 * 3_600_000;

/** How long the bodies of answers are kept. */
const KEEP_BODIES_MS = 7 * DAY_MS;

/** How long attempts are kept, and deliveries that have arrived. */
const KEEP_MS = 30 * DAY_MS;

/** How many rows a transaction looks at. */
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

/** Whether an attempt is one of a delivery that is over. */
const IS_OVER = sql`exists (
  select 1 from deliveries where deliveries.project_id = attempts.project_id
    and deliveries.id = attempts.delivery_id and state <> 'pending')`;

/** Removes bodies of answers. Tells whether there may be more. */
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
 * Removes attempts. They were written down in the order of time, so a walk from the first one ends
 * where they are no longer old. Returns where to go on.
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

/** Removes deliveries that have arrived, with their attempts. Tells whether there may be more. */
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
      // Else it would look as if the event had never been sent.
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
