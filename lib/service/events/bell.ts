/**
 * A bell that rings when there are new events, for those who wait for some.
 *
 * @module
 */

/** The bell. */
export interface Bell {
  /** How often it has rung. */
  readonly rings: number;
  /** Whether nobody is to wait any more. */
  readonly stopped: boolean;
  /** Wakes everybody who waits. */
  ring(): void;
  /** Waits until it has rung more often than that, is stopped, or the signal fires. */
  rung(since: number, signal: AbortSignal): Promise<void>;
  /** Wakes everybody, and lets nobody wait again. */
  stop(): void;
}

/** Makes a bell. */
export function createBell(): Bell {
  const waiting = new Set<() => void>();
  let rings = 0;
  let stopped = false;
  const wake = () => waiting.forEach((go) => go());
  return {
    get rings() {
      return rings;
    },
    get stopped() {
      return stopped;
    },
    ring() {
      rings++;
      wake();
    },
    async rung(since, signal) {
      if (stopped || rings !== since || signal.aborted) return;
      await new Promise<void>((resolve) => {
        const go = () => {
          waiting.delete(go);
          signal.removeEventListener("abort", go);
          resolve();
        };
        waiting.add(go);
        signal.addEventListener("abort", go);
      });
    },
    stop() {
      stopped = true;
      wake();
    },
  };
}
