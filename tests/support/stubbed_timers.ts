/**
 * Timers of the process whose times a test sees, and shortens.
 *
 * @module
 */

/**
 * Runs something while each timer set for exactly `due` milliseconds fires at once. Returns the times of
 * all timers that were set meanwhile.
 */
export async function withTimersAt(due: number, run: () => Promise<unknown>): Promise<number[]> {
  const { setTimeout } = globalThis;
  const times: number[] = [];
  const soon = (ring: () => void, ms = 0) => {
    times.push(ms);
    return setTimeout(ring, ms === due ? 0 : ms);
  };
  Object.assign(globalThis, { setTimeout: soon });
  try {
    await run();
  } finally {
    Object.assign(globalThis, { setTimeout });
  }
  return times;
}
