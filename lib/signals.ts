/**
 * Signals for work that they may stop, and waiting until they do.
 *
 * @module
 */

/** A signal for one piece of work. */
interface JoinedSignal {
  /** Fires with the first of the others, or when it is told to. */
  readonly signal: AbortSignal;
  /** Fires it. */
  abort(reason?: unknown): void;
  /** Ends it with the work. The others no longer know it. */
  end(): void;
}

/**
 * Makes a signal that fires with the first of some others. That of `AbortSignal.any()` has no end: a
 * lasting signal keeps one that is listened to, with all that its request holds.
 */
export function joinSignals(others: readonly (AbortSignal | undefined)[]): JoinedSignal {
  const own = new AbortController();
  const ends = others.filter((other) => other !== undefined).map((other) => {
    const follow = () => own.abort(other.reason);
    if (other.aborted) follow();
    other.addEventListener("abort", follow, { once: true });
    return () => other.removeEventListener("abort", follow);
  });
  return {
    signal: own.signal,
    abort: (reason) => own.abort(reason),
    end: () => ends.forEach((end) => end()),
  };
}

/**
 * Waits for work no longer than a signal lets it. The work itself goes on.
 *
 * @throws the signal's reason when it fires, or has fired.
 */
export async function untilAborted<T>(
  work: Promise<T>,
  signal: AbortSignal | undefined,
): Promise<T> {
  if (!signal) return await work;
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const abort = () => reject(signal.reason);
  if (signal.aborted) abort();
  signal.addEventListener("abort", abort, { once: true });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener("abort", abort);
  }
}
