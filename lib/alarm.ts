/**
 * Calls after a time, for limits that nearly always end before it.
 *
 * @module
 */

/** Something to call, and the time for it, in milliseconds of the process. */
interface Alarm {
  /** The time. */
  at: number;
  /** What to call. */
  ring: () => void;
}

/** The alarms that have neither rung nor ended. */
const alarms = new Set<Alarm>();

/** A look at the alarms, planned with a timer of the platform. */
interface Look {
  /** Its time. */
  at: number;
  /** Fires then. A timer that is listened to keeps the program running. */
  timer: AbortSignal;
}

/** The next look. It stays when no alarm is left, and serves those that come before its time. */
let next: Look | undefined;

/**
 * Calls a function once after `ms` milliseconds, unless the returned function is called first, which
 * also lets the program end. The first `setTimeout` of a program costs 7 ms, a third of an empty
 * script, since it loads Node's timers; the platform's own costs nothing, but cannot be cleared. So
 * all alarms share it: one for each request would stay, with what the request holds, for half a
 * minute after the answer.
 */
export function alarm(ms: number, ring: () => void): () => void {
  const own: Alarm = { at: performance.now() + ms, ring };
  alarms.add(own);
  lookAt(own.at);
  return () => {
    alarms.delete(own);
    if (alarms.size === 0) next?.timer.removeEventListener("abort", look);
  };
}

/** Has the alarms looked at by this time. */
function lookAt(at: number): void {
  if (at === Infinity) return;
  if (!next || next.timer.aborted || next.at > at) {
    next?.timer.removeEventListener("abort", look);
    next = { at, timer: AbortSignal.timeout(Math.max(0, Math.ceil(at - performance.now()))) };
  }
  // Once is enough: to add the same listener again does nothing.
  next.timer.addEventListener("abort", look);
}

/** Calls what is due, and plans the next look. */
function look(): void {
  const now = performance.now();
  const due = [...alarms].filter(({ at }) => at <= now);
  for (const one of due) alarms.delete(one);
  let soonest = Infinity;
  for (const { at } of alarms) soonest = Math.min(soonest, at);
  if (alarms.size > 0) lookAt(soonest);
  for (const { ring } of due) ring();
}
