/**
 * Data in the requested shape: as CSV, as one JSON value per line, with some fields only, or
 * through jq. Commands pass in JSON, and do not depend on the shape.
 *
 * @module
 */

import { UsageError } from "../../errors.ts";
import { formatJson } from "../screen/json_text.ts";
import {
  absentFields,
  fieldNames,
  impossibleFields,
  leavesOf,
  onlyFields,
  valueAt,
} from "./fields.ts";
import { type LikelyRow, likelyRow } from "./empty_lists.ts";
import { rowsOf } from "./rows.ts";
import type { Shape } from "./shape.ts";

/** The output of a writer, and the facts about the command. */
interface Sink {
  /** Writes to standard output. */
  write(text: string): void;
  /** Warns on standard error. */
  warn(text: string): void;
  /** Writes rows as a table, or one of them as a card, with these fields. */
  show(texts: readonly string[], fields: readonly string[], isOne: boolean): void;
  /** Escapes text for a terminal. */
  safe(text: string): string;
  /** Runs work that only the end of the process can stop. */
  stoppable<T>(work: () => T): T;
  /** Whether the command only reads: then a field that does not exist is an error. */
  readonly reads: boolean;
}

/** Writes documents and rows in one shape. */
export interface DataWriter {
  /** Whether rows can be written page by page. */
  readonly streams: boolean;
  /**
   * Writes a JSON document. `rows` is the name of the array with its rows, if it is no list;
   * `address` is that of a list with such rows, if the document has none.
   */
  document(text: string, rows?: string, address?: string): void;
  /** Writes some rows of the list at an address. */
  rows(texts: readonly string[], address?: string): void;
  /** The conversion of one item, if items are independent. */
  readonly item: ((text: string) => string) | undefined;
  /** Writes the rest. */
  end(): void;
}

/**
 * Makes the writer of a shape. It loads its parts first, so a jq program is checked before any
 * request.
 */
export async function createDataWriter(shape: Shape, sink: Sink): Promise<DataWriter> {
  const { fields, jq, output } = shape;
  if (fields === "list") return namesWriter(sink);
  const check = absentCheck(fields ?? [], sink);
  const shaped = shaping(fields, check);
  if (jq !== undefined) return await jqWriter(shape, jq, sink, shaped, check);
  if (output === "csv") {
    const { csvLines } = await import("./csv.ts");
    return csvWriter(sink, fields, check, csvLines);
  }
  if (output === "ndjson") {
    const rows = (texts: readonly string[]) => sink.write(ndjson(shaped(texts)));
    return streaming(rows, (none) => check([], none));
  }
  if (output === "json") return jsonWriter(sink, shaped, check);
  return tableWriter(sink, fields, check);
}

/** Converts rows to rows with the requested fields. */
type Shaping = (texts: readonly string[]) => readonly string[];

/** One JSON value per line. */
function ndjson(texts: readonly string[]): string {
  return texts.map((text) => `${formatJson(text, 0)}\n`).join("");
}

/** The shaping for `--fields`. */
function shaping(fields: readonly string[] | undefined, check: Check): Shaping {
  if (fields === undefined) return (texts) => texts;
  return (texts) => {
    check(texts);
    return texts.map((text) => onlyFields(text, fields));
  };
}

/** Checks whether rows have the requested fields, or could have them if there are no rows. */
type Check = (texts: readonly string[], none?: LikelyRow) => void;

/** Reports fields that the first rows lack. */
function absentCheck(fields: readonly string[], sink: Sink): Check {
  let checked = false;
  return (texts, none) => {
    if (checked || (texts.length === 0 && none === undefined)) return;
    checked = true;
    const absent = none ? impossibleFields(none.all, fields) : absentFields(texts, fields);
    if (absent.length === 0) return;
    const names = absent.map((name) => JSON.stringify(name)).join(", ");
    const rows = none ? [none.usual] : texts;
    const known = [...new Set(rows.flatMap((text) => leavesOf(text).map(([name]) => name)))];
    const message = `Cannot show the ${absent.length > 1 ? "fields" : "field"} ${names}: ` +
      `${none ? "its items have" : "the answer has"} ${known.join(", ")}`;
    // The command has already changed something, so its answer is shown.
    if (!sink.reads) sink.warn(message);
    else throw new UsageError(message, { hint: "List all fields with --fields alone." });
  };
}

/** A writer for rows, page by page. `end` gets a typical row if there was none. */
function streaming(
  rows: (texts: readonly string[]) => void,
  end: (none: LikelyRow | undefined) => void,
): DataWriter {
  let isEmpty = true;
  let list: string | undefined;
  const take = (texts: readonly string[], from: string | undefined) => {
    isEmpty &&= texts.length === 0;
    list ??= from;
    rows(texts);
  };
  return {
    streams: true,
    document: (text, key, address) => {
      const { texts, list } = rowsOf(text, key);
      take(texts, address ?? list);
    },
    rows: take,
    item: undefined,
    end: () => end(isEmpty ? likelyRow(list) : undefined),
  };
}

/** Lists the existing fields. */
function namesWriter(sink: Sink): DataWriter {
  const names = new Set<string>();
  return streaming((texts) => {
    for (const name of texts.flatMap((text) => fieldNames(text))) names.add(name);
  }, (none) => {
    const all = none ? fieldNames(none.usual) : [...names];
    sink.write(all.map((name) => `${sink.safe(name)}\n`).join(""));
  });
}

/** Writes CSV. Without `--fields` the first rows decide the columns. */
function csvWriter(
  sink: Sink,
  fields: readonly string[] | undefined,
  check: Check,
  csvLines: (rows: (string | undefined)[][]) => string,
): DataWriter {
  let columns = fields;
  let begun = false;
  const left = new Set<string>();
  const begin = () => {
    if (begun || columns === undefined) return;
    begun = true;
    sink.write(sink.safe(csvLines([columns.map((name) => JSON.stringify(name))])));
  };
  const known = new Set(fields);
  const cellsOf = (text: string): (string | undefined)[] => {
    if (fields !== undefined) return fields.map((field) => valueAt(text, field));
    const leaves = new Map(leavesOf(text));
    for (const [name, value] of leaves) {
      // Without rows there is nothing to leave out.
      if (!known.has(name) && value !== "null" && value !== "{}") left.add(name);
    }
    return columns?.map((name) => leaves.get(name)) ?? [];
  };
  return streaming((texts) => {
    check(texts);
    if (texts.length === 0) return;
    if (columns === undefined) { for (const name of columns = columnsOf(texts)) known.add(name); }
    begin();
    sink.write(linesSafe(csvLines(texts.map(cellsOf)), sink));
  }, (none) => {
    check([], none);
    if (none) columns ??= columnsOf([none.usual]);
    begin();
    if (left.size === 0) return;
    const names = [...left].join(", ");
    sink.warn(`The first rows lack fields that later ones have: ${names}. Name them in --fields.`);
  });
}

/** The columns of rows: the fields of all rows in order, with the fields of objects separate. */
function columnsOf(texts: readonly string[]): string[] {
  const columns = new Set(texts.flatMap((text) => leavesOf(text).map(([name]) => name)));
  const isOuter = (name: string) => [...columns].some((other) => other.startsWith(`${name}.`));
  // An object that is null in some rows needs no column of its own.
  return [...columns].filter((name) => !isOuter(name));
}

/** Lines escaped for a terminal; line breaks stay. */
function linesSafe(lines: string, { safe }: Sink): string {
  return lines.split("\n").map(safe).join("\n");
}

/** Writes JSON with some fields only. */
function jsonWriter(sink: Sink, shaped: Shaping, check: Check): DataWriter {
  return {
    streams: false,
    document: (text, key, address) => {
      const { texts, list, around } = rowsOf(text, key);
      if (texts.length === 0) check([], likelyRow(address ?? list));
      sink.write(`${formatJson(around(shaped(texts)))}\n`);
    },
    rows: (texts) => sink.write(ndjson(shaped(texts))),
    item: (text) => shaped([text])[0] ?? text,
    end: () => {},
  };
}

/** Writes tables and cards with some fields, or with all. */
function tableWriter(
  sink: Sink,
  fields: readonly string[] | undefined,
  check: Check,
): DataWriter {
  const show = (texts: readonly string[], isOne: boolean, list?: string) => {
    check(texts, texts.length === 0 ? likelyRow(list) : undefined);
    sink.show(texts, fields ?? columnsOf(texts), isOne);
  };
  return {
    streams: false,
    document: (text, key, address) => {
      const { texts, isOne, list } = rowsOf(text, key);
      show(texts, isOne, address ?? list);
    },
    rows: (texts, address) => show(texts, false, address),
    item: undefined,
    end: () => {},
  };
}

/**
 * Writes the results of a jq program for documents, or for each row in formats with one row per
 * line.
 */
async function jqWriter(
  { output, raw = false }: Shape,
  program: string,
  sink: Sink,
  shaped: Shaping,
  check: Check,
): Promise<DataWriter> {
  const { loadProgram } = await import("./jq.ts");
  const byRow = output === "ndjson";
  const { stoppable } = sink;
  const run = await loadProgram(program, { raw, compact: byRow, stoppable });
  const write = (text: string) => {
    const { text: results, said, error } = run(text);
    sink.write(linesSafe(results, sink));
    if (said !== "") sink.warn(said);
    if (error) throw error;
  };
  const rows = (texts: readonly string[]) => {
    if (texts.length > 0) write(shaped(texts).join("\n"));
  };
  if (byRow) return streaming(rows, (none) => check([], none));
  return {
    streams: false,
    document: (text, key, address) => {
      const { texts, list, around } = rowsOf(text, key);
      if (texts.length === 0) check([], likelyRow(address ?? list));
      write(around(shaped(texts)));
    },
    rows,
    item: undefined,
    end: () => {},
  };
}
