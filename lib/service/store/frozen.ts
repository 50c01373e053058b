/**
 * A database as of one moment, for programs that read all of it while a service goes on writing.
 *
 * @module
 */

import { basename, dirname, join } from "node:path";
import { statSync } from "node:fs";
import { ConfigError } from "../../errors.ts";
import { DATABASE } from "./data_folder.ts";
import { isOnServer } from "./open.ts";
import type { MovedRow } from "./move/digest.ts";
import type { Shape } from "./move/tables.ts";
import type { Runner } from "./queries.ts";

/** A database as of one moment. Nothing can change it through this. */
export interface Frozen {
  /** Where it is, for people. */
  readonly shown: string;
  /** How many steps of the schema it has seen. */
  readonly steps: number;
  /** Whether a service works on it. */
  readonly isInUse: boolean;
  /** Runs queries. */
  readonly runner: Runner;
  /** The number of rows of a table. */
  count(table: Shape): Promise<number>;
  /** All rows of a table in the order of its key, some at a time. */
  pages(table: Shape): AsyncIterable<readonly MovedRow[]>;
  /** What is wrong with the storage itself, as far as the engine can tell. */
  inspect(): Promise<readonly MovedRow[]>;
  /** Lets the moment go. */
  close(): Promise<void>;
}

/** Where a database is: on a server, or in a file. */
export type DatabasePlace = ServerPlace | FilePlace;

/** A database on a server. */
interface ServerPlace {
  /** Its address. */
  address: string;
}

/** A database in a file. */
export interface FilePlace {
  /** The file. */
  file: string;
  /** The data folder that it belongs to, if it does. */
  folder: string | undefined;
}

/** Rows that are read at a time. */
export const PAGE = 200;

/**
 * The place that words mean: the address of a database on a server, a data folder, or a file. What does
 * not exist yet is a file when its name ends with `.db`, else a folder.
 */
export function placeOf(words: string): DatabasePlace {
  if (isOnServer(words) || /^[a-z][a-z0-9+]*:\/\//i.test(words)) return { address: words };
  const info = statSync(words, { throwIfNoEntry: false });
  if (info?.isDirectory() || !info && !words.endsWith(".db")) {
    return { file: join(words, DATABASE), folder: words };
  }
  // The file of a data folder is the folder's: its lock says whether a service has it.
  return { file: words, folder: basename(words) === DATABASE ? dirname(words) : undefined };
}

/**
 * Opens a database to read all of it as of this moment.
 *
 * @throws {ConfigError} when there is none, or its schema is newer than this version.
 */
export async function freeze(place: DatabasePlace): Promise<Frozen> {
  if ("address" in place) {
    const { freezePostgres } = await import("./postgres/frozen.ts");
    return await freezePostgres(place.address);
  }
  const { freezeSqlite } = await import("./sqlite/frozen.ts");
  return await freezeSqlite(place);
}

/** Why a place without a database cannot be read. */
export const NO_DATABASE = "there is no database of the service";

/** The error for a place without a database. */
export function noDatabase(shown: string): ConfigError {
  const hint = isOnServer(shown)
    ? "The first start on it makes its tables: cli service start --sign-in password, with the same " +
      "CLI_SERVICE_DATABASE or --database"
    : "Pass a data folder, a file of cli service backup, or postgres://user@host/name";
  return new ConfigError(
    `Cannot read the database ${JSON.stringify(shown)}: ${NO_DATABASE}`,
    { hint },
  );
}
