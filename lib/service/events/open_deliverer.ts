/**
 * The worker of deliveries, whose code is loaded when there is something to deliver.
 *
 * @module
 */

import { fixed, plainly, type Store } from "../store/mod.ts";
import type { Deliverer, DelivererParts } from "./deliverer.ts";

/** Makes the worker of a database. */
export function openDeliverer(parts: DelivererParts): Deliverer {
  const { store, delivers, report } = parts;
  let loading: Promise<Deliverer> | undefined;
  let stopped = false;
  const make = async () => {
    try {
      const { createDeliverer } = await import("./deliverer.ts");
      return createDeliverer(parts);
    } catch (error) {
      loading = undefined;
      throw error;
    }
  };
  const load = () => loading ??= make();
  return {
    async start() {
      // Another process may die with claims, or queue something, at any time.
      if (store.others || await isAnythingQueued(store)) await (await load()).start();
    },
    wake() {
      if (delivers && !stopped) load().then((one) => one.wake()).catch(report);
    },
    attempted: async (projectId, deliveryId) =>
      await (await load()).attempted(projectId, deliveryId),
    idle: async () => await (await loading)?.idle(),
    freeDead: async () => await (await load()).freeDead(),
    async stop() {
      stopped = true;
      await (await loading)?.stop();
    },
  };
}

/** Whether a delivery is claimed or waits for its time. */
async function isAnythingQueued(store: Store): Promise<boolean> {
  // All projects: the worker delivers for each of them.
  const { rows } = await store.read(
    plainly((tx) => fixed`select 1 from deliveries where ready_at is not null limit 1`.execute(tx)),
  );
  return rows.length > 0;
}
