/**
 * Listeners, which pull events. Each has a position in the events of a project, which only an
 * acknowledgement moves. Events are kept, so a listener that is away loses none.
 *
 * @module
 */

import type { Later } from "../time/clock.ts";
import type { Store } from "../store/mod.ts";
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
  const waiting = new Set<() => void>();
  let stopped = false;
  const wake = () => waiting.forEach((resume) => resume());
  return {
    async pull(wanted) {
      let isOver = false;
      let resume = () => {};
      const wakeThis = () => resume();
      const callOff = later(wanted.wait_ms, () => {
        isOver = true;
        resume();
      });
      waiting.add(wakeThis);
      try {
        const { readNext } = await import("./pull.ts");
        for (;;) {
          // The wait starts before the read, so it also sees events written during the read.
          const written = new Promise<void>((resolve) => resume = resolve);
          const found = await store.read((tx) => readNext(tx, wanted));
          const over = wanted.wait_ms === 0 || isOver || stopped;
          if (found.length > 0 || over) return found;
          await written;
        }
      } finally {
        callOff();
        waiting.delete(wakeThis);
      }
    },
    wake,
    stop() {
      stopped = true;
      wake();
    },
  };
}
