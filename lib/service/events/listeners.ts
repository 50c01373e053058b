/**
 * Listeners, which pull events. Each has a position in the events of a project, which only an
 * acknowledgement moves. Events are kept, so a listener that is away loses none.
 *
 * @module
 */

import { EventEmitter, once } from "node:events";
import { sql } from "kysely";
import type { Later } from "../clock.ts";
import { missing, Refusal } from "../contract/errors.ts";
import { inProject, type ProjectTx, type Store } from "../store/mod.ts";
import type { Row } from "../store/tables.ts";

/** The request of a listener. */
export interface Pull {
  /** The project. */
  project_id: string;
  /** The listener's name. */
  name: string;
  /** Which of several programs of that name sends it. Default: any. */
  session?: string | undefined;
  /** Only events of these types. Default: all. */
  types?: readonly string[] | undefined;
  /** The most events. */
  limit: number;
  /** The longest wait for the first one, in milliseconds. */
  wait_ms: number;
}

/** The listeners. */
export interface Listeners {
  /**
   * The next events after the acknowledged ones, in order; none if the wait ends first.
   *
   * @throws {Refusal} when another program has taken over.
   */
  pull(wanted: Pull): Promise<Row<"events">[]>;
  /** Lets all waiting listeners check again. */
  wake(): void;
  /** Answers all waiting listeners, and ends all further waits at once. */
  stop(): void;
}

/** Makes the listeners of a database. */
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
          // The wait starts before the read, so it also sees events written during the read.
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
 * Accepts only the program that opened the listener last.
 *
 * @throws {Refusal} for other programs, and for a deleted listener.
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

/** The number of unacknowledged events of a listener. */
export async function countWaiting(
  tx: ProjectTx,
  { acknowledged }: Row<"listeners">,
  types: readonly string[] | undefined,
): Promise<number> {
  const { rows: [row] } = await sql<{ count: number }>`
    select count(*) as count from ${tx.rows("events")} as events where seq > ${acknowledged} and ${
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
