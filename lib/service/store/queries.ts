/**
 * Typed queries, on whatever runs them: an engine compiles a query to its SQL and runs it.
 *
 * @module
 */

import {
  type CompiledQuery,
  type ConnectionProvider,
  DefaultQueryExecutor,
  type DialectAdapter,
  type QueryCompiler,
  QueryCreator,
  type QueryExecutorProvider,
  type QueryResult,
} from "kysely";
import { StoreError } from "./failure.ts";
import type { SharedTable, Tables } from "./tables.ts";

/** Typed queries of all tables. `in_project.ts` gives them out. */
export type AllQueries = QueryCreator<Tables> & QueryExecutorProvider;

/**
 * Typed queries that belong to one unit of work, of tables that belong to no project: `inProject()`
 * leads to the others. Refused once that work has ended.
 */
export type Tx = QueryCreator<Pick<Tables, SharedTable>> & QueryExecutorProvider & {
  /**
   * Stands for the state of the database that is read: reads with the same one see the same. Not
   * there where that state may change.
   */
  readonly snapshot: object | undefined;
  /**
   * Tells the engine which project the next queries are about, so that it can keep other writers
   * away from it. Not there where the engine does that by itself.
   */
  readonly enter: ((projectId: string) => void) | undefined;
  /** How the engine takes many values as one. Not there where that saves nothing. */
  readonly arrays: Arrays | undefined;
};

/** What the columns of all tables hold. */
export type ElementType = "text" | "bigint";

/** How an engine takes many values of a column as one parameter. */
export interface Arrays {
  /** What a column of a table holds. Undefined: something of which it takes no arrays. */
  typeOf(table: string, column: string): ElementType | undefined;
  /** The parameter for an array of such values; some may be null. */
  value(type: ElementType, values: readonly unknown[]): unknown;
}

/** What runs queries: one engine, inside of one transaction. */
export interface Runner {
  /** Turns a query into the engine's SQL. */
  readonly compiler: QueryCompiler;
  /** What the engine can do. */
  readonly adapter: DialectAdapter;
  /** Runs a query. */
  execute<R>(query: CompiledQuery): QueryResult<R> | Promise<QueryResult<R>>;
  /** See `Tx.enter`. */
  enter?(projectId: string): void;
  /** See `Tx.arrays`. */
  readonly arrays?: Arrays | undefined;
}

/** Typed queries on a runner. `check` is asked before each query, and throws to refuse it. */
export function queriesOn(
  runner: Runner,
  check: (query: CompiledQuery) => void,
  snapshot?: object,
): Tx {
  const executor = new DefaultQueryExecutor(runner.compiler, runner.adapter, NO_POOL);
  // There is one connection and no plugin, so a query need not pass all that is there for others.
  executor.executeQuery = async <R>(query: CompiledQuery) => {
    check(query);
    return runner.execute<R>(query);
  };
  // The executor is what the `sql` tag asks for.
  const getExecutor = () => executor;
  const queries = new QueryCreator<Pick<Tables, SharedTable>>({ executor });
  const enter = runner.enter && ((projectId: string) => runner.enter?.(projectId));
  return Object.assign(queries, { getExecutor, snapshot, enter, arrays: runner.arrays });
}

/** Only a query that streams its rows asks for a connection of its own. */
const NO_POOL: ConnectionProvider = {
  provideConnection: () => {
    throw new StoreError("Cannot stream rows: read them page by page", { failure: "misuse" });
  },
};
