/**
 * Writes that attempts are over, and claims what is to be sent next. Those of a project go one after
 * the other, so attempts that end at about the same time share a transaction, and no more
 * deliveries are claimed than may be in progress.
 *
 * @module
 */

import type { Store, Tx } from "../store/mod.ts";
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
      const one = { ...entry, resolve, reject };
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
  let batch: Entry[] = [];
  let claims: Claim[] = [];
  try {
    await store.write(async (tx) => {
      // What has come until now shares the transaction. If the work runs again, it is the same.
      if (batch.length === 0) batch = queue.splice(0, MOST_AT_ONCE);
      await recordEnded(tx, projectId, resultsOf(batch), clock());
      forget(claims, false);
      claims = [];
      for (const integrationId of new Set(batch.map((one) => one.integrationId))) {
        claims.push(...await claimMore(tx, projectId, integrationId));
      }
    }, projectId);
    begin(claims);
    for (const { resolve } of batch) resolve();
    wrote(resultsOf(batch));
  } catch (error) {
    forget(claims, true);
    if (batch.length === 0) batch = queue.splice(0, MOST_AT_ONCE);
    await writeEach(parts, projectId, batch, error);
  }
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
      await store.write((tx) => recordEnded(tx, projectId, [ended], clock()), projectId);
      resolve();
      wrote([ended]);
    } catch (error) {
      reject(error);
    }
  }
}
