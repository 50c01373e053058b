/**
 * The worker that sends queued deliveries. It never waits for a receiver inside a transaction. Each
 * integration has its own lane, so a slow receiver delays no other.
 *
 * @module
 */

import type { Clock, Later } from "../clock.ts";
import type { Store, Tx } from "../store/mod.ts";
import type { Targets } from "../outbound/targets.ts";
import { attemptDelivery, type Tried } from "./attempt.ts";
import {
  type Claim,
  claim,
  deadClaims,
  finish,
  freeLeases,
  freeUnknown,
  holderOf,
  type Lane,
  nextReadyAt,
  type Outcome,
  readyLanes,
  release,
  wasAttempted,
} from "./claims.ts";
import { createDeadHolders, type DeadHolders } from "./dead_holders.ts";
import { type DeliveryFault, type DeliveryFaults, letOvertake } from "./faults.ts";
import { insist } from "./insist.ts";
import { shortenWaits } from "./shorten_waits.ts";
import { type Schedule, waitAfter } from "./schedule.ts";

/** The worker. */
export interface Deliverer {
  /** Releases the claims of an earlier process, shortens waits that are too long, and starts. */
  start(): Promise<void>;
  /** Signals that deliveries may be queued. */
  wake(): void;
  /** Resolves after the next attempt of a delivery, or after a time without one. */
  attempted(projectId: string, deliveryId: string): Promise<void>;
  /** Resolves when no delivery is in progress or ready. */
  idle(): Promise<void>;
  /** Releases the claims of processes that have died since, where there are several. */
  freeDead(): Promise<void>;
  /** Aborts attempts in progress and releases their deliveries. */
  stop(): Promise<void>;
}

/** The parts of the worker. */
interface DelivererParts {
  /** The database. */
  store: Store;
  /** Wall time. */
  clock: Clock;
  /** The timer. */
  later: Later;
  /** A number from 0 to 1, for jitter. */
  random(): number;
  /** The check of webhook targets. */
  targets: Targets;
  /** The retry schedule. */
  schedule: Schedule;
  /** The injected faults. */
  faults: DeliveryFaults;
  /** Whether this process delivers, or leaves that to others. */
  delivers: boolean;
  /** Called for internal errors. */
  report(error: unknown): void;
}

/** The most deliveries in progress in one lane. */
const LANE_WIDTH = 32;

/** The time of a lease beyond the receiver's time limit, in milliseconds. */
const LEASE_MARGIN_MS = 30_000;

/** The time that a caller waits for an attempt, beyond its time limit, in milliseconds. */
const PATIENCE_MS = 10_000;

/** The longest time between two checks of the queue, in milliseconds. */
const LONGEST_NAP_MS = 3_600_000;

/** The time that a delivery waits to be overtaken before the next check. */
const HOLD_MS = 200;

/** The worker's state. */
interface Worker extends DelivererParts {
  /** Deliveries in progress. */
  running: Set<Promise<void>>;
  /** Their number in each lane. */
  load: Map<string, number>;
  /** The callers that wait for an attempt, by delivery. */
  waiting: Map<string, (() => void)[]>;
  /** The check in progress. */
  looking: Promise<void> | undefined;
  /** Whether something may have changed since its start. */
  stale: boolean;
  /** The leases of the deliveries in progress. */
  leases: Set<string>;
  /** Whether the database may hold claims that this process does not know of. */
  doubtful: boolean;
  /** The processes that have died. */
  dead: DeadHolders;
  /** Cancels the timer. */
  callOff(): void;
  /** Aborts everything. */
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
    leases: new Set(),
    doubtful: false,
    dead: createDeadHolders(parts.clock),
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
        // Where there are others, one may only have lost its connection: see freeDead().
        const { others } = worker.store;
        if (!others) await freeLeases(tx, now, await deadClaims(tx, others));
        await shortenWaits(tx, { now, schedule: worker.schedule });
      });
      wake(worker);
    },
    wake: () => wake(worker),
    freeDead: () => freeDead(worker),
    attempted: (projectId, deliveryId) =>
      worker.store.others
        ? attemptedAnywhere(worker, projectId, deliveryId)
        : attempted(worker, `${projectId} ${deliveryId}`),
    idle,
    async stop() {
      worker.stop.abort();
      worker.callOff();
      await idle();
      worker.waiting.values().forEach((ones) => ones.forEach((resolve) => resolve()));
    },
  };
}

/** Releases the claims of other processes that have died. */
async function freeDead(worker: Worker): Promise<void> {
  const { store, clock, stop, dead } = worker;
  const { others } = store;
  if (!others || stop.signal.aborted) return;
  const claims = await store.read((tx) => deadClaims(tx, others));
  const holders = dead.among(claims.map(({ lease }) => holderOf(lease)));
  const free = claims.filter(({ lease }) => holders.has(holderOf(lease)));
  if (free.length === 0) return;
  await store.write((tx) => freeLeases(tx, clock(), free));
  wake(worker);
}

/** Waits for an attempt, up to a limit. */
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

/** How often the database is asked whether another process has made an attempt, in milliseconds. */
const ASK_MS = 50;

/** Waits for an attempt that any process may make, up to a limit. */
async function attemptedAnywhere(worker: Worker, projectId: string, id: string): Promise<void> {
  const { store, schedule, stop, clock } = worker;
  const isMade = () => store.read((tx) => wasAttempted(tx, { projectId, id, now: clock() }));
  for (let left = schedule.timeoutMs + PATIENCE_MS; left > 0; left -= ASK_MS) {
    if (stop.signal.aborted || await isMade()) return;
    await new Promise((resolve) => setTimeout(resolve, ASK_MS));
  }
}

/** Looks for work, or again after the check in progress. */
function wake(worker: Worker): void {
  if (!worker.delivers) return;
  worker.stale = true;
  if (worker.stop.signal.aborted) return;
  worker.looking ??= lookWhileStale(worker).finally(() => {
    worker.looking = undefined;
    // A signal may have come since the last check.
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

/** Claims ready deliveries up to the lane's limit, and sets the timer for the others. */
async function look(worker: Worker): Promise<void> {
  const { store, clock, schedule, load, leases } = worker;
  const holder = store.others?.holder;
  if (worker.doubtful && holder !== undefined) {
    await store.write((tx) => freeUnknown(tx, holder, leases));
    worker.doubtful = false;
  }
  const now = clock();
  const { lanes, next } = await store.read(async (tx) => ({
    lanes: await readyLanes(tx, now),
    next: await nextReadyAt(tx, now),
  }));
  const roomIn = (lane: Lane) => LANE_WIDTH - (load.get(keyOf(lane)) ?? 0);
  const open = lanes.filter((lane) => roomIn(lane) > 0);
  if (open.length > 0) {
    const until = now + schedule.timeoutMs + LEASE_MARGIN_MS;
    worker.doubtful = true;
    const claims = await store.write(async (tx) => {
      const taken: Claim[] = [];
      for (const lane of open) {
        taken.push(
          ...await claim(tx, lane, {
            now,
            until,
            most: roomIn(lane),
            holder,
          }),
        );
      }
      return taken;
    });
    for (const one of claims) begin(worker, one);
    worker.doubtful = false;
  }
  // Claimed deliveries need no timer; their end wakes the worker.
  if (next !== null) setAlarm(worker, next - clock());
}

function setAlarm(worker: Worker, ms: number): void {
  worker.callOff();
  if (worker.stop.signal.aborted) return;
  worker.callOff = worker.later(Math.min(Math.max(ms, 1), LONGEST_NAP_MS), () => wake(worker));
}

/** Starts a delivery, and looks for more when it ends. */
function begin(worker: Worker, one: Claim): void {
  const { running, load, waiting, leases } = worker;
  leases.add(one.lease);
  const lane = keyOf(one.delivery);
  load.set(lane, (load.get(lane) ?? 0) + 1);
  const run = deliver(worker, one).catch(worker.report).then(() => {
    running.delete(run);
    leases.delete(one.lease);
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

/** Makes one delivery, with its injected fault. */
async function deliver(worker: Worker, one: Claim): Promise<void> {
  const { stop, faults, clock } = worker;
  const fault = await faults.next(one.delivery);
  if (fault === "drop" || fault === "reorder") return await misplace(worker, one, fault);
  const first = await attemptDelivery(one, worker, stop.signal);
  if (stop.signal.aborted && first.attempt.error !== null) {
    return await keep(worker, one, (tx) => release(tx, one, first.attempt));
  }
  const tried = [first];
  if (fault === "duplicate" && first.attempt.error === null) {
    tried.push(await attemptDelivery(one, worker, stop.signal));
  }
  const outcome = outcomeOf(worker, one, first);
  const attempts = tried.map(({ attempt }) => attempt);
  await keep(worker, one, (tx) => finish(tx, one, attempts, outcome, clock()));
}

/**
 * Stores the result of a delivery. A result that is forgotten is a delivery that is made twice, so
 * only the end of its lease or of the worker ends the tries.
 */
function keep(worker: Worker, { delivery }: Claim, work: (tx: Tx) => Promise<void>): Promise<void> {
  const { store, clock, stop, schedule } = worker;
  const until = clock() + schedule.timeoutMs + LEASE_MARGIN_MS;
  const write = () => store.write(work, delivery.project_id);
  return insist(write, { clock, until, signal: stop.signal });
}

/** The next state of a delivery after an attempt. */
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

/** Loses a delivery, or lets the customer's next one overtake it. */
async function misplace(worker: Worker, one: Claim, fault: DeliveryFault): Promise<void> {
  const { store, clock, faults } = worker;
  const { project_id } = one.delivery;
  const now = clock();
  if (fault === "drop") {
    const lost: Outcome = { state: "dropped", ready_at: null, counts: false, disables: false };
    return await store.write((tx) => finish(tx, one, [], lost, now), project_id);
  }
  const overtaken = await store.write((tx) => letOvertake(tx, one, now + HOLD_MS), project_id);
  if (!overtaken) await faults.putBack(one.delivery, fault);
}
