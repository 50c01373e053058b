/**
 * Watches connections that wait for an answer: finds out whether the server is only slow or gone.
 *
 * @module
 */

import type { Address } from "./address.ts";
import { unanswered } from "./errors.ts";

/** A connection that is watched. */
export interface Watched {
  /** Statements without an answer so far. */
  unanswered: number;
  /** Statements with an answer, or an error. */
  answered: number;
  /** Whether somebody uses it. */
  isTaken: boolean;
  /** Whether its statements may take as long as they need while the server answers. */
  isPatient: boolean;
  /** Closes it at once, so that what waits on it fails with the error. */
  destroy(error: Error): void;
}

/** The watch over some connections of a server. */
interface Watch {
  /** Looks after a connection from now on. */
  add(line: Watched): void;
  /** Leaves a connection alone. */
  remove(line: Watched): void;
  /** Leaves all connections alone. */
  end(): void;
}

/** When to doubt a server. */
interface Limits {
  /** How long a connection waits for an answer before the server is asked on another one, in ms. */
  silentMs: number;
  /** How long a connection that is not patient waits for an answer at all, in milliseconds. */
  answerMs: number;
}

/** The longest silence without a question, in milliseconds. */
const SILENT_MS = 5000;

/** So many looks in a row without an answer are too many. */
const MOST_LOOKS = 4;

/** How long a connection to a server may be silent before the server is asked, in milliseconds. */
export function silenceOf({ connectMs }: Address): number {
  return Math.min(SILENT_MS, 2 * connectMs);
}

/** What was seen of a connection. */
interface Seen {
  /** How many answers it had. */
  answered: number;
  /** How many looks in a row saw it wait without a new one. */
  looks: number;
}

/**
 * Closes connections whose server does not answer: without that, a server that is frozen or vanished
 * without a word would hold up requests for as long as that lasts. When a connection is silent for too
 * long, `probe` asks the server on another one. If it rejects, all connections that were waiting before
 * it began are closed, and unused ones with them; otherwise the statements are only slow. One that is
 * not patient is closed after `answerMs` in any case: the connection itself may be dead.
 *
 * A timer for each statement would cost as much as the statement. Looks are counted, not time, so a
 * pause of this program is no silence of the server.
 */
export function watchAnswers({ silentMs, answerMs }: Limits, probe: () => Promise<void>): Watch {
  const watched = new Map<Watched, Seen>();
  const lookMs = Math.min(silentMs, answerMs) / MOST_LOOKS;
  let [isProbing, rest] = [false, 0];
  const isSilent = (line: Watched, { answered }: Seen): boolean =>
    line.unanswered > 0 && line.answered === answered;

  async function ask(): Promise<void> {
    const before = [...watched.keys()].map((line) => ({ line, answered: line.answered }));
    isProbing = true;
    try {
      await probe();
    } catch {
      const error = unanswered(silentMs);
      for (const { line, answered } of before) {
        if (line.answered !== answered) continue;
        // Unused ones may be dead as well, and would hold up whoever takes them.
        if (line.unanswered > 0 || !line.isTaken) line.destroy(error);
      }
    } finally {
      isProbing = false;
      rest = silentMs / lookMs;
    }
  }

  function look(): void {
    rest--;
    for (const [line, seen] of watched) {
      seen.looks = isSilent(line, seen) ? seen.looks + 1 : 0;
      seen.answered = line.answered;
      const silence = seen.looks * lookMs;
      if (silence > answerMs && !line.isPatient) line.destroy(unanswered(answerMs));
      else if (silence > silentMs && !isProbing && rest <= 0) void ask();
    }
  }

  const timer = setInterval(look, lookMs);
  Deno.unrefTimer(timer);
  return {
    add: (line) => void watched.set(line, { answered: line.answered, looks: 0 }),
    remove: (line) => void watched.delete(line),
    end: () => clearInterval(timer),
  };
}

/** Waits so long while this program runs: a pause of the program counts as a short part of it. */
export async function waitAwake(ms: number, signal: AbortSignal): Promise<void> {
  for (let part = 0; part < MOST_LOOKS && !signal.aborted; part++) {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms / MOST_LOOKS);
      Deno.unrefTimer(timer);
      signal.addEventListener("abort", () => {
        clearTimeout(timer);
        resolve();
      }, { once: true });
    });
  }
}
