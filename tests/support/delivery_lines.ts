/**
 * Stores of several processes on one database with a webhook integration, and the queue of its
 * deliveries, without a service: each transaction is the test's own. For tests on PostgreSQL.
 *
 * @module
 */

import { ok } from "node:assert/strict";
import type { Attempt } from "../../lib/service/events/attempts.ts";
import { type Claim, claim } from "../../lib/service/events/claims.ts";
import { queueDeliveries } from "../../lib/service/events/queue.ts";
import type { Ended, Outcome } from "../../lib/service/events/ended.ts";
import { recordEnded } from "../../lib/service/events/results.ts";
import {
  acrossProjects,
  inProject,
  type Locks,
  nextSeq,
  openDatabase,
  type Store,
  type Tx,
  writeRows,
} from "../../lib/service/store/mod.ts";
import type { Row } from "../../lib/service/store/tables.ts";
import { addressOf, createDatabase, dropDatabase } from "./engine.ts";
import { addProject, PROJECT } from "./store_fixture.ts";

/** The time of all results. */
export const NOW = 1000;
/** The integration. */
export const LANE = { project_id: PROJECT, integration_id: "hook" };
/** The receiver took it. */
export const DELIVERED: Outcome = {
  state: "delivered",
  ready_at: null,
  counts: true,
  disables: false,
};
/** It is tried again at once. */
export const RETRY: Outcome = { state: "pending", ready_at: NOW, counts: true, disables: false };
/** The receiver is gone. */
export const GONE: Outcome = { state: "dead", ready_at: null, counts: true, disables: true };

/** Runs a test with the stores of several processes on one database, with a project and a webhook. */
export async function withStores(
  count: number,
  test: (stores: [Store, Store, ...Store[]]) => Promise<void>,
): Promise<void> {
  const name = await createDatabase();
  const stores: Store[] = [];
  try {
    for (let i = 0; i < count; i++) {
      stores.push(await openDatabase({ file: addressOf(name), clock: Date.now }));
    }
    const [one, two, ...more] = stores;
    ok(one && two);
    await one.write(async (tx) => {
      await addProject(tx);
      await addWebhook(tx);
    });
    await test([one, two, ...more]);
  } finally {
    await Promise.all(stores.map((store) => store.close()));
    await dropDatabase(name);
  }
}

async function addWebhook(tx: Tx): Promise<void> {
  const own = inProject(tx, PROJECT);
  const row = { id: LANE.integration_id, name: "All", url: "https://hooks.acme.dev/" };
  const nothing = {
    event_types: null,
    authorization_header: null,
    environment: null,
    app_id: null,
  };
  await own.insertInto("webhook_integrations").values({
    ...row,
    ...nothing,
    seq: await nextSeq(own),
    signing_secret: "whsec_x",
    created_at: 1,
  }).execute();
}

/** Queues an event of each of some customers. A customer's events have numbers as their ids. */
export async function queue(tx: Tx, customers: readonly string[], prefix = "e"): Promise<void> {
  const own = inProject(tx, PROJECT);
  const project = await own.selectFrom("projects").selectAll().executeTakeFirstOrThrow();
  const rows: Row<"events">[] = [];
  for (const customer_id of customers) {
    const seq = await nextSeq(own);
    rows.push({
      project_id: PROJECT,
      id: `${prefix}${seq}`,
      seq,
      type: "TEST",
      customer_id,
      app_id: null,
      environment: "production",
      created_at: 1,
      payload: "{}",
    });
  }
  await writeRows(own, "events", rows);
  await queueDeliveries({ tx: own, project }, rows);
}

/** Claims what is ready. */
export function claimAt(store: Store, most = 32, holder = "holder", now = NOW): Promise<Claim[]> {
  const options = { now, until: now + 100_000, most, holder };
  return store.write((tx) => claim(tx, LANE, options), PROJECT, "rows");
}

/** An attempt about which nothing is known. */
const ATTEMPT: Attempt = {
  started_at: NOW,
  url: "https://hooks.acme.dev/",
  address: null,
  request_headers: "{}",
  status: null,
  response_headers: null,
  response_body: null,
  response_cut: 0,
  error: null,
  timing: "{}",
};

/** Claims whose attempts ended in the same way. */
export function endedWith(outcome: Outcome, claims: readonly Claim[]): Ended[] {
  return claims.map((one) => ({ claim: one, attempts: [ATTEMPT], outcome }));
}

/** Stores results. Returns the number of those that somebody else held. */
export async function record(tx: Tx, ended: Ended[], locks: Locks = "rows"): Promise<number> {
  return (await recordEnded(tx, PROJECT, ended, { now: NOW, locks })).length;
}

/** What is left, in order: the customer, the state, and whether it is ready. */
export async function lines(store: Store): Promise<string[]> {
  const rows = await store.read((tx) =>
    acrossProjects(tx).selectFrom("deliveries").selectAll().orderBy("seq").execute()
  );
  return rows.map(({ customer_id, state, ready_at, lease }) =>
    `${customer_id} ${state}${ready_at === null ? "" : lease === null ? " ready" : " claimed"}`
  );
}
