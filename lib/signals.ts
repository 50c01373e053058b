/**
 * Signals that end with the work that they may stop.
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
