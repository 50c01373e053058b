/**
 * Events on their way to webhooks: a line, a worker, and what may go wrong on purpose.
 *
 * @module
 */

import type { Clock, Later } from "../clock.ts";
import type { Store } from "../store/mod.ts";
import type { Targets } from "../outbound/targets.ts";
import { createDeliverer, type Deliverer } from "./deliverer.ts";
import { createDeliveryFaults, type DeliveryFaults } from "./faults.ts";
import { createListeners, type Listeners } from "./listeners.ts";
import { createPruner, type Pruner } from "./prune.ts";
import { hasEvents, hasQueued } from "./queue.ts";
import { type ScheduleName, SCHEDULES } from "./schedule.ts";

export type { Deliverer } from "./deliverer.ts";
export type { DeliveryFault, DeliveryFaults } from "./faults.ts";
export type { Pruner } from "./prune.ts";
export type { ScheduleName } from "./schedule.ts";

/** How to deliver. */
interface DeliveryOptions {
  /** The database. */
  store: Store;
  /** Wall time. */
  clock: Clock;
  /** The timer. */
  later: Later;
  /** The guard. */
  targets: Targets;
  /** How often deliveries are tried. Default: as the public service does. */
  schedule?: ScheduleName | undefined;
  /** Told of errors that are our own fault. */
  report(error: unknown): void;
}

/** Deliveries, running. */
export interface Delivery {
  /** The database, for everybody else: what they put in line is noticed. */
  store: Store;
  /** The worker. */
  deliverer: Deliverer;
  /** What is to go wrong on purpose. */
  faults: DeliveryFaults;
  /** Those who fetch events by themselves. */
  listeners: Listeners;
  /** Removes what is old. */
  pruner: Pruner;
}

/** Sets the worker up. It begins when it is started. */
export function openDelivery(options: DeliveryOptions): Delivery {
  const { store, schedule = "public", ...parts } = options;
  const faults = createDeliveryFaults();
  const deliverer = createDeliverer({
    ...parts,
    store,
    random: Math.random,
    schedule: SCHEDULES[schedule],
    faults,
  });
  const listeners = createListeners(store, options.later);
  return {
    store: noticing(store, deliverer.wake, listeners.wake),
    deliverer,
    faults,
    listeners,
    pruner: createPruner(store, options.clock),
  };
}

/** A store that reports queued deliveries and new events, once they are on disk. */
function noticing(store: Store, onQueued: () => void, onEvents: () => void): Store {
  return {
    ...store,
    async write(work) {
      let queued = false;
      let written = false;
      const result = await store.write(async (tx) => {
        const done = await work(tx);
        queued = hasQueued(tx);
        written = hasEvents(tx);
        return done;
      });
      if (queued) onQueued();
      if (queued || written) onEvents();
      return result;
    },
  };
}
