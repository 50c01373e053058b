/**
 * One connection to the database file, and typed queries on it. Only this file imports SQLite.
 *
 * @module
 */

import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite";
import {
  type CompiledQuery,
  type DatabaseConnection,
  DefaultQueryExecutor,
  QueryCreator,
  type QueryResult,
  SqliteAdapter,
  SqliteQueryCompiler,
} from "kysely";
import { StoreError, toStoreError } from "./failure.ts";
import type { Tables } from "./tables.ts";

/** Typed queries that belong to one unit of work. Of no use once that work has ended. */
export type Tx = QueryCreator<Tables>;

/** A connection to the database. Everything on it happens at once, on this thread. */
export interface Connection {
  /** Runs a statement that has neither parameters nor rows. */
  run(sql: string): void;
  /** Runs several statements, each without parameters. */
  script(sql: string): void;
  /** The rows of a query. */
  rows(sql: string, ...parameters: SQLInputValue[]): Record<string, unknown>[];
  /** Runs a query that was built with types. */
  execute<R>(query: CompiledQuery): QueryResult<R>;
  /** Whether a transaction is open: some errors end it without being asked. */
  inTransaction(): boolean;
  /** Closes the file. */
  close(): void;
}

/** A statement that is ready to run. */
interface Prepared {
  /** The statement itself. */
  statement: StatementSync;
  /** Whether it gives rows, as a query and a `RETURNING` do. */
  hasRows: boolean;
}

const LARGEST_STATEMENT_CACHE = 500;
const BUSY_TIMEOUT_MS = 2_000;

/** Opens a connection. `:memory:` is a database of its own. */
export function connect(file: string, options: { readOnly: boolean }): Connection {
  const database = open(file, options.readOnly);
  const statements = new Map<string, Prepared>();
  const prepare = (sql: string): Prepared => {
    const known = statements.get(sql);
    if (known) return known;
    const statement = database.prepare(sql);
    const prepared = { statement, hasRows: statement.columns().length > 0 };
    if (statements.size >= LARGEST_STATEMENT_CACHE) forgetOldest(statements);
    statements.set(sql, prepared);
    return prepared;
  };
  return {
    run: (sql) => guarded(() => void prepare(sql).statement.run()),
    script: (sql) => guarded(() => database.exec(sql)),
    rows: (sql, ...parameters) => guarded(() => prepare(sql).statement.all(...parameters)),
    execute: (query) => guarded(() => execute(prepare(query.sql), query)),
    inTransaction: () => database.isTransaction,
    close: () => {
      statements.clear();
      database.close();
    },
  };
}

/** Typed queries on a connection. `check` is asked before each query, and throws to refuse it. */
export function queriesOn(connection: Connection, check: (query: CompiledQuery) => void): Tx {
  const provided: DatabaseConnection = {
    executeQuery: async <R>(query: CompiledQuery) => {
      check(query);
      return connection.execute<R>(query);
    },
    streamQuery: () => {
      throw new StoreError("Cannot stream rows: read them page by page", { failure: "misuse" });
    },
  };
  return new QueryCreator({
    executor: new DefaultQueryExecutor(COMPILER, ADAPTER, {
      provideConnection: (consumer) => consumer(provided),
    }),
  });
}

const COMPILER = new SqliteQueryCompiler();
const ADAPTER = new SqliteAdapter();

function open(file: string, readOnly: boolean): DatabaseSync {
  const database = guarded(() =>
    new DatabaseSync(file, { readOnly, enableForeignKeyConstraints: true })
  );
  guarded(() =>
    database.exec(
      `PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS};
       PRAGMA trusted_schema = OFF;
       PRAGMA cache_size = -16384;` +
        (readOnly
          ? "PRAGMA query_only = ON;"
          : "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;"),
    )
  );
  return database;
}

function execute<R>(prepared: Prepared, query: CompiledQuery): QueryResult<R> {
  // The query builder types the parameters; SQLite itself refuses a value that it cannot hold.
  const parameters = query.parameters as SQLInputValue[];
  if (prepared.hasRows) return { rows: prepared.statement.all(...parameters) as R[] };
  const { changes } = prepared.statement.run(...parameters);
  return { rows: [], numAffectedRows: BigInt(changes) };
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
