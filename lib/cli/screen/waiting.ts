/**
 * Announcing waits, so that a silent service does not look like a hanging program.
 *
 * @module
 */

import { alarm } from "../../alarm.ts";

/** The delay before a wait is announced, in milliseconds. */
const ANNOUNCED_AFTER_MS = 1000;

/** The options of announcements. */
interface Announcer {
  /** Writes a line to standard error. */
  say(text: string): void;
  /** Whether a person watches: then each attempt is announced, else only the first. */
  readonly watched: boolean;
  /** The delay before a wait is announced, in milliseconds. Default: 1,000. */
  readonly afterMs?: number;
  /** Whether waits are announced at the moment. Default: always. */
  readonly waits?: Waits;
}

/** Whether slow requests are announced. A command that shows its own progress turns it off. */
export interface Waits {
  /** The current state. */
  announced: boolean;
}

/** A sender of requests that announces long waits. */
type Fetch = (request: Request) => Promise<Response>;

/** The same sender, with a line for each slow request. */
export function announcing(send: Fetch, announcer: Announcer): Fetch {
  const { say, watched, waits, afterMs = ANNOUNCED_AFTER_MS } = announcer;
  let silent = false;
  let last = "";
  let tries = 0;
  return async (request) => {
    // Every attempt of a change has the same key. Reads have none, and follow one another.
    const name = `${request.method} ${request.url} ${request.headers.get("Idempotency-Key") ?? ""}`;
    tries = name === last ? tries + 1 : 1;
    last = name;
    const nth = tries > 1 ? ` (try ${tries})` : "";
    const cancel = alarm(afterMs, () => {
      if (silent || waits?.announced === false) return;
      silent = !watched;
      say(`Waiting for ${new URL(request.url).origin}${nth}`);
    });
    try {
      const response = await send(request);
      // What follows a success is another request, even at the same address.
      if (response.ok) last = "";
      return response;
    } finally {
      cancel();
    }
  };
}

/** Waits, and rejects when the signal fires. */
type Pause = (ms: number, signal: AbortSignal | undefined) => Promise<void>;

/** A function that waits, and one that announces the next wait. */
interface Countdown {
  /** Announces the next wait. */
  announceWait(wording: (seconds: number) => string): void;
  /** Waits. If the wait was announced, it shows the seconds left. */
  pause: Pause;
}

/** Shows the seconds left of announced waits, as one line that changes in place. */
export function countingDown(live: (text: string) => void, pause: Pause): Countdown {
  let announced: ((seconds: number) => string) | undefined;
  return {
    announceWait: (wording) => {
      announced = wording;
    },
    pause: async (ms, signal) => {
      const wording = announced;
      announced = undefined;
      if (!wording) return await pause(ms, signal);
      try {
        for (let left = ms; left > 0; left -= SECOND_MS) {
          live(wording(Math.ceil(left / SECOND_MS)));
          await pause(Math.min(left, SECOND_MS), signal);
        }
      } finally {
        live("");
      }
    },
  };
}

const SECOND_MS = 1000;
