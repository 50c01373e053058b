/**
 * The store as the rest of the service sees it, whatever engine it stands on.
 *
 * @module
 */

import { hasBuilder } from "./builder.ts";
import type { CommitSizes } from "./commit_sizes.ts";
import type { Tx } from "./queries.ts";
import { type Access, misuse, readyFor, refuseNested, type Say, type Work } from "./work.ts";

/**
 * How work keeps others away from what it changes. `project`: nothing else changes the project
 * meanwhile. `rows`: the work locks its rows by itself, with the functions of `delivery_lines.ts`, and
 * waits for no other work in the project. It adds no event, no object and no audit entry, whose order
 * is the project's. An engine with one writer makes no difference between the two.
 */
export type Locks = "project" | "rows";

/** The database, as the rest of the service sees it. */
export interface Store {
  /**
   * Runs work that may change the database: all of it or nothing, on disk when the promise
   * resolves. It awaits nothing but its queries, and may be run again.
   *
   * @param projectId The project that it changes, if it is one: writes in others need not wait then.
   * @param locks How it keeps others away. Default `project`; work without a project takes no other.
   */
  write<T>(work: Work<T>, projectId?: string, locks?: Locks): Promise<T>;
  /** Runs work that only reads, all from one snapshot that holds every write that has resolved. */
  read<T>(work: Work<T>): Promise<T>;
  /** Reads or writes a little, on disk, to show that it is possible. It changes nothing. */
  probe(access: Access): Promise<void>;
  /**
   * Runs something that writes again and again. Meanwhile the log may grow to 64 MiB before it is
   * copied into the database; each write is on disk in the log all the same.
   */
  writeMuch<T>(run: () => Promise<T>): Promise<T>;
  /** Keeps the log short, between two commits. To be called every minute or so. */
  shrinkLog(): Promise<void>;
  /** Whether nothing but a new start helps: the disk has failed. Default: never. */
  isLost?(): boolean;
  /** What was committed so far, and the connections now. */
  figures(): StoreFigures;
  /** Other processes on this database. Undefined where there can be none. */
  readonly others: Others | undefined;
  /** Refuses new work, waits for what is under way, and closes the file. */
  close(): Promise<void>;
}

/** Figures of a store in this process, for its operator. */
export interface StoreFigures {
  /** How many units of work shared each commit. */
  commits: CommitSizes;
  /** The connections to a server. Undefined without one. */
  connections: ConnectionCounts | undefined;
}

/** The connections of a pool. */
export interface ConnectionCounts {
  /** Connections that are open, those in use included. */
  open: number;
  /** Open connections that nobody uses. */
  idle: number;
  /** Callers that wait for a connection. */
  waiting: number;
}

/** What a process tells the others on the same database: that there is more or less of something. */
export const NEWS = ["events", "faults"] as const;

/** One of the things that processes tell each other. */
export type News = typeof NEWS[number];

/** The other processes that work on the same database. */
export interface Others {
  /** Tells the other processes that something was committed. May be lost: ask again now and then. */
  tell(news: News): void;
  /**
   * Tells the other processes something, and waits until each of them has acted on it. A process that
   * does not answer is waited for so long that it has looked by itself.
   */
  agree(news: News): Promise<void>;
  /** Hears what other processes tell, until the returned function is called. */
  hear(listener: (news: News) => void | Promise<void>): () => void;
  /** Leaves a note for the other processes, and returns theirs of the last minute, each once. */
  exchange(note: string | undefined): Promise<string[]>;
  /**
   * Whether this process is the one that does what needs doing once, such as the passing of time. It
   * stays the one as long as it is alive.
   */
  leads(): Promise<boolean>;
  /** How far the database's clock is ahead of this machine's, in milliseconds. */
  skew(): number;
  /** This process's name, which is alive as long as the process. */
  readonly holder: string;
  /** Which of some names are those of processes that are alive. */
  alive(tx: Tx, holders: readonly string[]): Promise<ReadonlySet<string>>;
}

/** Where the database is. */
export interface StoreOptions {
  /**
   * The file, `:memory:` for a database that ends with the store, or the address of a database on a
   * server, such as `postgres://user@host/name`.
   */
  file: string;
  /**
   * Tells the time to note beside new steps of the schema, and when a check has taken long enough,
   * in milliseconds since 1970. Default: always 0, so everything is checked.
   */
  clock?: (() => number) | undefined;
  /** This machine's monotonic clock, in milliseconds. Default: `clock`. */
  stopwatch?: (() => number) | undefined;
  /** What the process does, such as `worker`, for whoever looks at a shared database. Default: all. */
  role?: string | undefined;
  /** Told in words of other programs that disturb. Default: nobody. */
  say?: Say | undefined;
  /**
   * Whether SQLite returns rows backwards where a query names no order, so that tests find such a
   * query. PostgreSQL returns them in any order. Default: no.
   */
  backwards?: boolean | undefined;
}

/** Refuses work inside of other work, and work after the end. */
export function guardStore(store: Store): Store {
  let closing: Promise<void> | undefined;
  const check = (access: Access): void => {
    refuseNested(access);
    if (closing) throw misuse(`Cannot ${access}: the database is closed`);
  };
  return {
    others: store.others,
    figures: store.figures,
    write: async (work, projectId, locks) => {
      check("write");
      // Not inside of a transaction.
      if (!hasBuilder()) await readyFor(work);
      return await store.write(work, projectId, locks);
    },
    read: (work) => {
      // Each function that waits costs as much as a tenth of a small read.
      try {
        check("read");
      } catch (error) {
        return Promise.reject(error);
      }
      return hasBuilder() ? store.read(work) : readyFor(work).then(() => store.read(work));
    },
    writeMuch: async (run) => {
      check("write");
      return await store.writeMuch(run);
    },
    probe: async (access) => {
      check(access);
      await store.probe(access);
    },
    ...store.isLost && { isLost: store.isLost },
    shrinkLog: async () => {
      if (!closing) await store.shrinkLog();
    },
    close: () => closing ??= store.close(),
  };
}
