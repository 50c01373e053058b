/**
 * Time for the limits of requests, which stands still until a test advances it.
 *
 * @module
 */

/** Advances time by milliseconds, and lets what is due happen. */
export type Pass = (ms: number) => Promise<void>;

/** A timer of the platform. */
interface Timer {
  /** Its time. */
  at: number;
  /** Fires it. */
  controller: AbortController;
}

/**
 * Runs something in a time of its own. It lies before all moments of the process, so alarms that others
 * have set neither ring in it nor serve it.
 */
export async function withAlarmTime(run: (pass: Pass) => Promise<void>): Promise<void> {
  const { timeout } = AbortSignal;
  const now = performance.now;
  const timers = new Set<Timer>();
  let ms = -1_000_000_000;
  const pass = async (more: number) => {
    ms += more;
    for (const timer of timers) {
      if (timer.at > ms) continue;
      timers.delete(timer);
      timer.controller.abort();
    }
    // What rings is handled in promises.
    await new Promise((resolve) => setTimeout(resolve));
  };
  AbortSignal.timeout = (after) => {
    const controller = new AbortController();
    timers.add({ at: ms + after, controller });
    return controller.signal;
  };
  performance.now = () => ms;
  try {
    await run(pass);
    // A timer that never fires would be taken for those to come.
    await pass(500_000_000);
  } finally {
    AbortSignal.timeout = timeout;
    performance.now = now;
  }
}
