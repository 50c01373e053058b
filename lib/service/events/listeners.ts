/**
 * Those who fetch events by themselves: each has a place in the events of a project, which only moves
 * when it says that it has dealt with one. Events are kept, so nothing is lost however long it is away.
 *
 * @module
 */

import { EventEmitter, once } from "node:events";
import { sql } from "kysely";
import type { Later } from "../clock.ts";
import { missing, Refusal } from "../contract/errors.ts";
import { inProject, type ProjectTx, type Store } from "../store/mod.ts";
import type { Row } from "../store/tables.ts";

/** What somebody wants to have. */
export interface Pull {
  /** The project. */
  project_id: string;
  /** The listener's name. */
  name: string;
  /** As which of several programs of that name. Default: as whichever is meant. */
  session?: string | undefined;
  /** Only events of these types. Default: all. */
  types?: readonly string[] | undefined;
  /** How many at most. */
  limit: number;
  /** How long to wait for the first one, in milliseconds. */
  wait_ms: number;
}

/** Those who fetch events. */
export interface Listeners {
  /**
   * The next events after those that were acknowledged, in order; none when none came in time.
   *
   * @throws {Refusal} when another program has taken over meanwhile.
   */
  pull(wanted: Pull): Promise<Row<"events">[]>;
  /** Lets everybody who waits look once more. */
  wake(): void;
  /** Answers everybody who waits, and lets nobody wait again. */
  stop(): void;
}

/** Lets events be fetched, with or without waiting for them. */
export function createListeners(store: Store, later: Later): Listeners {
  const events = new EventEmitter<{ written: [] }>().setMaxListeners(0);
  let stopped = false;
  const wake = () => void events.emit("written");
  return {
    async pull(wanted) {
      const time = new AbortController();
      const { signal } = time;
      const callOff = later(wanted.wait_ms, () => time.abort());
      try {
        for (;;) {
          // The wait begins before the read, so it also sees what is written during the read.
          const written = once(events, "written", { signal }).catch(() => {});
          const found = await store.read(async (whole) => {
            const tx = inProject(whole, wanted.project_id);
            await checkSession(tx, wanted);
            return await readEvents(tx, wanted);
          });
          const over = wanted.wait_ms === 0 || signal.aborted || stopped;
          if (found.length > 0 || over) return found;
          await written;
        }
      } finally {
        callOff();
        time.abort();
      }
    },
    wake,
    stop() {
      stopped = true;
      wake();
    },
  };
}

/**
 * Lets only the program go on that has opened a listener last.
 *
 * @throws {Refusal} to all others, and where the listener is gone.
 */
export async function checkSession(
  tx: ProjectTx,
  { name, session }: Pick<Pull, "name" | "session">,
): Promise<void> {
  const listener = await tx.selectFrom("listeners").select("session")
    .where("name", "=", name).executeTakeFirst();
  if (!listener) throw missing("listener", name);
  if (session === undefined || listener.session === session) return;
  const message =
    `Cannot listen as ${JSON.stringify(name)} any more: another program now uses this name ` +
    "and receives the unacknowledged events; use a different name for each";
  throw new Refusal(409, "resource_already_exists", message);
}

/** How many events a listener has still to get. */
export async function countWaiting(
  tx: ProjectTx,
  { acknowledged }: Row<"listeners">,
  types: readonly string[] | undefined,
): Promise<number> {
  const { rows: [row] } = await sql<{ count: number }>`
    select count(*) as count from ${tx.rows("events")} where seq > ${acknowledged} and ${
    isOneOf(types)
  }`.execute(tx);
  return row?.count ?? 0;
}

async function readEvents(tx: ProjectTx, { name, types, limit }: Pull) {
  const { rows } = await sql<Row<"events">>`
    select events.* from ${tx.rows("events")} as events
    join ${tx.rows("listeners")} as listeners on listeners.name = ${name}
    where seq > acknowledged and ${isOneOf(types)}
    order by seq limit ${limit}`.execute(tx);
  return rows;
}

function isOneOf(types: readonly string[] | undefined) {
  return types === undefined ? sql`1 = 1` : sql`type in (${sql.join(types)})`;
}
