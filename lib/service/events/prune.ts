/**
 * Deletes old data of deliveries, by wall time: response bodies after 7 days, attempts and
 * successful deliveries after 30 days. Pending deliveries keep everything. Failed and lost
 * deliveries stay, so that they can be resent. Events stay, since listeners may still need them.
 *
 * @module
 */

import type { Clock } from "../time/clock.ts";
import { fixed, inProject, plainly, type Store, type TextTx, type Tx } from "../store/mod.ts";
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

/** Times of attempts, oldest first. */
interface Times {
  /** The times. */
  rows: { at: number }[];
}

/**
 * The time up to which a transaction removes things: that of the last of the oldest rows, so many that
 * one transaction may look at. Undefined when nothing is old.
 */
async function cutOf(
  store: Store,
  oldest: (tx: TextTx) => Promise<Times>,
): Promise<{ at: number; more: boolean } | undefined> {
  const { rows } = await store.read(plainly(oldest));
  const last = rows.at(-1);
  return last && { at: last.at, more: rows.length === BATCH };
}

/** The condition that the delivery of an attempt has ended. */
const OF_ENDED = `exists (
  select 1 from deliveries where deliveries.project_id = attempts.project_id
    and deliveries.id = attempts.delivery_id and state <> 'pending')`;

/** Removes bodies of answers. Tells whether there may be more. */
async function pruneBodies(store: Store, now: number): Promise<boolean> {
  // All projects: each of them keeps bodies for the same time.
  const cut = await cutOf(store, (tx) =>
    fixed<{ at: number }>`
      select started_at as at from attempts
      where started_at < ${now - KEEP_BODIES_MS} and response_body is not null and `
      .execute(tx, `${OF_ENDED} order by started_at limit ${BATCH}`));
  if (!cut) return false;
  await store.write(async (tx) => {
    // All projects: each of them keeps bodies for the same time.
    await fixed`
      update attempts set response_body = null, response_cut = 1
      where response_body is not null and started_at <= ${cut.at} and `.execute(tx, OF_ENDED);
  });
  return cut.more;
}

/** Removes attempts. Tells whether there may be more. */
async function pruneAttempts(store: Store, now: number): Promise<boolean> {
  // All projects: each of them keeps attempts for the same time.
  const cut = await cutOf(store, (tx) =>
    fixed<{ at: number }>`
      select started_at as at from attempts
      where started_at < ${now - KEEP_MS} and `
      .execute(tx, `${OF_ENDED} order by started_at limit ${BATCH}`));
  if (!cut) return false;
  await store.write(async (tx) => {
    // All projects: each of them keeps attempts for the same time.
    await fixed`
      delete from attempts where started_at <= ${cut.at} and `.execute(tx, OF_ENDED);
  });
  return cut.more;
}

type Arrived = Pick<Row<"deliveries">, "project_id" | "id">;

/** Deletes successful deliveries with their attempts. Returns whether there may be more. */
async function pruneDeliveries(store: Store, now: number): Promise<boolean> {
  const before = now - KEEP_MS;
  // All projects: the next statement names the project of each delivery.
  const { rows: old } = await store.read(plainly((tx) =>
    fixed<Arrived>`
      select project_id, id from deliveries
      where state = 'delivered' and finished_at < ${before}
      order by finished_at limit ${BATCH}`.execute(tx)
  ));
  if (old.length === 0) return false;
  await store.write(async (whole) => {
    for (const { project_id, id } of old) await pruneDelivery(whole, { project_id, id }, before);
  });
  return old.length === BATCH;
}

/** Deletes a delivery, if it is still a successful one from before a time. */
async function pruneDelivery(
  whole: Tx,
  { project_id, id }: Arrived,
  before: number,
): Promise<void> {
  const tx = inProject(whole, project_id);
  const gone = await tx.deleteFrom("deliveries").where("id", "=", id)
    .where("state", "=", "delivered").where("finished_at", "<", before)
    .returning(["integration_id", "seq"]).executeTakeFirst();
  if (!gone) return;
  // Otherwise the event would look as if it had never been sent.
  await fixed`
    update webhook_integrations set pruned_seq = ${gone.seq}
    where project_id = ${project_id} and id = ${gone.integration_id}
      and pruned_seq < ${gone.seq}`.execute(tx);
}
