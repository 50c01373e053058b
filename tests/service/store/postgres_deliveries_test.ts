/**
 * Deliveries by several processes on one database, and by one that loses it. Runs with
 * `TEST_ENGINE=postgres`, and is skipped by name otherwise.
 */

import { deepEqual, equal } from "node:assert/strict";
import { openService } from "../../../lib/service/mod.ts";
import {
  acrossProjects,
  openDatabase,
  type Store,
  StoreError,
} from "../../../lib/service/store/mod.ts";
import { addressOf, createDatabase, dropDatabase, ONLY_POSTGRES } from "../../support/engine.ts";
import { openReceiver } from "../../support/receiver.ts";

/** Runs a service that delivers to a receiver, on a store that a test changes. */
async function delivering(
  change: (store: Store) => Store,
  test: (parts: {
    count(): number;
    trigger(): Promise<unknown>;
    fault(kind: string): Promise<unknown>;
    store: Store;
  }) => Promise<void>,
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
      event_types: ["initial_purchase"],
    }, access_token);
    const sale = { customer_id: "ada", product_id: "notes_web_monthly" };
    const trigger = () => post(`/_sim/projects/${projectId}/purchases`, sale, "adm_x");
    const fault = (kind: string) =>
      post(`/_sim/projects/${projectId}/webhooks/${id}/faults`, { fault: kind, count: 1 }, "adm_x");
    await test({ count: () => receiver.arrived.length, trigger, fault, store });
  } finally {
    await service.close();
    await dropDatabase(name);
  }
}

/** Waits until no delivery is pending. */
async function delivered(store: Store): Promise<void> {
  for (const end = Date.now() + 10_000; Date.now() < end;) {
    const rows = await store.read((tx) =>
      acrossProjects(tx).selectFrom("deliveries").select("state").execute()
    );
    if (rows.length > 0 && rows.every(({ state }) => state === "delivered")) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error("the event was not delivered");
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
