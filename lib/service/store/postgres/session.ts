/**
 * A connection inside of one transaction, and the typed queries on it.
 *
 * @module
 */

import {
  type CompiledQuery,
  PostgresAdapter,
  PostgresQueryCompiler,
  type QueryResult,
} from "kysely";
import type { Arrays, Runner } from "../queries.ts";
import type { Answer, Wire } from "./driver.ts";
import { type KeyColumns, toStoreError } from "./errors.ts";

/** A connection inside of a transaction. */
export interface Session extends Runner {
  /** Runs a statement that is written out. */
  send(sql: string, parameters?: readonly unknown[]): Promise<Answer>;
}

const COMPILER = new PostgresQueryCompiler();
const ADAPTER = new PostgresAdapter();

/** Makes the session of a connection. Work on it may pass arrays if it is told how. */
export function createSession(wire: Wire, keys: KeyColumns, arrays?: Arrays): Session {
  const send = async (sql: string, parameters?: readonly unknown[]): Promise<Answer> => {
    try {
      return await wire.send(sql, parameters);
    } catch (error) {
      throw toStoreError(error, keys);
    }
  };
  return {
    compiler: COMPILER,
    adapter: ADAPTER,
    arrays,
    send,
    async execute<R>(query: CompiledQuery): Promise<QueryResult<R>> {
      const answer = await send(numbered(query.sql), query.parameters);
      // Types were checked where the query was built.
      const rows = answer.rows as R[];
      return CHANGES.has(answer.command)
        ? { rows, numAffectedRows: BigInt(answer.count) }
        : { rows };
    },
  };
}

const CHANGES: ReadonlySet<string> = new Set(["INSERT", "UPDATE", "DELETE", "MERGE"]);

/** Statements that are written out, with their parameters numbered. */
const texts = new Map<string, string>();

const MOST_TEXTS = 5000;

/** Numbers the question marks of a statement, outside of its quoted texts and names. */
export function numbered(sql: string): string {
  if (!sql.includes("?")) return sql;
  const known = texts.get(sql);
  if (known !== undefined) return known;
  let number = 0;
  const text = sql.replace(
    /'(?:[^']|'')*'|"[^"]*"|\?/g,
    (part) => part === "?" ? `$${++number}` : part,
  );
  if (texts.size < MOST_TEXTS) texts.set(sql, text);
  return text;
}
