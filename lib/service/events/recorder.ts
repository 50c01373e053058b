/**
 * Writes that attempts are over, and claims what is to be sent next. Those of a project go one after
 * the other, so attempts that end at about the same time share a transaction, and no more
 * deliveries are claimed than may be in progress. Other work in the project goes on meanwhile, and so
 * do other processes. Only a result whose delivery somebody else holds, or that disables its
 * integration, waits for its turn in the project.
 *
 * @module
 */

import { type Locks, outageIn, type Store, type Tx } from "../store/mod.ts";
import type { Claim } from "./claims.ts";
import { type Ended, recordEnded } from "./results.ts";

/** Writes results and claims deliveries. */
export interface Recorder {
  /** Writes that attempts are over. Resolves when that is on disk. */
  record(ended: Ended): Promise<void>;
  /** Claims ready deliveries of an integration, as many as may be in progress. */
  claim(projectId: string, integrationId: string): Promise<void>;
}

/** The parts of a recorder. */
export interface RecorderParts {
  /** The database. */
  store: Store;
  /** Wall time. */
  clock(): number;
  /** Claims ready deliveries of an integration. May run again. */
  claimMore(tx: Tx, projectId: string, integrationId: string): Promise<readonly Claim[]>;
  /** Begins the claimed deliveries. */
  begin(claims: readonly Claim[]): void;
  /** Called for claims that are not begun, and whether the database may hold them. */
  forget(claims: readonly Claim[], mayHold: boolean): void;
  /** Called after a transaction with its results. */
  wrote(ended: readonly Ended[]): void;
}

/** Something to write. */
interface Entry {
  /** The integration, whose next deliveries are claimed. */
  integrationId: string;
  /** The result, if there is one. */
  ended: Ended | undefined;
  /** Whether it must be written with the project's lock. */
  alone: boolean;
  /** Settles the caller's promise. */
  resolve(): void;
  /** Settles the caller's promise with an error. */
  reject(error: unknown): void;
}

/** The most results in one transaction. */
const MOST_AT_ONCE = 128;

/** Makes a recorder. */
export function createRecorder(parts: RecorderParts): Recorder {
  const queues = new Map<string, Entry[]>();
  const add = (projectId: string, entry: Pick<Entry, "integrationId" | "ended">) =>
    new Promise<void>((resolve, reject) => {
      const alone = entry.ended?.outcome.disables === true;
      const one = { ...entry, alone, resolve, reject };
      const queue = queues.get(projectId);
      if (queue) return void queue.push(one);
      queues.set(projectId, [one]);
      void drain(projectId);
    });
  const drain = async (projectId: string) => {
    for (let queue = queues.get(projectId); queue?.length; queue = queues.get(projectId)) {
      await writeTogether(parts, projectId, queue);
    }
    queues.delete(projectId);
  };
  return {
    record: (ended) => {
      const { project_id, integration_id } = ended.claim.delivery;
      return add(project_id, { integrationId: integration_id, ended });
    },
    claim: (projectId, integrationId) => add(projectId, { integrationId, ended: undefined }),
  };
}

/** Writes the first entries of a queue in one transaction. Never rejects. */
async function writeTogether(
  parts: RecorderParts,
  projectId: string,
  queue: Entry[],
): Promise<void> {
  const { store, clock, claimMore, begin, forget, wrote } = parts;
  const locks = queue.some(({ alone }) => alone) ? "project" : "rows";
  let batch: Entry[] = [];
  let claims: Claim[] = [];
  let held: ReadonlySet<Ended> = new Set();
  try {
    await store.write(
      async (tx) => {
        // What has come until now shares the transaction. If the work runs again, it is the same.
        if (batch.length === 0) batch = queue.splice(0, countFor(queue, locks));
        const options = { now: clock(), locks } as const;
        held = new Set(await recordEnded(tx, projectId, resultsOf(batch), options));
        forget(claims, false);
        claims = [];
        for (const integrationId of new Set(batch.map((one) => one.integrationId))) {
          claims.push(...await claimMore(tx, projectId, integrationId));
        }
      },
      projectId,
      locks,
    );
    begin(claims);
    const isHeld = ({ ended }: Entry) => ended !== undefined && held.has(ended);
    const done = batch.filter((one) => !isHeld(one));
    for (const { resolve } of done) resolve();
    queue.unshift(...batch.filter(isHeld).map((one) => ({ ...one, alone: true })));
    wrote(resultsOf(done));
  } catch (error) {
    forget(claims, true);
    if (batch.length === 0) batch = queue.splice(0, countFor(queue, locks));
    if (blamesNobody(error)) batch.forEach(({ reject }) => reject(error));
    else await writeEach(parts, projectId, batch, error);
  }
}

/**
 * Whether a transaction failed because of the server or of other programs, so none of its results is at
 * fault. Each of them alone would wait just as long, one after the other, until the last one's lease is
 * over. Together they come again.
 */
function blamesNobody(error: unknown): boolean {
  const failure = outageIn(error)?.failure;
  return failure === "unreachable" || failure === "busy";
}

/** How many entries at the start of a queue can share a transaction with such locks. */
function countFor(queue: readonly Entry[], locks: Locks): number {
  const first = locks === "project" ? -1 : queue.findIndex(({ alone }) => alone);
  return first < 0 ? MOST_AT_ONCE : Math.min(first, MOST_AT_ONCE);
}

function resultsOf(batch: readonly Entry[]): Ended[] {
  return batch.flatMap(({ ended }) => ended ?? []);
}

/** Writes results alone after they failed together: one of them may be at fault. */
async function writeEach(
  { store, clock, wrote }: RecorderParts,
  projectId: string,
  batch: readonly Entry[],
  cause: unknown,
): Promise<void> {
  for (const { ended, resolve, reject } of batch) {
    if (!ended || batch.length === 1) {
      reject(cause);
      continue;
    }
    try {
      const write = (tx: Tx) =>
        recordEnded(tx, projectId, [ended], { now: clock(), locks: "project" });
      await store.write(write, projectId);
      resolve();
      wrote([ended]);
    } catch (error) {
      reject(error);
    }
  }
}
