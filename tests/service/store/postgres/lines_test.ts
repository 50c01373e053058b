/**
 * Results and claims of deliveries beside the other work of a project: what happens when a transaction
 * stays open while another one meets it. Runs with `TEST_ENGINE=postgres`, and is skipped by name
 * otherwise.
 */

import { deepEqual, equal, ok } from "node:assert/strict";
import { INTERRUPTED } from "../../../../lib/service/events/attempts.ts";
import { claim, freeLeases } from "../../../../lib/service/events/claims.ts";
import { queueAgain } from "../../../../lib/service/events/queue.ts";
import { createRecorder } from "../../../../lib/service/events/recorder.ts";
import {
  acrossProjects,
  inProject,
  type Store,
  type Tx,
} from "../../../../lib/service/store/mod.ts";
import {
  claimAt,
  DELIVERED,
  endedWith,
  GONE,
  LANE,
  lines,
  NOW,
  queue,
  record,
  RETRY,
  withStores,
} from "../../../support/delivery_lines.ts";
import { ONLY_POSTGRES } from "../../../support/engine.ts";
import { PROJECT } from "../../../support/store_fixture.ts";

/** A place in the middle of a transaction, where it waits until the test lets it go on. */
interface Stop extends Disposable {
  /** Resolves when the transaction has come so far. */
  readonly reached: Promise<void>;
  /** Called by the transaction. */
  arrive(): Promise<void>;
  /** Lets the transaction go on. */
  go(): void;
}

function createStop(): Stop {
  const [reached, go] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  return {
    reached: reached.promise,
    arrive: () => (reached.resolve(), go.promise),
    go: go.resolve,
    // A test that fails leaves no transaction open.
    [Symbol.dispose]: go.resolve,
  };
}

/** A transaction that has done its work, and waits before its end until the test lets it go on. */
interface Halfway<T> extends Disposable {
  /** What came of the transaction. */
  readonly done: Promise<T>;
  /** Lets it end. */
  go(): void;
}

/** Begins a transaction of the project, and waits until its work is done. */
async function halfway<T>(
  store: Store,
  work: (tx: Tx) => Promise<T>,
  locks?: "rows",
): Promise<Halfway<T>> {
  const stop = createStop();
  const done = store.write(
    async (tx) => {
      const value = await work(tx);
      await stop.arrive();
      return value;
    },
    PROJECT,
    locks,
  );
  await Promise.race([stop.reached, done]);
  return { done, go: stop.go, [Symbol.dispose]: stop.go };
}

/** Whether something is still going on after a while. */
async function isWaiting(work: Promise<unknown>): Promise<boolean> {
  const late = new Promise<"late">((resolve) => setTimeout(() => resolve("late"), 300));
  return await Promise.race([work.then(() => "done"), late]) === "late";
}

Deno.test(
  "an event that is queued while a delivery ends becomes ready by that end",
  ONLY_POSTGRES,
  async () => {
    await withStores(2, async ([one, two]) => {
      await one.write((tx) => queue(tx, ["ada"]), PROJECT);
      const claims = await claimAt(two);
      using ending = await halfway(two, async (tx) => {
        equal(await record(tx, endedWith(DELIVERED, claims)), 0);
      }, "rows");
      const queueing = one.write((tx) => queue(tx, ["ada", "bob"]), PROJECT);
      equal(await isWaiting(queueing), true);
      ending.go();
      await Promise.all([ending.done, queueing]);
      deepEqual(await lines(one), ["ada delivered", "ada pending ready", "bob pending ready"]);
    });
  },
);

Deno.test(
  "a delivery that ends while an event is queued waits for that, and makes it ready",
  ONLY_POSTGRES,
  async () => {
    await withStores(2, async ([one, two]) => {
      await one.write((tx) => queue(tx, ["ada", "bob"]), PROJECT);
      const claims = await claimAt(two);
      using queueing = await halfway(one, (tx) => queue(tx, ["ada"]));
      const ended = endedWith(DELIVERED, claims);
      // Bob's is free; Ada's is left for the project's turn.
      equal(await two.write((tx) => record(tx, ended), PROJECT, "rows"), 1);
      const ending = two.write(
        (tx) => record(tx, endedWith(DELIVERED, claims.slice(0, 1)), "project"),
        PROJECT,
      );
      equal(await isWaiting(ending), true);
      queueing.go();
      await Promise.all([queueing.done, ending]);
      deepEqual(await lines(one), ["ada delivered", "bob delivered", "ada pending ready"]);
    });
  },
);

Deno.test(
  "an old event that is sent again while a newer one is delivered goes next",
  ONLY_POSTGRES,
  async () => {
    await withStores(2, async ([one, two]) => {
      await one.write((tx) => queue(tx, ["ada", "ada"]), PROJECT);
      const first = await claimAt(two);
      await two.write((tx) => record(tx, endedWith(DELIVERED, first)), PROJECT, "rows");
      const second = await claimAt(two);
      using ending = await halfway(two, (tx) => record(tx, endedWith(DELIVERED, second)), "rows");
      const again = one.write(async (tx) => {
        const own = inProject(tx, PROJECT);
        await queueAgain({ tx: own }, first.map(({ delivery }) => delivery));
      }, PROJECT);
      equal(await isWaiting(again), true);
      ending.go();
      await Promise.all([ending.done, again]);
      deepEqual(await lines(one), ["ada pending ready", "ada delivered"]);
    });
  },
);

Deno.test(
  "two processes claim at once, each its own, and wait for nobody",
  ONLY_POSTGRES,
  async () => {
    await withStores(2, async ([one, two]) => {
      await one.write((tx) => queue(tx, Array.from({ length: 10 }, (_, i) => `c${i}`)), PROJECT);
      const options = { now: NOW, until: NOW + 1000, most: 4, holder: "one" };
      using claiming = await halfway(one, (tx) => claim(tx, LANE, options), "rows");
      const theirs = await claimAt(two);
      claiming.go();
      const ids = [...await claiming.done, ...theirs].map(({ delivery }) => delivery.customer_id);
      equal(theirs.length, 6);
      deepEqual(ids, Array.from({ length: 10 }, (_, i) => `c${i}`));
    });
  },
);

Deno.test(
  "a retry that meets the end of its integration does not wait for ever",
  ONLY_POSTGRES,
  async () => {
    await withStores(2, async ([one, two]) => {
      await one.write((tx) => queue(tx, ["ada", "bob", "cy"]), PROJECT);
      const [ada, bob] = await claimAt(two, 2);
      ok(ada && bob);
      using disabling = await halfway(one, (tx) => record(tx, endedWith(GONE, [ada]), "project"));
      const retry = endedWith(RETRY, [bob]);
      equal(await two.write((tx) => record(tx, retry), PROJECT, "rows"), 1);
      const later = two.write((tx) => record(tx, retry, "project"), PROJECT);
      equal(await isWaiting(later), true);
      disabling.go();
      await Promise.all([disabling.done, later]);
      deepEqual(await lines(one), ["ada dead", "bob dead", "cy dead"]);
    });
  },
);

Deno.test(
  "an integration that is disabled while a retry is stored fails that, too",
  ONLY_POSTGRES,
  async () => {
    await withStores(2, async ([one, two]) => {
      await one.write((tx) => queue(tx, ["ada", "bob"]), PROJECT);
      const [ada, bob] = await claimAt(two);
      ok(ada && bob);
      using retrying = await halfway(two, (tx) => record(tx, endedWith(RETRY, [bob])), "rows");
      const disabling = one.write((tx) => record(tx, endedWith(GONE, [ada]), "project"), PROJECT);
      equal(await isWaiting(disabling), true);
      retrying.go();
      await Promise.all([retrying.done, disabling]);
      deepEqual(await lines(one), ["ada dead", "bob dead"]);
    });
  },
);

Deno.test(
  "the claims of a process that looks dead stay ended when it ends them meanwhile",
  ONLY_POSTGRES,
  async () => {
    await withStores(2, async ([one, two]) => {
      await one.write((tx) => queue(tx, ["ada", "bob"]), PROJECT);
      const claims = await claimAt(two);
      using ending = await halfway(
        two,
        (tx) => record(tx, endedWith(DELIVERED, claims.slice(0, 1))),
        "rows",
      );
      const held = await one.read((tx) =>
        acrossProjects(tx).selectFrom("deliveries").selectAll().orderBy("seq").execute()
      );
      const freeing = one.write((tx) => freeLeases(tx, NOW, held));
      equal(await isWaiting(freeing), true);
      ending.go();
      await Promise.all([ending.done, freeing]);
      deepEqual(await lines(one), ["ada delivered", "bob pending ready"]);
    });
  },
);

Deno.test(
  "results that lock each other's rows are stored after all",
  ONLY_POSTGRES,
  async () => {
    await withStores(2, async ([one, two]) => {
      await one.write((tx) => queue(tx, ["ada", "bob"]), PROJECT);
      const touch = (id: string) => (tx: Tx) =>
        inProject(tx, PROJECT).updateTable("deliveries").set({ tries: 0 })
          .where("customer_id", "=", id).execute();
      let tries = 0;
      const stops = [createStop(), createStop()] as const;
      const both = async (store: Store, own: Stop, [first, second]: readonly [string, string]) => {
        await store.write(
          async (tx) => {
            tries++;
            await touch(first)(tx);
            await own.arrive();
            await touch(second)(tx);
          },
          PROJECT,
          "rows",
        );
      };
      const work = [both(one, stops[0], ["ada", "bob"]), both(two, stops[1], ["bob", "ada"])];
      await Promise.all(stops.map(({ reached }) => reached));
      stops.forEach(({ go }) => go());
      await Promise.all(work);
      equal(tries, 3);
    });
  },
);

Deno.test(
  "the result of a claim that was lost ends nothing, also beside that of the present claim",
  ONLY_POSTGRES,
  async () => {
    await withStores(2, async ([one]) => {
      await one.write((tx) => queue(tx, ["ada"]), PROJECT);
      const lost = await claimAt(one);
      const present = await claimAt(one, 32, "holder", NOW + 200_000);
      equal(present.length, 1);
      const ended = [...endedWith(RETRY, lost), ...endedWith(DELIVERED, present)];
      equal(await one.write((tx) => record(tx, ended), PROJECT, "rows"), 1);
      deepEqual(await lines(one), ["ada delivered"]);
      const attempts = await one.read((tx) =>
        acrossProjects(tx).selectFrom("attempts").select(["number", "error"]).orderBy("number")
          .execute()
      );
      deepEqual(attempts, [{ number: 1, error: INTERRUPTED }, { number: 2, error: null }]);
    });
  },
);

Deno.test(
  "a result that somebody else holds up waits alone, and is stored in the project's turn",
  ONLY_POSTGRES,
  async () => {
    await withStores(2, async ([one, two]) => {
      await one.write((tx) => queue(tx, ["ada", "bob"]), PROJECT);
      const [ada, bob] = endedWith(DELIVERED, await claimAt(two));
      ok(ada && bob);
      using queueing = await halfway(one, (tx) => queue(tx, ["ada"]));
      const claimed: string[] = [];
      const recorder = createRecorder({
        store: two,
        clock: () => NOW,
        claimMore: (tx) => claim(tx, LANE, { now: NOW, until: NOW + 1000, most: 9, holder: "two" }),
        begin: (claims) => claimed.push(...claims.map(({ delivery }) => delivery.customer_id)),
        forget: () => {},
        wrote: () => {},
      });
      const held = recorder.record(ada);
      equal(await isWaiting(held), true);
      await recorder.record(bob);
      equal(await isWaiting(held), true);
      deepEqual(claimed, []);
      queueing.go();
      await Promise.all([queueing.done, held]);
      // The customer's next one was claimed before anybody was told of the end.
      deepEqual(claimed, ["ada"]);
      deepEqual(await lines(one), ["ada delivered", "bob delivered", "ada pending claimed"]);
    });
  },
);
