/**
 * Typed queries, on whatever runs them: an engine compiles a query to its SQL and runs it.
 *
 * @module
 */

import type {
  CompiledQuery,
  ConnectionProvider,
  DefaultQueryExecutor,
  DialectAdapter,
  QueryCompiler,
  QueryCreator,
  QueryExecutorProvider,
  QueryResult,
} from "kysely";
import { hasBuilder, loadedBuilder } from "./builder.ts";
import { StoreError } from "./failure.ts";
import type { TextPlace } from "./fixed.ts";
import type { SharedTable, Tables } from "./tables.ts";

/** What begins a typed query of some tables. */
type Beginnings<Known> = Pick<
  QueryCreator<Known>,
  "selectFrom" | "insertInto" | "updateTable" | "deleteFrom"
>;

/** Typed queries of all tables. `in_project.ts` gives them out. */
export type AllQueries = Beginnings<Tables> & QueryExecutorProvider;

/**
 * Typed queries that belong to one unit of work, of tables that belong to no project: `inProject()`
 * leads to the others. Refused once that work has ended.
 */
export type Tx = Beginnings<Pick<Tables, SharedTable>> & QueryExecutorProvider & TextTx;

/** Queries of one unit of work that are written out: `fixed` runs them. */
export interface TextTx extends TextPlace {
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
  /**
   * Whether work that locks its rows by itself may change this project meanwhile: see `Locks`. Then
   * `delivery_lines.ts` has the locks.
   */
  readonly hasRowLocks: boolean;
  /** Numbers that are not in the rows of their projects yet. Not there where each is written at once. */
  readonly numbers: LastNumbers | undefined;
}

/** The last numbers that this unit of work and those before it in its transaction have taken. */
export interface LastNumbers {
  /** The last number in a project. Undefined: the row of the project has it. */
  get(projectId: string): number | undefined;
  /** Takes all numbers up to this one. The row of the project gets it before the commit. */
  set(projectId: string, last: number): void;
}

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
  /** See `Tx.hasRowLocks`. */
  readonly hasRowLocks?: boolean;
  /** See `Tx.numbers`. */
  readonly numbers?: LastNumbers;
}

/**
 * Typed queries on a runner; without the builder, only those that are written out. `check` is asked
 * before each query, and throws to refuse it.
 */
export function queriesOn(
  runner: Runner,
  check: (query: CompiledQuery) => void,
  snapshot?: object,
): Tx {
  const enter = runner.enter && ((projectId: string) => runner.enter?.(projectId));
  const { arrays, hasRowLocks = false, numbers } = runner;
  const runWritten = async <R>(query: CompiledQuery) => {
    check(query);
    return runner.execute<R>(query);
  };
  const written: TextTx = { runWritten, snapshot, enter, arrays, hasRowLocks, numbers };
  // Work that builds queries waits for the builder, so this work does not.
  if (!hasBuilder()) return written as Tx;
  // Most work builds no query, and to make what builds them takes as long as to find a row.
  let made: ReturnType<typeof builderOn> | undefined;
  const built = () => made ??= builderOn(runner, runWritten);
  const queries = {
    ...written,
    getExecutor: () => built().executor,
    selectFrom: (...tables: Arguments<"selectFrom">) => built().creator.selectFrom(...tables),
    insertInto: (...table: Arguments<"insertInto">) => built().creator.insertInto(...table),
    updateTable: (...tables: Arguments<"updateTable">) => built().creator.updateTable(...tables),
    deleteFrom: (...tables: Arguments<"deleteFrom">) => built().creator.deleteFrom(...tables),
  };
  // Each passes on what it gets, whatever the tables are.
  return queries as unknown as Tx;
}

/** What a beginning takes. */
type Arguments<Name extends keyof AllQueries> = Parameters<AllQueries[Name]>;

/** What builds typed queries. */
function builderOn(
  { compiler, adapter }: Runner,
  executeQuery: DefaultQueryExecutor["executeQuery"],
): { executor: DefaultQueryExecutor; creator: QueryCreator<Tables> } {
  const { DefaultQueryExecutor, QueryCreator } = loadedBuilder();
  const executor = new DefaultQueryExecutor(compiler, adapter, NO_POOL);
  // There is one connection and no plugin, so a query need not pass all that is there for others.
  executor.executeQuery = executeQuery;
  return { executor, creator: new QueryCreator<Tables>({ executor }) };
}

/** Only a query that streams its rows asks for a connection of its own. */
const NO_POOL: ConnectionProvider = {
  provideConnection: () => {
    throw new StoreError("Cannot stream rows: read them page by page", { failure: "misuse" });
  },
};
