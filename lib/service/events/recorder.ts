/**
 * Writes that attempts are over, and claims what is to be sent next. Those of a project go one after
 * the other, so attempts that end at about the same time share a transaction, and no more
 * deliveries are claimed than may be in progress. Other work in the project goes on meanwhile, and so
 * do other processes. Only a result whose delivery somebody else holds, or that disables its
 * integration, waits for its turn in the project, in a queue of its own: all others go on.
 *
 * @module
 */

import { type Locks, outageIn, type Store, type Tx } from "../store/mod.ts";
import type { Claim } from "./claims.ts";
import type { Ended } from "./ended.ts";
import { recordEnded } from "./results.ts";

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

/** What waits to be written with the same locks, by project. */
type Queues = Map<string, Entry[]>;

/** The most results in one transaction. */
const MOST_AT_ONCE = 128;

/** Makes a recorder. */
export function createRecorder(parts: RecorderParts): Recorder {
  const queues: Record<Locks, Queues> = { rows: new Map(), project: new Map() };
  const put = (projectId: string, locks: Locks, entries: Entry[]) => {
    if (entries.length === 0) return;
    const queue = queues[locks].get(projectId);
    if (queue) return void queue.push(...entries);
    queues[locks].set(projectId, entries);
    void drain(projectId, locks, entries);
  };
  const drain = async (projectId: string, locks: Locks, queue: Entry[]) => {
    while (queue.length > 0) {
      if (locks === "rows") put(projectId, "project", await writeTogether(parts, projectId, queue));
      else put(projectId, "rows", await writeInTurn(parts, projectId, queue));
    }
    queues[locks].delete(projectId);
  };
  const add = (projectId: string, entry: Pick<Entry, "integrationId" | "ended">) =>
    new Promise<void>((resolve, reject) => {
      const locks = entry.ended?.outcome.disables ? "project" : "rows";
      put(projectId, locks, [{ ...entry, resolve, reject }]);
    });
  return {
    record: (ended) => {
      const { project_id, integration_id } = ended.claim.delivery;
      return add(project_id, { integrationId: integration_id, ended });
    },
    claim: (projectId, integrationId) => add(projectId, { integrationId, ended: undefined }),
  };
}

/**
 * Writes the first entries of a queue in one transaction, beside the other work of the project, and
 * claims what comes next. Returns those whose deliveries somebody else holds. Never rejects.
 */
async function writeTogether(
  parts: RecorderParts,
  projectId: string,
  queue: Entry[],
): Promise<Entry[]> {
  const { store, clock, claimMore, begin, forget, wrote } = parts;
  let batch: Entry[] = [];
  let claims: Claim[] = [];
  let held: ReadonlySet<Ended> = new Set();
  try {
    await store.write(
      async (tx) => {
        // What has come until now shares the transaction. If the work runs again, it is the same.
        if (batch.length === 0) batch = queue.splice(0, MOST_AT_ONCE);
        const options = { now: clock(), locks: "rows" } as const;
        held = new Set(await recordEnded(tx, projectId, resultsOf(batch), options));
        forget(claims, false);
        claims = [];
        for (const integrationId of integrationsOf(batch)) {
          claims.push(...await claimMore(tx, projectId, integrationId));
        }
      },
      projectId,
      "rows",
    );
    begin(claims);
    const isHeld = ({ ended }: Entry) => ended !== undefined && held.has(ended);
    const done = batch.filter((one) => !isHeld(one));
    for (const { resolve } of done) resolve();
    wrote(resultsOf(done));
    return batch.filter(isHeld);
  } catch (error) {
    forget(claims, true);
    if (batch.length === 0) batch = queue.splice(0, MOST_AT_ONCE);
    await writeAfterFailure(parts, projectId, batch, error);
    return [];
  }
}

/**
 * Writes the first results of a queue in one transaction, when it is their turn in the project. Returns
 * the claims that are to be made then, with the others of the project: so no more are made than may be.
 * They settle the promises of the results. Never rejects.
 */
async function writeInTurn(
  parts: RecorderParts,
  projectId: string,
  queue: Entry[],
): Promise<Entry[]> {
  const { store, clock, wrote } = parts;
  let batch: Entry[] = [];
  try {
    await store.write(async (tx) => {
      if (batch.length === 0) batch = queue.splice(0, MOST_AT_ONCE);
      await recordEnded(tx, projectId, resultsOf(batch), { now: clock(), locks: "project" });
    }, projectId);
    wrote(resultsOf(batch));
    return integrationsOf(batch).map((integrationId) => {
      const own = batch.filter((one) => one.integrationId === integrationId);
      // The results are stored, whatever becomes of the claims.
      const settle = () => own.forEach(({ resolve }) => resolve());
      return { integrationId, ended: undefined, resolve: settle, reject: settle };
    });
  } catch (error) {
    if (batch.length === 0) batch = queue.splice(0, MOST_AT_ONCE);
    await writeAfterFailure(parts, projectId, batch, error);
    return [];
  }
}

/** What becomes of entries whose transaction has failed: results may be written alone. */
async function writeAfterFailure(
  parts: RecorderParts,
  projectId: string,
  batch: readonly Entry[],
  error: unknown,
): Promise<void> {
  if (blamesNobody(error)) batch.forEach(({ reject }) => reject(error));
  else await writeEach(parts, projectId, batch, error);
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

function integrationsOf(batch: readonly Entry[]): string[] {
  return [...new Set(batch.map(({ integrationId }) => integrationId))];
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
