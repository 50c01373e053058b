/**
 * The progress of projects that catch up with their time. A process that is alone on its database keeps
 * it in memory; several processes keep it in the database, since any of them may be asked for it, and
 * several may work on one project.
 *
 * @module
 */

import type { Clock } from "../time/clock.ts";
import { acrossProjects, inProject, type ProjectTx, type Store, type Tx } from "../store/mod.ts";

/** The way of a project to its present. */
interface Way {
  /** The time reached so far, in milliseconds since 1970. */
  now: number;
  /** The target time. */
  to: number;
  /** The number of steps so far. */
  done: number;
}

/** The progress of a project that is catching up. */
export interface Progress extends Way {
  /** The project. */
  project_id: string;
  /** The duration so far, in milliseconds. */
  took_ms: number;
}

/** One run of a project to its present. */
export interface Run {
  /** Notes how far it is. */
  note(way: Way): void;
  /** Notes a batch in its own transaction, where several processes share the progress. */
  noteIn?: ((tx: ProjectTx, batch: Way) => Promise<void>) | undefined;
  /** Forgets the progress. */
  end(): Promise<void>;
}

/** The progress of all projects. */
interface ProgressBoard {
  /** Begins a run. */
  begin(projectId: string): Run;
  /** The progress of all projects that are catching up, or of one. */
  read(projectId?: string, tx?: Tx): Promise<Progress[]>;
}

/** Makes the board of a database. */
export function createProgressBoard(store: Store, clock: Clock): ProgressBoard {
  return store.others ? sharedBoard(store, clock) : ownBoard(clock);
}

function ownBoard(clock: Clock): ProgressBoard {
  const all = new Map<string, Way & { project_id: string; began_at: number }>();
  return {
    begin(project_id) {
      const began_at = clock();
      return {
        note: (way) => void all.set(project_id, { ...way, project_id, began_at }),
        end: async () => void all.delete(project_id),
      };
    },
    read: async (projectId) =>
      [...all.values()].filter((one) => (projectId ?? one.project_id) === one.project_id)
        .map(({ began_at, ...one }) => ({ ...one, took_ms: clock() - began_at })),
  };
}

function sharedBoard(store: Store, clock: Clock): ProgressBoard {
  return {
    begin(projectId) {
      const began_at = clock();
      let noted = false;
      return {
        note: () => {},
        async noteIn(tx, { now, to, done }) {
          noted = true;
          await tx.insertInto("catch_ups").values({ began_at, now, target: to, done })
            .onConflict((known) =>
              known.column("project_id").doUpdateSet((row) => ({
                now,
                target: to,
                done: row("catch_ups.done", "+", done),
              }))
            ).execute();
        },
        async end() {
          if (!noted) return;
          await store.write(
            (tx) => inProject(tx, projectId).deleteFrom("catch_ups").execute(),
            projectId,
          );
        },
      };
    },
    async read(projectId, tx) {
      const find = async (whole: Tx) => {
        // All projects: an administrator sees the progress of each of them.
        const rows = projectId === undefined
          ? acrossProjects(whole).selectFrom("catch_ups")
          : inProject(whole, projectId).selectFrom("catch_ups");
        return await rows.selectAll().orderBy("project_id").execute();
      };
      const rows = await (tx ? find(tx) : store.read(find));
      return rows.map(({ project_id, began_at, now, target, done }) => ({
        project_id,
        now,
        to: target,
        done,
        took_ms: Math.max(0, clock() - began_at),
      }));
    },
  };
}
