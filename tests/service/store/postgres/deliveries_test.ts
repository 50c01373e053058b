/**
 * Deliveries by several processes on one database, and by one that loses it. Runs with
 * `TEST_ENGINE=postgres`, and is skipped by name otherwise.
 */

import { deepEqual, equal } from "node:assert/strict";
import {
  acrossProjects,
  openDatabase,
  type Store,
  StoreError,
} from "../../../../lib/service/store/mod.ts";
import {
  addressOf,
  createDatabase,
  dropDatabase,
  ONLY_POSTGRES,
  openService,
} from "../../../support/engine.ts";
import { openReceiver } from "../../../support/receiver.ts";
import { until } from "../../../support/together.ts";

/** A service that delivers to a receiver. */
interface Delivering {
  /** Its store. */
  store: Store;
  /** The number of deliveries that the receiver got. */
  count(): number;
  /** The products of the events that the receiver got. */
  products(): unknown[];
  /** Makes a purchase, which is one event of the same customer. */
  trigger(product?: string): Promise<unknown>;
  /** Adds a fault of the next delivery. */
  fault(kind: string): Promise<unknown>;
}

/** Runs a service that delivers to a receiver, on a store that a test changes. */
async function delivering(
  change: (store: Store) => Store,
  test: (parts: Delivering) => Promise<void>,
): Promise<void> {
  const name = await createDatabase();
  using receiver = openReceiver();
  const service = await openService({
    database: addressOf(name),
    buyers: false,
    adminSecret: "adm_x",
    webhookTargets: "loopback",
    webhookSchedule: "dev",
    open: async (options) => change(await openDatabase(options)),
  });
  const post = async (path: string, body: unknown, token: string) => {
    const headers = { Authorization: `Bearer ${token}`, "Content-Type": "application/json" };
    const init = { method: "POST", headers, body: JSON.stringify(body) };
    const response = await service.fetch(new Request(`http://127.0.0.1:4010${path}`, init));
    if (!response.ok) throw new Error(await response.text());
    return await response.json();
  };
  const { projectId, store } = service;
  try {
    const { access_token } = await service.oauth.issueToken({});
    const { id } = await post(`/v2/projects/${projectId}/integrations/webhooks`, {
      name: "hooks",
      url: receiver.url,
      event_types: ["initial_purchase", "non_renewing_purchase"],
    }, access_token);
    const sim = `/_sim/projects/${projectId}`;
    await test({
      store,
      count: () => receiver.arrived.length,
      products: () => receiver.arrived.map(({ event }) => event.product_id),
      trigger: (product_id = "notes_web_monthly") =>
        post(`${sim}/purchases`, { customer_id: "ada", product_id }, "adm_x"),
      fault: (kind) => post(`${sim}/webhooks/${id}/faults`, { fault: kind, count: 1 }, "adm_x"),
    });
  } finally {
    await service.close();
    await dropDatabase(name);
  }
}

/** Waits until all deliveries have a state, for less than the time of a lease. */
async function delivered(store: Store, wanted = "delivered"): Promise<void> {
  for (const end = Date.now() + 10_000; Date.now() < end;) {
    const rows = await store.read((tx) =>
      acrossProjects(tx).selectFrom("deliveries").select("state").execute()
    );
    if (rows.length > 0 && rows.every(({ state }) => state === wanted)) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error(`not all deliveries are ${wanted}`);
}

/** Whether a delivery is claimed by a worker. */
async function hasClaim(store: Store): Promise<boolean> {
  const claims = await store.read((tx) =>
    acrossProjects(tx).selectFrom("deliveries").select("id").where("lease", "is not", null)
      .execute()
  );
  return claims.length > 0;
}

Deno.test(
  "a claim whose commit got through, and whose answer was lost, is delivered soon",
  ONLY_POSTGRES,
  async () => {
    let lost = 0;
    const losing = (store: Store): Store => ({
      ...store,
      async write(work, projectId) {
        const result = await store.write(work, projectId);
        if (lost > 0 || !await hasClaim(store)) return result;
        lost++;
        throw new StoreError("Cannot use the database: gone", { failure: "unreachable" });
      },
    });
    await delivering(losing, async ({ count, trigger, store }) => {
      await trigger();
      await delivered(store);
      deepEqual({ lost, arrived: count() }, { lost: 1, arrived: 1 });
    });
  },
);

Deno.test(
  "a fault that cannot be taken at first happens when the database is back",
  ONLY_POSTGRES,
  async () => {
    let isLost = false;
    let refused = 0;
    const refusing = (store: Store): Store => ({
      ...store,
      async write(work, projectId) {
        // The claim is there, and the next write takes the fault.
        isLost ||= await hasClaim(store);
        if (isLost && refused < 3) {
          refused++;
          throw new StoreError("Cannot use the database: gone", { failure: "unreachable" });
        }
        return await store.write(work, projectId);
      },
    });
    await delivering(refusing, async ({ count, trigger, store, fault }) => {
      await fault("duplicate");
      await trigger();
      await delivered(store);
      deepEqual({ refused, arrived: count() }, { refused: 3, arrived: 2 });
    });
  },
);

Deno.test(
  "a delivery whose result cannot be stored at first is not made twice",
  ONLY_POSTGRES,
  async () => {
    let failing = false;
    let refused = 0;
    const refusing = (store: Store): Store => ({
      ...store,
      async write(work, projectId) {
        if (failing && refused < 3) {
          refused++;
          throw new StoreError("Cannot use the database: gone", { failure: "unreachable" });
        }
        const result = await store.write(work, projectId);
        // The next write stores the result.
        failing ||= await hasClaim(store);
        return result;
      },
    });
    await delivering(refusing, async ({ count, trigger, store }) => {
      await trigger();
      await delivered(store);
      equal(refused, 3);
      equal(count(), 1);
    });
  },
);

/** Loses the database twice before each of the first writes that follow a claim. */
function losingTwice(writes: number): { change(store: Store): Store; lost(): number } {
  let lost = 0;
  let claimed = false;
  let tries = 0;
  return {
    lost: () => lost,
    change: (store) => ({
      ...store,
      async write(work, projectId) {
        if (claimed && ++tries <= 3 * writes && tries % 3 !== 0) {
          lost++;
          throw new StoreError("Cannot use the database: gone", { failure: "unreachable" });
        }
        const result = await store.write(work, projectId);
        claimed ||= await hasClaim(store);
        return result;
      },
    }),
  };
}

Deno.test("a delivery is lost on request, although the database is", ONLY_POSTGRES, async () => {
  // The fault is taken, and the result stored.
  const { change, lost } = losingTwice(2);
  await delivering(change, async ({ fault, trigger, store, count }) => {
    await fault("drop");
    await trigger();
    await delivered(store, "dropped");
    deepEqual({ lost: lost(), arrived: count() }, { lost: 4, arrived: 0 });
  });
});

Deno.test(
  "a delivery is overtaken on request, although the database is lost meanwhile",
  ONLY_POSTGRES,
  async () => {
    // The fault is taken. Nothing can overtake, so it is put back, and the delivery held back.
    const { change, lost } = losingTwice(4);
    await delivering(change, async ({ fault, trigger, store, products }) => {
      await fault("reorder");
      await trigger("notes_web_monthly");
      await until(() => lost() === 8, "the database was lost");
      await trigger("notes_lifetime");
      await delivered(store);
      deepEqual(products(), ["notes_lifetime", "notes_web_monthly"]);
    });
  },
);
