/**
 * The worker that sends what is in line. It never waits for a receiver inside of a transaction, and
 * no receiver waits for another: each integration has a lane of its own.
 *
 * @module
 */

import type { Clock, Later } from "../clock.ts";
import type { Store } from "../store/mod.ts";
import type { Targets } from "../outbound/targets.ts";
import { attemptDelivery, type Tried } from "./attempt.ts";
import {
  type Claim,
  claim,
  finish,
  freeLeases,
  type Lane,
  nextReadyAt,
  type Outcome,
  readyLanes,
  release,
} from "./claims.ts";
import type { DeliveryFault, DeliveryFaults } from "./faults.ts";
import { shortenWaits } from "./shorten_waits.ts";
import { type Schedule, waitAfter } from "./schedule.ts";

/** The worker. */
export interface Deliverer {
  /** Frees what an earlier process had in its hands or let wait too long, and begins. */
  start(): Promise<void>;
  /** Says that something may be in line. */
  wake(): void;
  /** Resolves after the next attempt of a delivery, or when there is none for too long. */
  attempted(projectId: string, deliveryId: string): Promise<void>;
  /** Resolves when nothing is under way and nothing is ready. */
  idle(): Promise<void>;
  /** Breaks off what is under way and gives it back. */
  stop(): Promise<void>;
}

/** What the worker is made of. */
interface DelivererParts {
  /** The database. */
  store: Store;
  /** Wall time. */
  clock: Clock;
  /** The timer. */
  later: Later;
  /** A number from 0 to 1, for jitter. */
  random(): number;
  /** The guard. */
  targets: Targets;
  /** How often deliveries are tried. */
  schedule: Schedule;
  /** What is to go wrong on purpose. */
  faults: DeliveryFaults;
  /** Told of errors that are our own fault. */
  report(error: unknown): void;
}

/** Deliveries under way at a time, in one lane. */
const LANE_WIDTH = 32;

/** How long a lease outlasts the receiver's time, in milliseconds. */
const LEASE_MARGIN_MS = 30_000;

/** How much longer than an attempt anybody waits for one to begin, in milliseconds. */
const PATIENCE_MS = 10_000;

/** The longest time between two looks at what is in line, in milliseconds. */
const LONGEST_NAP_MS = 3_600_000;

/** How long a delivery is held back that is to be overtaken, before the next look. */
const HOLD_MS = 200;

/** The worker's state. */
interface Worker extends DelivererParts {
  /** Deliveries under way. */
  running: Set<Promise<void>>;
  /** How many of them are in each lane. */
  load: Map<string, number>;
  /** Who waits for an attempt, by the delivery. */
  waiting: Map<string, (() => void)[]>;
  /** The look that is under way. */
  looking: Promise<void> | undefined;
  /** Whether something may have changed since it began. */
  stale: boolean;
  /** Calls the timer off. */
  callOff(): void;
  /** Ends everything. */
  stop: AbortController;
}

/** Makes the worker of a database. */
export function createDeliverer(parts: DelivererParts): Deliverer {
  const worker: Worker = {
    ...parts,
    running: new Set(),
    load: new Map(),
    waiting: new Map(),
    looking: undefined,
    stale: false,
    callOff: () => {},
    stop: new AbortController(),
  };
  const idle = async () => {
    while (worker.looking || worker.running.size > 0) {
      await worker.looking;
      await Promise.all(worker.running);
    }
  };
  return {
    async start() {
      const now = worker.clock();
      await worker.store.write(async (tx) => {
        await freeLeases(tx, now);
        await shortenWaits(tx, { now, schedule: worker.schedule });
      });
      wake(worker);
    },
    wake: () => wake(worker),
    attempted: (projectId, deliveryId) => attempted(worker, `${projectId} ${deliveryId}`),
    idle,
    async stop() {
      worker.stop.abort();
      worker.callOff();
      await idle();
      worker.waiting.values().forEach((ones) => ones.forEach((resolve) => resolve()));
    },
  };
}

/** Waits for an attempt, but not for ever. */
function attempted(worker: Worker, key: string): Promise<void> {
  const { waiting, later, schedule, stop } = worker;
  if (stop.signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const callOff = later(schedule.timeoutMs + PATIENCE_MS, resolve);
    const arrive = () => {
      callOff();
      resolve();
    };
    waiting.set(key, [...waiting.get(key) ?? [], arrive]);
  });
}

/** Looks for work, once more after the present look if there is one. */
function wake(worker: Worker): void {
  worker.stale = true;
  if (worker.stop.signal.aborted) return;
  worker.looking ??= lookWhileStale(worker).finally(() => {
    worker.looking = undefined;
    // Somebody may have called between the last look and now.
    if (worker.stale) wake(worker);
  });
}

async function lookWhileStale(worker: Worker): Promise<void> {
  try {
    while (worker.stale && !worker.stop.signal.aborted) {
      worker.stale = false;
      await look(worker);
    }
  } catch (error) {
    worker.report(error);
    setAlarm(worker, LEASE_MARGIN_MS);
  }
}

/** Takes what is ready, as far as there is room in its lane, and sets the alarm for the rest. */
async function look(worker: Worker): Promise<void> {
  const { store, clock, schedule, load } = worker;
  const now = clock();
  const { lanes, next } = await store.read(async (tx) => ({
    lanes: await readyLanes(tx, now),
    next: await nextReadyAt(tx, now),
  }));
  const roomIn = (lane: Lane) => LANE_WIDTH - (load.get(keyOf(lane)) ?? 0);
  const open = lanes.filter((lane) => roomIn(lane) > 0);
  if (open.length > 0) {
    const until = now + schedule.timeoutMs + LEASE_MARGIN_MS;
    const claims = await store.write(async (tx) => {
      const taken: Claim[] = [];
      for (const lane of open) {
        taken.push(...await claim(tx, lane, { now, until, most: roomIn(lane) }));
      }
      return taken;
    });
    for (const one of claims) begin(worker, one);
  }
  // Those in hand are not to be waited for; their end wakes the worker by itself.
  if (next !== null) setAlarm(worker, next - clock());
}

function setAlarm(worker: Worker, ms: number): void {
  worker.callOff();
  if (worker.stop.signal.aborted) return;
  worker.callOff = worker.later(Math.min(Math.max(ms, 1), LONGEST_NAP_MS), () => wake(worker));
}

/** Begins a delivery, and goes on with the next when it is over. */
function begin(worker: Worker, one: Claim): void {
  const { running, load, waiting } = worker;
  const lane = keyOf(one.delivery);
  load.set(lane, (load.get(lane) ?? 0) + 1);
  const run = deliver(worker, one).catch(worker.report).then(() => {
    running.delete(run);
    load.set(lane, (load.get(lane) ?? 1) - 1);
    const key = `${one.delivery.project_id} ${one.delivery.id}`;
    waiting.get(key)?.forEach((resolve) => resolve());
    waiting.delete(key);
    wake(worker);
  });
  running.add(run);
}

function keyOf({ project_id, integration_id }: Lane): string {
  return `${project_id} ${integration_id}`;
}

/** Makes one delivery, with what is to go wrong on purpose. */
async function deliver(worker: Worker, one: Claim): Promise<void> {
  const { store, clock, stop, faults } = worker;
  const fault = faults.next(one.delivery);
  if (fault === "drop" || fault === "reorder") return await misplace(worker, one, fault);
  const first = await attemptDelivery(one, worker, stop.signal);
  if (stop.signal.aborted && first.attempt.error !== null) {
    return await store.write((tx) => release(tx, one, first.attempt));
  }
  const tried = [first];
  if (fault === "duplicate" && first.attempt.error === null) {
    tried.push(await attemptDelivery(one, worker, stop.signal));
  }
  const outcome = outcomeOf(worker, one, first);
  const attempts = tried.map(({ attempt }) => attempt);
  await store.write((tx) => finish(tx, one, attempts, outcome, clock()));
}

/** What an attempt means for its delivery. */
function outcomeOf(worker: Worker, one: Claim, { attempt, retryAfterMs }: Tried): Outcome {
  const { schedule, random, clock } = worker;
  if (attempt.error === null) {
    return { state: "delivered", ready_at: null, counts: true, disables: false };
  }
  const gone = attempt.status === 410;
  const ends = gone || one.delivery.once === 1;
  const failures = one.delivery.tries + 1;
  const wait = ends ? undefined : waitAfter(schedule, failures, { retryAfterMs, random });
  if (wait === undefined) return { state: "dead", ready_at: null, counts: true, disables: gone };
  return { state: "pending", ready_at: clock() + wait, counts: true, disables: false };
}

/** Loses a delivery, or lets the customer's next one go first. */
async function misplace(worker: Worker, one: Claim, fault: DeliveryFault): Promise<void> {
  const { store, clock, faults } = worker;
  const now = clock();
  if (fault === "drop") {
    const lost: Outcome = { state: "dropped", ready_at: null, counts: false, disables: false };
    return await store.write((tx) => finish(tx, one, [], lost, now));
  }
  const overtaken = await store.write((tx) => faults.letOvertake(tx, one, now + HOLD_MS));
  if (!overtaken) faults.putBack(one.delivery, fault);
}
