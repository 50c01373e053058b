/**
 * The worker that sends queued deliveries. It never waits for a receiver inside a transaction. Each
 * integration has its own lane, so a slow receiver delays no other.
 *
 * @module
 */

import type { Clock, Later } from "../time/clock.ts";
import type { Store, Tx } from "../store/mod.ts";
import type { Targets } from "../outbound/targets.ts";
import { attemptDelivery } from "./attempt.ts";
import { attempted, attemptedAnywhere } from "./awaited.ts";
import {
  type Claim,
  claim,
  deadClaims,
  freeLeases,
  freeUnknown,
  holderOf,
  keyOf,
  type Lane,
  nextReadyAt,
  readyLanes,
} from "./claims.ts";
import { createDeadHolders, type DeadHolders } from "./dead_holders.ts";
import { type DeliveryFault, type DeliveryFaults, holdBack, letOvertake } from "./faults.ts";
import { insist } from "./insist.ts";
import { DROPPED, outcomeOf } from "./outcome.ts";
import { createRecorder, type Recorder, type RecorderParts } from "./recorder.ts";
import { release } from "./results.ts";
import { shortenWaits } from "./shorten_waits.ts";
import type { Schedule } from "./schedule.ts";

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
export interface DelivererParts {
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

/** The longest time between two checks of the queue, in milliseconds. */
const LONGEST_NAP_MS = 3_600_000;

/** The time that a delivery waits to be overtaken before the next check. */
const HOLD_MS = 200;

/** The worker's state. */
interface Worker extends DelivererParts {
  /** Deliveries in progress. */
  running: Set<Promise<void>>;
  /** The number of claims in each lane whose attempts are not over. */
  load: Map<string, number>;
  /** Writes results, and claims deliveries. */
  recorder: Recorder;
  /** The callers that wait for an attempt, by delivery. */
  waiting: Map<string, (() => void)[]>;
  /** The check in progress. */
  looking: Promise<void> | undefined;
  /** Whether something may have changed since its start. */
  stale: boolean;
  /** The leases of the claims that this process has, or makes at this moment. */
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
    recorder: createRecorder(partsOfRecorder(parts, () => worker)),
    waiting: new Map(),
    looking: undefined,
    stale: false,
    leases: new Set(),
    doubtful: false,
    dead: createDeadHolders(parts.clock),
    callOff: () => {},
    stop: new AbortController(),
  };
  return {
    async start() {
      const now = worker.clock();
      await worker.store.write(async (tx) => {
        // Where there are others, one may only have lost its connection: see freeDead().
        if (!worker.store.others) await freeLeases(tx, now, await deadClaims(tx, undefined));
        await shortenWaits(tx, { now, schedule: worker.schedule });
      });
      wake(worker);
    },
    wake: () => wake(worker),
    freeDead: () => freeDead(worker),
    attempted: (projectId, deliveryId) =>
      worker.store.others
        ? attemptedAnywhere(worker, () => idle(worker), { projectId, id: deliveryId })
        : attempted(worker, `${projectId} ${deliveryId}`),
    idle: () => idle(worker),
    async stop() {
      worker.stop.abort();
      worker.callOff();
      await idle(worker);
      worker.waiting.values().forEach((ones) => ones.forEach((resolve) => resolve()));
    },
  };
}

async function idle(worker: Worker): Promise<void> {
  while (worker.looking || worker.running.size > 0) {
    await worker.looking;
    await Promise.all(worker.running);
  }
}

/** What the recorder needs of the worker, which is made after it. */
function partsOfRecorder({ store, clock }: DelivererParts, own: () => Worker): RecorderParts {
  return {
    store,
    clock,
    claimMore: (tx, project_id, integration_id) =>
      claimMore(own(), tx, { project_id, integration_id }),
    begin: (claims) => claims.forEach((one) => begin(own(), one)),
    forget(claims, mayHold) {
      const worker = own();
      for (const { lease } of claims) worker.leases.delete(lease);
      worker.doubtful ||= mayHold;
    },
    wrote(ended) {
      const worker = own();
      // Retries need the timer, and the last one to end looks whether anything is left.
      const waits = ended.some(({ outcome }) => outcome.state === "pending");
      const isLast = ended.length > 0 && worker.running.size <= ended.length;
      if (waits || isLast) wake(worker);
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

/** Claims ready deliveries, and sets the timer for the others. */
async function look(worker: Worker): Promise<void> {
  const { store, clock, load, recorder, leases } = worker;
  const holder = store.others?.holder;
  if (worker.doubtful && holder !== undefined) {
    worker.doubtful = false;
    await store.write((tx) => freeUnknown(tx, holder, leases)).catch((error) => {
      worker.doubtful = true;
      throw error;
    });
  }
  const now = clock();
  const { lanes, next } = await store.read(async (tx) => ({
    lanes: await readyLanes(tx, now),
    next: await nextReadyAt(tx, now),
  }));
  const open = lanes.filter((lane) => (load.get(keyOf(lane)) ?? 0) < LANE_WIDTH);
  await Promise.all(open.map((lane) => recorder.claim(lane.project_id, lane.integration_id)));
  // Claimed deliveries need no timer; their end wakes the worker.
  // An earlier look may have set one for the end of a lease.
  if (next === null) worker.callOff();
  else setAlarm(worker, next - clock());
}

/** Claims ready deliveries of a lane up to its limit. */
async function claimMore(worker: Worker, tx: Tx, lane: Lane): Promise<Claim[]> {
  const { store, clock, schedule, load, stop, leases } = worker;
  const most = LANE_WIDTH - (load.get(keyOf(lane)) ?? 0);
  if (most <= 0 || stop.signal.aborted) return [];
  const now = clock();
  const until = now + schedule.timeoutMs + LEASE_MARGIN_MS;
  const claims = await claim(tx, lane, { now, until, most, holder: store.others?.holder });
  for (const { lease } of claims) leases.add(lease);
  return claims;
}

function setAlarm(worker: Worker, ms: number): void {
  worker.callOff();
  if (worker.stop.signal.aborted) return;
  worker.callOff = worker.later(Math.min(Math.max(ms, 1), LONGEST_NAP_MS), () => wake(worker));
}

/** Starts a delivery. */
function begin(worker: Worker, one: Claim): void {
  const { running, load, waiting, leases, report } = worker;
  const lane = keyOf(one.delivery);
  load.set(lane, (load.get(lane) ?? 0) + 1);
  let isOver = false;
  const over = () => {
    if (isOver) return;
    isOver = true;
    load.set(lane, (load.get(lane) ?? 1) - 1);
  };
  const failed = (error: unknown) => {
    report(error);
    wake(worker);
  };
  const run = deliver(worker, one, over).catch(failed).then(() => {
    over();
    running.delete(run);
    leases.delete(one.lease);
    const key = `${one.delivery.project_id} ${one.delivery.id}`;
    waiting.get(key)?.forEach((resolve) => resolve());
    waiting.delete(key);
  });
  running.add(run);
}

/** Makes one delivery, with its injected fault. `over` is called when its attempts are over. */
async function deliver(worker: Worker, one: Claim, over: () => void): Promise<void> {
  const { store, stop, faults } = worker;
  const { project_id } = one.delivery;
  // The attempt must be over before the lease is.
  const soon = patienceOf(worker, LEASE_MARGIN_MS / 2);
  const fault = await insist(async () => await faults.next(one.delivery), soon);
  if (fault === "drop" || fault === "reorder") return await misplace(worker, one, fault, over);
  const first = await attemptDelivery(one, worker, stop.signal);
  if (stop.signal.aborted && first.attempt.error !== null) {
    const write = () => store.write((tx) => release(tx, one, first.attempt), project_id);
    return await keep(worker, write);
  }
  const tried = [first];
  if (fault === "duplicate" && first.attempt.error === null) {
    tried.push(await attemptDelivery(one, worker, stop.signal));
  }
  const outcome = outcomeOf(worker, one, first);
  over();
  const attempts = tried.map(({ attempt }) => attempt);
  await keep(worker, () => worker.recorder.record({ claim: one, attempts, outcome }));
}

/**
 * Stores the result of a delivery. A result that is forgotten is a delivery that is made twice, so
 * only the end of its lease or of the worker ends the tries.
 */
function keep<T>(worker: Worker, write: () => Promise<T>): Promise<T> {
  return insist(write, patienceOf(worker, worker.schedule.timeoutMs + LEASE_MARGIN_MS));
}

/** Tries for so many milliseconds, or until the worker stops. */
function patienceOf({ clock, stop }: Worker, ms: number): Parameters<typeof insist>[1] {
  return { clock, until: clock() + ms, signal: stop.signal };
}

/** Loses a delivery, or lets the next one overtake it; a fault is back before its delivery is. */
async function misplace(
  worker: Worker,
  one: Claim,
  fault: DeliveryFault,
  over: () => void,
): Promise<void> {
  const { store, clock, faults, recorder } = worker;
  const { project_id } = one.delivery;
  over();
  if (fault === "drop") {
    const lost = { claim: one, attempts: [], outcome: DROPPED };
    return await keep(worker, () => recorder.record(lost));
  }
  const write = <T>(work: (tx: Tx) => Promise<T>) =>
    keep(worker, () => store.write(work, project_id));
  if (!await write((tx) => letOvertake(tx, one))) {
    await keep(worker, () => faults.putBack(one.delivery, fault));
    await write((tx) => holdBack(tx, one, clock() + HOLD_MS));
  }
  wake(worker);
}
