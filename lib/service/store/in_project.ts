/**
 * Queries in one project. Each query of a table whose rows belong to projects gets the condition that
 * they belong to this one, and each new row gets the project, so no caller can forget either.
 *
 * @module
 */

import type {
  ColumnType,
  DeleteQueryBuilder,
  DeleteResult,
  Expression,
  Insertable,
  InsertQueryBuilder,
  InsertResult,
  OperatorNode,
  QueryExecutorProvider,
  RawBuilder,
  ReferenceNode,
  SelectQueryBuilder,
  SqlBool,
  UpdateQueryBuilder,
  UpdateResult,
} from "kysely";
import { loadedBuilder } from "./builder.ts";
import type { TextPlace } from "./fixed.ts";
import type { AllQueries, TextTx, Tx } from "./queries.ts";
import type { ProjectTable, Tables } from "./tables.ts";

/** The columns of a table; no query sets the project of a row. */
type OwnColumns<T extends ProjectTable> = Tables[T] extends { project_id: string }
  ? Omit<Tables[T], "project_id"> & { project_id: ColumnType<string, undefined, never> }
  : Tables[T];

/** A database of these tables alone: others are joined as queries, which have their own condition. */
type Own<T extends ProjectTable> = { [Name in T]: OwnColumns<Name> };

/** A new row of a table, without its project. */
type NewRow<T extends ProjectTable> = Insertable<OwnColumns<T>>;

/** The queries of one unit of work in one project. */
export interface ProjectTx extends QueryExecutorProvider, TextPlace {
  /** The id of the project. */
  readonly projectId: string;
  /** The unit of work: the way to the tables that belong to no project. */
  readonly whole: Tx;
  /** Reads rows. To join another table, join a query of it: `tx.selectFrom("apps").….as("apps")`. */
  selectFrom<T extends ProjectTable>(table: T): SelectQueryBuilder<Own<T>, T, Record<never, never>>;
  /** Changes rows. */
  updateTable<T extends ProjectTable>(table: T): UpdateQueryBuilder<Own<T>, T, T, UpdateResult>;
  /** Deletes rows. */
  deleteFrom<T extends ProjectTable>(table: T): DeleteQueryBuilder<Own<T>, T, DeleteResult>;
  /** Adds a row. */
  insertInto<T extends Exclude<ProjectTable, "projects">>(table: T): {
    /** The row, without its project. */
    values(row: NewRow<T>): InsertQueryBuilder<Own<T>, T, InsertResult>;
  };
  /** The rows of a table in place of the table, for queries that are written out in SQL. */
  rows(table: ProjectTable): RawBuilder<unknown>;
}

/**
 * The one way to query what belongs to a project. In plain work only queries that are written out run:
 * the others throw.
 */
export function inProject(whole: TextTx, projectId: string): ProjectTx {
  if (projectId !== "") whole.enter?.(projectId);
  const all = () => builtBy(whole as Tx);
  const isOwn = (table: ProjectTable): Expression<SqlBool> => {
    const { BinaryOperationNode, ExpressionWrapper, ValueNode } = loadedBuilder();
    const project = ValueNode.create(projectId);
    return new ExpressionWrapper(BinaryOperationNode.create(columnOf(table), equals(), project));
  };
  const queries = {
    projectId,
    whole,
    getExecutor: () => builtBy(whole as Tx).getExecutor(),
    runWritten: whole.runWritten,
    selectFrom: (table: ProjectTable) => all().selectFrom(table).where(isOwn(table)),
    updateTable: (table: ProjectTable) => all().updateTable(table).where(isOwn(table)),
    deleteFrom: (table: ProjectTable) => all().deleteFrom(table).where(isOwn(table)),
    insertInto: (table: "apps") => ({
      values: (row: Insertable<Tables["apps"]>) =>
        all().insertInto(table).values({ ...row, project_id: projectId }),
    }),
    rows: (table: ProjectTable) => {
      const { sql } = loadedBuilder();
      return sql`(select * from ${sql.table(table)} where ${isOwn(table)})`;
    },
  };
  // The conditions are the same for all tables, which no type of a builder can say.
  return queries as unknown as ProjectTx;
}

/** The typed queries of work that is not plain. */
function builtBy(whole: Tx): AllQueries {
  loadedBuilder();
  return acrossProjects(whole);
}

/**
 * Queries of all projects at once, for the few files that a lint rule lists: to find out which
 * project is meant, and for what concerns the database as a whole.
 */
export function acrossProjects(tx: Tx): AllQueries {
  return tx as AllQueries;
}

let operator: OperatorNode | undefined;

/** The operator of the condition. */
function equals(): OperatorNode {
  return operator ??= loadedBuilder().OperatorNode.create("=");
}

const columns = new Map<ProjectTable, ReferenceNode>();

/** The column that says which project a row belongs to. */
function columnOf(table: ProjectTable): ReferenceNode {
  const known = columns.get(table);
  if (known) return known;
  const { ColumnNode, ReferenceNode, TableNode } = loadedBuilder();
  const name = ColumnNode.create(table === "projects" ? "id" : "project_id");
  const column = ReferenceNode.create(name, TableNode.create(table));
  columns.set(table, column);
  return column;
}
