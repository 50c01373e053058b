/**
 * Lets projects catch up with their time. Whether one is behind is told here; what is due runs in
 * `batches.ts`, which is loaded when something is.
 *
 * @module
 */

import { type Clock, projectTime } from "../time/clock.ts";
import { createProgressBoard, type Progress, type Run } from "./progress.ts";
import { fixed, plainly, type Store, type TextTx, type Tx } from "../store/mod.ts";
import type { Row } from "../store/tables.ts";

/** Where a run notes its progress. */
export type RunBoard = Pick<Run, "note" | "noteIn">;

/** Lets projects catch up. Simultaneous calls for one project share one run. */
export interface CatchUp {
  /** Lets a project catch up, and finishes an advance of its clock. */
  project(projectId: string): Promise<void>;
  /** Lets all projects catch up, concurrently. */
  all(): Promise<void>;
  /**
   * Runs something that lets time pass in a project by itself, then brings the project to its present.
   * Whoever asks meanwhile waits for both. The run notes its progress where it is told to.
   */
  during(projectId: string, run: (board: RunBoard) => Promise<void>): Promise<void>;
  /** The progress of all projects that are catching up, or of one, read in a transaction or by itself. */
  progress(projectId?: string, tx?: Tx): Promise<Progress[]>;
  /** Whether it was stopped. Projects may then be behind. */
  isStopped(): boolean;
  /** Stops after the current batches. */
  stop(): Promise<void>;
}

/** Creates the catch-up of a database's projects. */
export function createCatchUp(store: Store, clock: Clock): CatchUp {
  const running = new Map<string, Promise<void>>();
  const board = createProgressBoard(store, clock);
  let stopped = false;
  const runBatches = async (projectId: string, run: Run) => {
    // Most starts find nothing due.
    const { runAll } = await import("./batches.ts");
    await runAll(store, clock, projectId, { run, isStopped: () => stopped });
  };
  const start = (projectId: string, work: (run: Run) => Promise<void>): Promise<void> => {
    const run = board.begin(projectId);
    const working = store.writeMuch(async () => {
      try {
        await work(run);
      } finally {
        if (!stopped) await run.end();
      }
    }).finally(() => running.delete(projectId));
    running.set(projectId, working);
    return working;
  };
  const project = (projectId: string): Promise<void> => {
    const known = running.get(projectId);
    if (known) return known;
    if (stopped) return Promise.resolve();
    return start(projectId, (run) => runBatches(projectId, run));
  };
  return {
    project,
    async all() {
      if (stopped) return;
      const behind = await store.read(plainly((tx) => behindAt(tx, clock())));
      await Promise.all(behind.map(project));
    },
    async during(projectId, run) {
      for (let known = running.get(projectId); known; known = running.get(projectId)) {
        // Whoever started that run hears of its failure.
        await known.catch(() => {});
      }
      if (stopped) return;
      await start(projectId, async (own) => {
        await run(own);
        await runBatches(projectId, own);
      });
    },
    progress: board.read,
    isStopped: () => stopped,
    async stop() {
      stopped = true;
      await Promise.allSettled(running.values());
    },
  };
}

/** The fields of a project that show whether it is behind. */
export type TimeOfProject =
  & Pick<Row<"projects">, "clock_frozen_at" | "clock_offset" | "clock_advancing_to">
  & { next_due_at: number | null };

/** Whether a step of a project is due, or its clock is advancing. */
export function isBehind(project: TimeOfProject, wall: number): boolean {
  const { next_due_at, clock_advancing_to } = project;
  const due = next_due_at !== null && next_due_at <= projectTime(project, wall);
  return due || clock_advancing_to !== null;
}

/** The ids of the projects that are behind. */
export async function behindAt(tx: TextTx, wall: number): Promise<string[]> {
  // All projects: each of them may be behind.
  const { rows: projects } = await fixed<TimeOfProject & { id: string }>`
    select id, clock_frozen_at, clock_offset, clock_advancing_to, (
      select min(due_at) from subscriptions
      where subscriptions.project_id = projects.id and due_at is not null) as next_due_at
    from projects`.execute(tx);
  return projects.filter((project) => isBehind(project, wall)).map((project) => project.id);
}
