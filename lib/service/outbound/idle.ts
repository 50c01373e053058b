/**
 * Open connections that wait for their next request. While one waits, it is read: a connection that
 * the other end closes, or on which it sends something unasked, is never used again.
 *
 * @module
 */

import type { Clock, Later } from "../time/clock.ts";
import type { Connection, HeldConnection } from "./connect.ts";

/** Limits of connections that wait. */
export const IDLE_LIMITS = {
  /** The longest wait, in milliseconds. Many servers close a connection after 5 seconds. */
  ms: 4000,
  /** The most that wait for one user of one address. */
  each: 32,
  /** The most that wait at all. */
  all: 256,
  /** The most requests of a connection. A new one proves its name again. */
  requests: 1000,
};

/** The bytes of one read. */
const READ_BYTES = 16_384;

/** A connection that can wait between two requests. */
export interface ReusableConnection extends Connection {
  /** How many requests it had before it last waited. */
  uses: number;
  /** From now on, the signal closes it. */
  hold(signal: AbortSignal): void;
  /** Reads while it waits. Calls back when something comes, the end included. */
  wait(disturbed: () => void): void;
}

/** The connections that wait. */
export interface IdleConnections {
  /** Takes the one with this key that waited the shortest, for whoever has the signal. */
  take(key: string, signal: AbortSignal): ReusableConnection | undefined;
  /** Lets a connection wait for so many milliseconds at most. Closes it if it cannot wait. */
  keep(key: string, connection: ReusableConnection, ms: number): void;
  /** Closes all, now and later ones at once. */
  close(): void;
}

/** What tells the end of a wait. */
export interface IdleTime {
  /** Wall time. */
  clock: Clock;
  /** The timer. */
  later: Later;
}

/** A place in the list. */
interface Waiter {
  /** The connection. */
  connection: ReusableConnection;
  /** When its wait ends, in milliseconds since 1970. */
  until: number;
}

/** Creates an empty list. Without a clock, no connection waits. */
export function createIdle(time: IdleTime | undefined): IdleConnections {
  const waiting = new Map<string, Set<Waiter>>();
  let [count, closed] = [0, false];
  let callOff: (() => void) | undefined;
  const remove = (key: string, one: Waiter): boolean => {
    const those = waiting.get(key);
    if (!those?.delete(one)) return false;
    if (those.size === 0) waiting.delete(key);
    count--;
    return true;
  };
  const closeAll = (isOver: (one: Waiter) => boolean) => {
    for (const [key, those] of waiting) {
      for (const one of those) if (isOver(one) && remove(key, one)) one.connection.close();
    }
  };
  // One timer for all: most connections are taken again long before their end.
  const sweep = () => {
    callOff?.();
    callOff = undefined;
    const now = time?.clock() ?? Infinity;
    closeAll(({ until }) => until <= now);
    const ends = [...waiting.values()].flatMap((those) => [...those].map(({ until }) => until));
    if (ends.length > 0) callOff = time?.later(Math.max(1, Math.min(...ends) - now), sweep);
  };
  return {
    take(key, signal) {
      const those = waiting.get(key);
      let last: Waiter | undefined;
      for (const one of those ?? []) last = one;
      if (!last) return undefined;
      remove(key, last);
      last.connection.hold(signal);
      return last.connection;
    },
    keep(key, connection, ms) {
      const those = waiting.get(key) ?? new Set();
      const isFull = those.size >= IDLE_LIMITS.each || count >= IDLE_LIMITS.all;
      if (!time || closed || isFull || ms <= 0 || ++connection.uses >= IDLE_LIMITS.requests) {
        return connection.close();
      }
      const wait = Math.min(ms, IDLE_LIMITS.ms);
      const one = { connection, until: time.clock() + wait };
      waiting.set(key, those.add(one));
      count++;
      connection.wait(() => {
        if (!remove(key, one)) return;
        connection.close();
        if (count === 0) callOff = void callOff?.();
      });
      // A shorter wait than usual may need the timer sooner.
      if (!callOff || wait < IDLE_LIMITS.ms) sweep();
    },
    close() {
      closed = true;
      callOff?.();
      closeAll(() => true);
    },
  };
}

/** Makes a connection one that can wait. What is read while it waits is read first afterwards. */
export function reusable(connection: HeldConnection): ReusableConnection {
  let buffer: Uint8Array | undefined;
  let begun: Promise<Uint8Array | null> | undefined;
  let rest: Uint8Array = new Uint8Array();
  return {
    uses: 0,
    async read(into) {
      if (begun) {
        const first = await begun;
        begun = undefined;
        if (first === null) return null;
        rest = first;
      }
      if (rest.length === 0) return await connection.read(into);
      const count = Math.min(rest.length, into.length);
      into.set(rest.subarray(0, count));
      rest = rest.subarray(count);
      return count;
    },
    write: (bytes) => connection.write(bytes),
    close: () => connection.close(),
    hold: (signal) => connection.hold(signal),
    wait(disturbed) {
      connection.letGo();
      const into = buffer ??= new Uint8Array(READ_BYTES);
      begun = connection.read(into).then((count) =>
        count === null ? null : into.subarray(0, count)
      );
      begun.then(disturbed, disturbed);
    },
  };
}
