/**
 * One connection to the database file. Only this file imports SQLite.
 *
 * @module
 */

import { backup, DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite";
import type { CompiledQuery, DialectAdapter, QueryCompiler, QueryResult } from "kysely";
import { loadedBuilder } from "../builder.ts";
import type { Runner } from "../queries.ts";
import { type RawRow, rowMaker } from "./raw_rows.ts";
import { toStoreError } from "./errors.ts";
import { keepNumbers, type KeptNumbers } from "./kept_numbers.ts";
import { USUAL_LOG } from "./log_size.ts";

/** A connection to the database. Everything on it happens at once, on this thread. */
export interface Connection extends Runner {
  /** Runs one statement that has neither parameters nor rows. */
  run(sql: string): void;
  /** Runs several statements that have neither parameters nor rows. */
  script(sql: string): void;
  /** Runs one statement with parameters, and returns its rows. */
  rows(sql: string, ...parameters: SQLInputValue[]): RawRow[];
  /** Runs a query that was built with types. */
  execute<R>(query: CompiledQuery): QueryResult<R>;
  /** The numbers that its transaction has taken. */
  readonly numbers: KeptNumbers;
  /** Whether a transaction is open: some errors end it without being asked. */
  inTransaction(): boolean;
  /** How many statements have failed so far. */
  errors(): number;
  /** The whole database as bytes. */
  image(): Uint8Array;
  /** Copies the database, as of one moment, into a file. */
  copyTo(file: string): Promise<void>;
  /** Closes the file. */
  close(): void;
}

/** How to open a connection. */
interface ConnectOptions {
  /** Only look: every change is refused. */
  readOnly?: boolean;
  /** How long SQLite may wait for another program, on this thread, in milliseconds. Default 2000. */
  waitMs?: number | undefined;
  /** Whether rows come backwards where a query names no order. Default: as SQLite finds them. */
  backwards?: boolean | undefined;
  /** Start with this database instead of an empty one. For `:memory:` only. */
  image?: Uint8Array | undefined;
}

/** A statement that is ready to run. */
interface Prepared {
  /** The statement itself. */
  statement: StatementSync;
  /** Turns its rows into objects. Undefined: it gives no rows. */
  toObjects: ((found: readonly unknown[]) => RawRow[]) | undefined;
}

/** More pages than any database has. */
const ALL_PAGES = 2 ** 31 - 1;

const LARGEST_STATEMENT_CACHE = 500;

/** The pages that a connection for writing keeps, in KiB. */
const WRITER_CACHE = 16_384;

/**
 * The pages that a connection for reading keeps, in KiB. A commit empties its cache. So a large one is
 * mostly new memory for pages that are read once, and reads are no faster with it.
 */
const READER_CACHE = 4096;

/** `temp_store` is for savepoints: what they need to undo 64 KiB and more would go to files. */
const SETTINGS = `
PRAGMA trusted_schema = OFF;
PRAGMA temp_store = MEMORY;
PRAGMA synchronous = FULL;
PRAGMA journal_size_limit = ${USUAL_LOG};`;

/** Opens a connection. `:memory:` is a database of its own. */
export function connect(file: string, options: ConnectOptions = {}): Connection {
  const database = guarded(() => open(file, options));
  const statements = new Map<string, Prepared>();
  const prepare = (sql: string): Prepared => {
    const known = statements.get(sql);
    if (known) return known;
    const statement = database.prepare(withSteadyLimit(sql));
    const columns = statement.columns().map((column) => column.name);
    const toObjects = columns.length > 0 ? rowMaker(columns) : undefined;
    const prepared = { statement, toObjects };
    if (statements.size >= LARGEST_STATEMENT_CACHE) forgetOldest(statements);
    statements.set(sql, prepared);
    return prepared;
  };
  let errors = 0;
  const counted = <T>(action: () => T): T => {
    try {
      return action();
    } catch (error) {
      errors++;
      throw toStoreError(error);
    }
  };
  const rows = (sql: string, ...parameters: SQLInputValue[]): RawRow[] =>
    counted(() => rowsOf(prepare(sql), parameters));
  return {
    get compiler() {
      return language().compiler;
    },
    get adapter() {
      return language().adapter;
    },
    run: (sql) => counted(() => void prepare(sql).statement.run()),
    script: (sql) => {
      counted(() => database.exec(sql));
      // It may have changed the tables, and with them what a `select *` returns.
      statements.clear();
    },
    rows,
    numbers: keepNumbers(rows),
    execute: (query) => counted(() => execute(prepare(query.sql), query)),
    inTransaction: () => database.isTransaction,
    errors: () => errors,
    image: () => guarded(() => database.serialize()),
    // In one step, so that writes of other processes cannot make it start again. `VACUUM INTO` would
    // attach a database, which Deno allows with all permissions only.
    copyTo: async (file) => {
      try {
        await backup(database, file, { rate: ALL_PAGES });
      } catch (error) {
        throw toStoreError(error);
      }
    },
    close: () => database.close(),
  };
}

/** SQLite's SQL, as the builder has it. */
interface Language {
  /** Turns queries into SQL. */
  compiler: QueryCompiler;
  /** What SQLite can do. */
  adapter: DialectAdapter;
}

let known: Language | undefined;

function language(): Language {
  if (known) return known;
  const { SqliteAdapter, SqliteQueryCompiler } = loadedBuilder();
  return known = { compiler: new SqliteQueryCompiler(), adapter: new SqliteAdapter() };
}

function open(
  file: string,
  { readOnly = false, image, waitMs = 2000, backwards = false }: ConnectOptions,
): DatabaseSync {
  const options = { readOnly, enableForeignKeyConstraints: true, returnArrays: true };
  const database = new DatabaseSync(file, options);
  try {
    if (image) database.deserialize(image);
    const cache = readOnly ? READER_CACHE : WRITER_CACHE;
    database.exec(`PRAGMA busy_timeout = ${waitMs}; PRAGMA cache_size = -${cache};${SETTINGS}`);
    if (backwards) database.exec("PRAGMA reverse_unordered_selects = ON");
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

function execute<R>(prepared: Prepared, query: CompiledQuery): QueryResult<R> {
  // Types were checked where the query was built; SQLite refuses a value that it cannot hold.
  const parameters = query.parameters as SQLInputValue[];
  if (prepared.toObjects) return { rows: rowsOf(prepared, parameters) as R[] };
  const { changes } = prepared.statement.run(...parameters);
  return { rows: [], numAffectedRows: BigInt(changes) };
}

/** Runs a query. Its rows come as arrays: a fifth of the time that the driver takes for objects. */
function rowsOf({ statement, toObjects }: Prepared, parameters: SQLInputValue[]): RawRow[] {
  const found: unknown[] = statement.all(...parameters);
  return toObjects?.(found) ?? [];
}

/**
 * A limit that is a value would make SQLite plan the query anew each time, as it might lead to
 * another plan: 30 µs and more. A sum has no value beforehand.
 */
function withSteadyLimit(sql: string): string {
  return sql.replaceAll(/\blimit \?/gi, "limit ? + 0");
}

function forgetOldest(statements: Map<string, Prepared>): void {
  for (const sql of statements.keys()) {
    statements.delete(sql);
    return;
  }
}

function guarded<T>(action: () => T): T {
  try {
    return action();
  } catch (error) {
    throw toStoreError(error);
  }
}
