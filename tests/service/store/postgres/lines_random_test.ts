/**
 * Deliveries under random work of several processes on one project: events are queued, delivered,
 * retried, given up and sent again, and transactions stay open for random times. Runs with
 * `TEST_ENGINE=postgres`, and is skipped by name otherwise.
 */

import { deepEqual, equal, ok } from "node:assert/strict";
import { type Claim, freeUnknown } from "../../../../lib/service/events/claims.ts";
import { queueAgain } from "../../../../lib/service/events/queue.ts";
import type { Outcome } from "../../../../lib/service/events/ended.ts";
import { recordEnded } from "../../../../lib/service/events/results.ts";
import { shortenWaits } from "../../../../lib/service/events/shorten_waits.ts";
import { SCHEDULES } from "../../../../lib/service/events/schedule.ts";
import {
  acrossProjects,
  inProject,
  type Store,
  type Tx,
} from "../../../../lib/service/store/mod.ts";
import { forgetAttributes } from "../../../../lib/service/ledger/forget.ts";
import {
  claimAt,
  DELIVERED,
  endedWith,
  GONE,
  NOW,
  queue,
  RETRY,
  withStores,
} from "../../../support/delivery_lines.ts";
import { ONLY_POSTGRES } from "../../../support/engine.ts";
import { PROJECT } from "../../../support/store_fixture.ts";

/** How many attempts the processes make, and how long they may take for that, in milliseconds. */
const ATTEMPTS = Deno.env.has("LONG_TESTS") ? 5000 : 150;
const LONGEST_MS = 100_000;

const CUSTOMERS = Array.from({ length: 6 }, (_, i) => `c${i}`);

const DEAD: Outcome = { state: "dead", ready_at: null, counts: true, disables: false };

/** One of some things, at random. */
function oneOf<T>(things: readonly [T, ...T[]]): T {
  return things[Math.floor(Math.random() * things.length)] ?? things[0];
}

/** Keeps a transaction open for a moment, or not. */
async function linger(): Promise<void> {
  if (Math.random() < 0.5) return;
  await new Promise((resolve) => setTimeout(resolve, Math.random() * 15));
}

/** What has happened. */
interface Story {
  /** Customer and `seq` of the deliveries, in the order in which their attempts were made. */
  attempted: [string, number][];
  /** How many results were left for the project's turn. */
  held: number;
  /** Ends the work. */
  over: boolean;
}

/** Queues events of random customers, and does other work of the project. */
async function write(store: Store, story: Story, also: readonly [Work, ...Work[]]): Promise<void> {
  while (!story.over) {
    const customers = CUSTOMERS.filter(() => Math.random() < 0.4);
    const other = Math.random() < 0.3 ? oneOf(also) : undefined;
    await store.write(async (tx) => {
      await other?.(tx);
      await queue(tx, customers);
      await linger();
    }, PROJECT);
  }
}

type Work = (tx: Tx) => Promise<void>;

/** Claims deliveries, and stores results, one after the other or together, as a worker does. */
async function deliver(
  store: Store,
  story: Story,
  outcomes: readonly [Outcome, ...Outcome[]],
): Promise<void> {
  const holder = store.others?.holder ?? "";
  for (const end = Date.now() + LONGEST_MS; !story.over;) {
    story.over = story.attempted.length >= ATTEMPTS && story.held > 0 || Date.now() > end;
    const claims = await claimAt(store, oneOf([1, 3, 8]), holder);
    await settle(store, story, claims, outcomes);
    if (claims.length === 0) await linger();
  }
}

async function settle(
  store: Store,
  story: Story,
  claims: readonly Claim[],
  outcomes: readonly [Outcome, ...Outcome[]],
): Promise<void> {
  for (const { delivery } of claims) story.attempted.push([delivery.customer_id, delivery.seq]);
  const all = claims.flatMap((one) => endedWith(oneOf(outcomes), [one]));
  const alone = all.filter(({ outcome }) => outcome.disables);
  const free = all.filter(({ outcome }) => !outcome.disables);
  const held = await store.write(
    async (tx) => {
      const left = await recordEnded(tx, PROJECT, free, { now: NOW, locks: "rows" });
      await linger();
      return left;
    },
    PROJECT,
    "rows",
  );
  story.held += held.length;
  await store.write(async (tx) => {
    await recordEnded(tx, PROJECT, [...held, ...alone], { now: NOW, locks: "project" });
    await linger();
  }, PROJECT);
}

/** What is wrong with the lines: each has one delivery that is ready, as long as any is pending. */
async function faultsOf(store: Store): Promise<unknown[]> {
  const rows = await store.read((tx) =>
    acrossProjects(tx).selectFrom("deliveries").selectAll().where("state", "=", "pending").execute()
  );
  return CUSTOMERS.filter((customer) => {
    const own = rows.filter(({ customer_id }) => customer_id === customer);
    return own.length > 0 && own.filter(({ ready_at }) => ready_at !== null).length !== 1;
  });
}

/** Lets processes work together, and delivers what is left. */
async function run(
  stores: readonly [Store, Store, ...Store[]],
  outcomes: readonly [Outcome, ...Outcome[]],
  also: readonly [Work, ...Work[]],
): Promise<Story> {
  const story: Story = { attempted: [], held: 0, over: false };
  const [first, ...others] = stores;
  const look = async () => {
    while (!story.over) {
      deepEqual(await faultsOf(first), []);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };
  const work = [
    write(first, story, also),
    ...others.map((store) => deliver(store, story, outcomes)),
    look(),
  ];
  await Promise.all(work).finally(() => story.over = true);
  for (let left = await claimAt(first); left.length > 0; left = await claimAt(first)) {
    await settle(first, story, left, [DELIVERED]);
  }
  return story;
}

/** How many deliveries there are in each state. */
async function countStates(store: Store): Promise<Record<string, number>> {
  const rows = await store.read((tx) =>
    acrossProjects(tx).selectFrom("deliveries").select("state").execute()
  );
  const counts: Record<string, number> = {};
  for (const { state } of rows) counts[state] = (counts[state] ?? 0) + 1;
  return counts;
}

Deno.test(
  "deliveries of several processes at random are in order, and none is left or made twice",
  ONLY_POSTGRES,
  async () => {
    await withStores(4, async (stores) => {
      const nothing: Work = async () => {};
      const { attempted, held } = await run(stores, [DELIVERED, DELIVERED, RETRY, DEAD], [nothing]);
      const { delivered = 0, dead = 0, ...others } = await countStates(stores[0]);
      deepEqual(others, {});
      ok(delivered > 0 && dead > 0, `${delivered} delivered, ${dead} dead`);
      ok(held > 0, "no result was ever held by another transaction");
      for (const customer of CUSTOMERS) {
        const order = attempted.filter(([own]) => own === customer).map(([, seq]) => seq);
        deepEqual(order, order.toSorted((a, b) => a - b), customer);
      }
      const attempts = await stores[0].read((tx) =>
        acrossProjects(tx).selectFrom("attempts").select("number").execute()
      );
      equal(attempts.length, attempted.length);
    });
  },
);

/** Sends all again that has failed. */
async function sendAgain(tx: Tx): Promise<void> {
  const own = inProject(tx, PROJECT);
  const failed = await own.selectFrom("deliveries").selectAll().where("state", "!=", "pending")
    .orderBy("seq", "desc").limit(5).execute();
  await queueAgain({ tx: own }, failed);
}

/** Enables the integration, as a new URL does. */
async function enable(tx: Tx): Promise<void> {
  await inProject(tx, PROJECT).updateTable("webhook_integrations").set({ disabled_at: null })
    .execute();
}

/** Deletes the personal attributes of a customer. */
async function forget(tx: Tx): Promise<void> {
  const own = inProject(tx, PROJECT);
  const project = await own.selectFrom("projects").selectAll().executeTakeFirstOrThrow();
  await forgetAttributes({ tx: own, project }, oneOf(["c0", "c1", "c2"]));
}

Deno.test(
  "no line stops at random resends, receivers that are gone, and other work of the project",
  ONLY_POSTGRES,
  async () => {
    await withStores(4, async (stores) => {
      const shorten: Work = (tx) => shortenWaits(tx, { now: NOW, schedule: SCHEDULES.dev });
      const free: Work = (tx) => freeUnknown(tx, "nobody", new Set());
      const also = [sendAgain, sendAgain, enable, enable, forget, shorten, free] as const;
      await run(stores, [DELIVERED, DELIVERED, DEAD, RETRY, GONE], also);
      await stores[0].write(enable, PROJECT);
      const story: Story = { attempted: [], held: 0, over: false };
      for (let left = await claimAt(stores[0]); left.length > 0;) {
        await settle(stores[0], story, left, [DELIVERED]);
        left = await claimAt(stores[0]);
      }
      deepEqual(await faultsOf(stores[0]), []);
      const { delivered, dead = 0, ...others } = await countStates(stores[0]);
      ok(delivered, "nothing was delivered");
      deepEqual(others, {}, `${dead} dead`);
    });
  },
);
