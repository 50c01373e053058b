/**
 * Opens the store: the file, its schema, its writer and its reader.
 *
 * @module
 */

import { chmodSync, mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { systemClock } from "../clock.ts";
import { connect, type Connection } from "./connection.ts";
import { migrate } from "./migrate.ts";
import { migrations } from "./migrations/mod.ts";
import { createReader } from "./reader.ts";
import { misuse, refuseNested, type Work } from "./work.ts";
import { createWriter } from "./writer.ts";

/** The database, as the rest of the service sees it. */
export interface Store {
  /**
   * Runs work that may change the database: all of it or nothing, on disk when the promise
   * resolves. It awaits nothing but its queries, and may be run again.
   */
  write<T>(work: Work<T>): Promise<T>;
  /** Runs work that only reads, all from the same snapshot, which holds every write that resolved. */
  read<T>(work: Work<T>): Promise<T>;
  /** Refuses new work, waits for what is under way, and closes the file. */
  close(): Promise<void>;
}

/** Where the database is. */
export interface StoreOptions {
  /** The file, or `:memory:` for a database that ends with the store. */
  file: string;
}

/**
 * Opens the database, creates it if need be, and brings its schema up to date.
 *
 * @throws {ConfigError} when the schema is newer than this version.
 */
export function openStore({ file }: StoreOptions): Store {
  if (file !== MEMORY) prepareFile(file);
  const connection = connect(file, { readOnly: false });
  try {
    migrate(connection, migrations, { file, now: systemClock });
  } catch (error) {
    connection.close();
    throw error;
  }
  return file === MEMORY ? storeInMemory(connection) : storeOnDisk(connection, file);
}

const MEMORY = ":memory:";

function storeOnDisk(connection: Connection, file: string): Store {
  const reader = createReader(() => connect(file, { readOnly: true }));
  const writer = createWriter(connection, reader.renew);
  return guardStore({
    write: (work) => writer.run(work, "write"),
    read: reader.run,
    close: async () => {
      await writer.settled();
      await reader.close();
      connection.close();
    },
  });
}

/** Without a file there is no second connection: reads queue up with the writes, and are undone. */
function storeInMemory(connection: Connection): Store {
  const writer = createWriter(connection, () => {});
  return guardStore({
    write: (work) => writer.run(work, "write"),
    read: (work) => writer.run(work, "read"),
    close: async () => {
      await writer.settled();
      connection.close();
    },
  });
}

/** Refuses work inside of work, and work after the end. */
function guardStore(store: Store): Store {
  let closing: Promise<void> | undefined;
  const check = (access: "read" | "write"): void => {
    refuseNested(access);
    if (closing) throw misuse(`Cannot ${access} the database: it is closed`);
  };
  return {
    write: async (work) => {
      check("write");
      return await store.write(work);
    },
    read: async (work) => {
      check("read");
      return await store.read(work);
    },
    close: () => closing ??= store.close(),
  };
}

/** Creates folder and file for their owner alone, before SQLite would with the umask's rights. */
function prepareFile(file: string): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  Deno.openSync(file, { create: true, write: true, mode: 0o600 }).close();
  if (Deno.build.os !== "windows") chmodSync(file, 0o600);
}
