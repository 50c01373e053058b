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
  /** Whether it is over. */
  isOver(): boolean;
  /** Has the alarms looked at then, and keeps the program running until then. */
  keep(): void;
  /** Does neither any longer. */
  drop(): void;
}

/** The next look. It stays when no alarm is left, and serves those that come before its time. */
let next: Look | undefined;

/**
 * Calls a function once after `ms` milliseconds, unless the returned function is called first, which
 * also lets the program end. All alarms share one timer of the platform.
 */
export function alarm(ms: number, ring: () => void): () => void {
  const own: Alarm = { at: performance.now() + ms, ring };
  alarms.add(own);
  lookAt(own.at);
  return () => {
    alarms.delete(own);
    if (alarms.size === 0) next?.drop();
  };
}

/** Has the alarms looked at by this time. */
function lookAt(at: number): void {
  if (at === Infinity) return;
  if (!next || next.isOver() || next.at > at) {
    next?.drop();
    next = "Deno" in globalThis ? denoLook(at) : usualLook(at);
  }
  next.keep();
}

/** Milliseconds until a time. */
function until(at: number): number {
  return Math.max(0, Math.ceil(at - performance.now()));
}

/**
 * A look on Deno. The first `setTimeout` of a program costs 7 ms there, a third of an empty script,
 * since it loads Node's timers. The timer of a signal costs nothing, and keeps the program running
 * while it is listened to, but cannot be cleared: one for each request would stay, with what the
 * request holds, for half a minute after the answer.
 */
function denoLook(at: number): Look {
  const timer = AbortSignal.timeout(until(at));
  return {
    at,
    isOver: () => timer.aborted,
    // Once is enough: to add the same listener again does nothing.
    keep: () => timer.addEventListener("abort", look),
    drop: () => timer.removeEventListener("abort", look),
  };
}

/** The longest time of a timer, in milliseconds. A longer one fires at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** A look elsewhere. On Node, the timer of a signal does not keep the program running. */
function usualLook(at: number): Look {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let over = false;
  const fire = () => {
    over = true;
    look();
  };
  return {
    at,
    isOver: () => over,
    keep: () => timer ??= setTimeout(fire, Math.min(until(at), LONGEST_TIMER_MS)),
    drop: () => {
      clearTimeout(timer);
      timer = undefined;
    },
  };
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
