/**
 * SQL that is written out once and always has the same text: only its values differ. To build such a
 * query with types takes longer than SQLite takes to run it.
 *
 * @module
 */

import type { CompiledQuery } from "kysely";

/** Where a query that is written out can run. */
export interface TextPlace {
  /** Runs a query that is written out. */
  runWritten<R>(query: CompiledQuery<R>): Promise<Ran<R>>;
}

/** What a query that was run gives. */
interface Ran<R> {
  /** Its rows. */
  rows: R[];
  /** How many rows it has changed. Not there for a query that gives rows. */
  numAffectedRows?: bigint;
}

/** A query with its values. */
interface Fixed<R> {
  /** Runs the query, with some more text at its end, and returns its rows. */
  execute(place: TextPlace, ending?: string): Promise<{ rows: R[] }>;
  /**
   * Runs the query, which gives no rows, and returns how many it has changed. To ask SQLite for a
   * changed row costs a table of its own for the answer.
   */
  change(place: TextPlace): Promise<number>;
}

/** The text of each template. */
const texts = new WeakMap<TemplateStringsArray, string>();

/**
 * A query written as a template. Each value becomes a parameter, so no value can be the name of a
 * table or a column, or another query.
 */
export function fixed<R>(strings: TemplateStringsArray, ...values: unknown[]): Fixed<R> {
  const text = texts.get(strings) ?? textOf(strings);
  return {
    execute: (place, ending) => runText(place, ending === undefined ? text : text + ending, values),
    change: async (place) => Number((await runText(place, text, values)).numAffectedRows ?? 0n),
  };
}

/** Writes the text of a template, and keeps it. */
function textOf(strings: TemplateStringsArray): string {
  const text = strings.join("?");
  texts.set(strings, text);
  return text;
}

/** What a query has besides its text and its values: the same for all. */
const { query, queryId }: Pick<CompiledQuery, "query" | "queryId"> = {
  query: { kind: "RawNode", sqlFragments: [], parameters: [] },
  queryId: { queryId: "written" },
};

/** Runs SQL with the values of its parameters. */
export function runText<R>(
  place: TextPlace,
  text: string,
  values: readonly unknown[],
): Promise<Ran<R>> {
  return place.runWritten<R>({ sql: text, parameters: values, query, queryId });
}
