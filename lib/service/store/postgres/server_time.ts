/**
 * The time of the server, which the processes of all hosts go by.
 *
 * @module
 */

/** How fast a host's clock may drift from the server's, as a share of the time that passed. */
const DRIFT = 1e-4;

/** By how much a host's clock may move against its stopwatch before it was set, in milliseconds. */
const SET_MS = 10;

/** One question to the server for its time. */
interface Sample {
  /** When it was sent, by the stopwatch. */
  before: number;
  /** When it was answered, by the stopwatch. */
  after: number;
  /** The server's answer, in milliseconds since 1970. */
  server: number;
}

/** The time of the server. */
export interface ServerTime {
  /** Takes an answer of the server into account. */
  note(sample: Sample): void;
  /** The time of the server as far as it is known, in milliseconds since 1970. */
  now(): number;
  /** Whether the host's clock was set, or the host slept, since the last answer. */
  wasSet(): boolean;
}

/** What is known of the server's time. */
interface Known {
  /** The server's time minus the stopwatch. */
  base: number;
  /** How far that may be off, at the time of the answer. */
  doubt: number;
  /** When it was answered, by the stopwatch. */
  at: number;
}

/**
 * Makes the time of a server. It goes by the stopwatch: the clock of the host may be set at any moment.
 * Until the server has answered, it is the host's.
 */
export function createServerTime(clock: () => number, stopwatch: () => number): ServerTime {
  let known: Known | undefined;
  let host = clock() - stopwatch();
  const doubtOf = ({ doubt, at }: Known, now: number) => doubt + (now - at) * DRIFT;
  return {
    note({ before, after, server }) {
      // The server answered at some moment of the wait.
      const heard = {
        base: server - (before + after) / 2,
        doubt: (after - before) / 2,
        at: after,
      };
      host = clock() - stopwatch();
      const doubt = known ? doubtOf(known, after) : Infinity;
      const agree = known && Math.abs(known.base - heard.base) <= doubt + heard.doubt;
      // An answer that took long under load says less than an earlier one that it does not contradict.
      if (!agree || heard.doubt <= doubt) known = heard;
    },
    now: () => known ? stopwatch() + known.base : clock(),
    wasSet: () => Math.abs(clock() - stopwatch() - host) > SET_MS,
  };
}
