/**
 * Calls after a time, for limits that nearly always end before it.
 *
 * @module
 */

/**
 * Calls a function once after `ms` milliseconds, unless the returned function is called first. It
 * does not keep the program running. The first `setTimeout` of a program costs 7 ms, a third of an
 * empty script, since it loads Node's timers; the platform's own costs nothing.
 */
export function alarm(ms: number, ring: () => void): () => void {
  const signal = AbortSignal.timeout(ms);
  signal.addEventListener("abort", ring, { once: true });
  return () => signal.removeEventListener("abort", ring);
}
