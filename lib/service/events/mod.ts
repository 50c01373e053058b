/**
 * The delivery of events to webhooks: the queue, the worker and injected faults.
 *
 * @module
 */

import type { Clock, Later } from "../time/clock.ts";
import { inPlaceOf, type Store, type Tx } from "../store/mod.ts";
import type { Targets } from "../outbound/targets.ts";
import type { Deliverer } from "./deliverer.ts";
import { createDeliveryFaults, type DeliveryFaults } from "./faults.ts";
import { createListeners, type Listeners } from "./listeners.ts";
import { openDeliverer } from "./open_deliverer.ts";
import { createPruner, type Pruner } from "./prune.ts";
import { hasEvents, hasQueued } from "./queued.ts";
import { type ScheduleName, SCHEDULES } from "./schedule.ts";

export type { Deliverer } from "./deliverer.ts";
export type { Pruner } from "./prune.ts";
export type { ScheduleName } from "./schedule.ts";

/** The options of deliveries. */
interface DeliveryOptions {
  /** The database. */
  store: Store;
  /** Wall time. */
  clock: Clock;
  /** The timer. */
  later: Later;
  /** The check of webhook targets. */
  targets: Targets;
  /** The retry schedule. Default: that of the public API. */
  schedule?: ScheduleName | undefined;
  /** Whether this process delivers, or leaves that to others. Default true. */
  delivers?: boolean;
  /** Called for internal errors. */
  report(error: unknown): void;
}

/** The running deliveries. */
export interface Delivery {
  /** The database for all other code: the worker sees deliveries that it queues. */
  store: Store;
  /** The worker. */
  deliverer: Deliverer;
  /** The injected faults. */
  faults: DeliveryFaults;
  /** The listeners, which pull events. */
  listeners: Listeners;
  /** Deletes old data. */
  pruner: Pruner;
  /** Stops hearing of the events of other processes. */
  hush(): void;
}

/** Creates the worker, without starting it. */
export async function openDelivery(options: DeliveryOptions): Promise<Delivery> {
  const { store, schedule = "public", delivers = true, ...parts } = options;
  const { others } = store;
  const faults = others
    ? await (await import("./shared_faults.ts")).openSharedFaults(store, others)
    : createDeliveryFaults();
  const deliverer = openDeliverer({
    ...parts,
    store,
    random: Math.random,
    schedule: SCHEDULES[schedule],
    faults,
    delivers,
  });
  const own = createListeners(store, options.later);
  const wakeOthers = () => {
    own.wake();
    others?.tell("events");
  };
  const listeners = { ...own, wake: wakeOthers };
  const onQueued = () => {
    deliverer.wake();
    others?.tell("events");
  };
  const hush = others?.hear((news) => {
    if (news !== "events") return;
    own.wake();
    deliverer.wake();
  });
  return {
    store: noticing(store, onQueued, listeners.wake),
    hush: hush ?? (() => {}),
    deliverer,
    faults,
    listeners,
    pruner: createPruner(store, options.clock),
  };
}

/** A store that reports queued deliveries and new events after their commit. */
function noticing(store: Store, onQueued: () => void, onEvents: () => void): Store {
  return {
    ...store,
    async write(work, projectId, locks) {
      let queued = false;
      let written = false;
      const noted = async (tx: Tx) => {
        const done = await work(tx);
        queued = hasQueued(tx);
        written = hasEvents(tx);
        return done;
      };
      const result = await store.write(inPlaceOf(work, noted), projectId, locks);
      if (queued) onQueued();
      if (queued || written) onEvents();
      return result;
    },
  };
}
