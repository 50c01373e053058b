/**
 * Watches over a store: says once when the disk or the database fails and once when it works again,
 * and tells on request whether it can be read and written now.
 *
 * @module
 */

import type { Clock } from "../time/clock.ts";
import { type Outage, outageIn, StoreError, type StoreFailure } from "./failure.ts";
import type { Store } from "./store.ts";
import type { Access, Say } from "./work.ts";

/** How long the result of a probe is used again, in milliseconds: anybody may ask for it. */
const PROBE_MS = 1000;

/**
 * How long nothing must have failed before an outage is over, in milliseconds. On a disk that is
 * nearly full, small changes succeed between large ones that fail. A server that could not be reached
 * is back as soon as it answers.
 */
const RECENT_MS = 5000;

/** A store whose state is known. */
export interface WatchedStore extends Store {
  /** Reads and writes a little. Returns why the store cannot be used now, or undefined if it can. */
  check(): Promise<Outage | undefined>;
}

/** Watches over a store. `say` is told of the beginning and the end of an outage. */
export function watchStore(store: Store, clock: Clock, say: Say): WatchedStore {
  const log = createOutageLog(say);
  const watched = async <T>(access: Access, work: () => Promise<T>): Promise<T> => {
    try {
      const result = await work();
      if (log.lasts()) log.worked(access, clock());
      return result;
    } catch (error) {
      log.failed(access, error, clock());
      throw error;
    }
  };
  const probe = async (): Promise<Outage | undefined> => {
    for (const access of ["read", "write"] as const) {
      try {
        await store.probe(access);
      } catch (error) {
        const outage = outageIn(error);
        if (!outage) throw error;
        log.failed(access, error, clock());
        return outage;
      }
      log.worked(access, clock());
    }
    return undefined;
  };
  let last: { at: number; outage: Promise<Outage | undefined> } | undefined;
  return {
    ...store,
    read: (work) => watched("read", () => store.read(work)),
    write: (work, projectId, locks) => watched("write", () => store.write(work, projectId, locks)),
    async check() {
      const now = clock();
      const recent = log.since(now - RECENT_MS);
      if (recent && recent.failure !== "unreachable") return recent;
      // A clock that was set back must not keep an old result.
      if (!last || Math.abs(now - last.at) >= PROBE_MS) last = { at: now, outage: probe() };
      return await last.outage;
    },
  };
}

/** The outages that last. */
interface OutageLog {
  /** Whether there is one. */
  lasts(): boolean;
  /** Notes that something worked at a time. */
  worked(access: Access, at: number): void;
  /** Notes a failure at a time, if an outage was its cause. */
  failed(access: Access, error: unknown, at: number): void;
  /** An outage that was met after a time and lasts, if there is one. */
  since(time: number): Outage | undefined;
}

/** An outage that lasts. */
interface Lasting {
  /** The latest failure. */
  outage: Outage;
  /** Its time. */
  at: number;
  /** The kinds of failures that were said since it began. */
  said: Set<StoreFailure>;
}

/** Keeps the outages, and says once that one begins and that all are over. */
function createOutageLog(say: Say): OutageLog {
  const outages = new Map<Access, Lasting>();
  return {
    lasts: () => outages.size > 0,
    worked(access, at) {
      const lasting = outages.get(access);
      if (!lasting) return;
      // A clock that was set back must not make an outage last.
      const isRecent = Math.abs(at - lasting.at) < RECENT_MS;
      if (isRecent && lasting.outage.failure !== "unreachable") return;
      outages.delete(access);
      if (outages.size === 0) say("The database can be used again");
    },
    failed(access, error, at) {
      const outage = outageIn(error);
      // Where another program writes, the writer says so itself.
      if (!outage || outage.failure === "busy") return;
      const said = outages.get(access)?.said ?? new Set();
      if (!said.has(outage.failure)) say(sentence(access, outage, error));
      outages.set(access, { outage, at, said: said.add(outage.failure) });
    },
    since: (time) => [...outages.values()].find(({ at }) => at > time)?.outage,
  };
}

/** What is said when an outage begins, with what the server said. Only the operator sees that. */
function sentence(access: Access, { failure, cause }: Outage, error: unknown): string {
  const status = failure === "full" ? 507 : 503;
  const detail = error instanceof StoreError && error.detail !== undefined
    ? ` (${error.detail.replaceAll(/\s+/g, " ")})`
    : "";
  return `Cannot ${access} the database: ${cause}${detail}. Requests get ${status} until it works again`;
}

/**
 * Holds messages about outages back until the service is open. One that does not open fails with the
 * reason, and has no requests that a message could speak of.
 */
export function holdBack(
  report: (message: unknown) => void,
): { say(text: string): void; release(): void } {
  let held: string[] | undefined = [];
  return {
    say(text) {
      if (held) held.push(text);
      else report(text);
    },
    release() {
      const texts = held ?? [];
      held = undefined;
      texts.forEach(report);
    },
  };
}
