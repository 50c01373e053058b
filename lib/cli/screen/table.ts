/**
 * The layout of tables: the columns that fit, and their widths. A cut date, number or id would be a
 * different one, so these are shown whole, or their column is left out.
 *
 * @module
 */

import { date, fit, padEnd, padStart, time, visible, width, wrap } from "./display.ts";

/** One value to show. Null, undefined and the empty text are shown as `-`. */
export type Cell = string | number | boolean | null | undefined;

/**
 * How values are shown: `date`, `time` and `minute` take milliseconds since 1970, `number` is aligned
 * on the right. Where a table is too wide, `text` is cut first, and `address` less, and texts are left
 * out before `word` is cut, which is one of a closed list; `prose`, which only the last column may be,
 * goes on below; all others are shown whole or not at all.
 */
export type Kind =
  | ("text" | "address" | "word" | "prose")
  | ("date" | "time" | "minute" | "id" | "number");

/** One column of a table. */
export interface Column<T> {
  /** The header. It is shown in upper case. */
  header: string;
  /** Takes the column's value from an item. */
  value(item: T): Cell;
  /** The kind of the values. Default: `number` if all values are numbers, else `text`. */
  kind?: Kind | undefined;
  /** Whether the column is left out before any other is cut, always or when it has no value. */
  spare?: boolean | "when empty" | undefined;
}

/** Spaces between two columns, and between a label and its value. */
export const GAP = "  ";

/** The shortest cut of a header. */
const LEAST_HEADER = 3;

/** The shortest cut of a text. */
const LEAST_TEXT = 6;

/** The shortest cut of a word, which still distinguishes most words. */
const LEAST_WORD = 10;

/** The shortest cut of an address, which still shows the host. */
const LEAST_ADDRESS = 22;

/** Prose is given this much before it is broken into more lines. */
const LEAST_PROSE = 16;

/** An id that is wider than this is cut like a text. Those that services make are not. */
const LONGEST_ID = 64;

/** In a pipe, cells that are wider than this do not make their whole column as wide. */
const WIDEST_PADDING = 80;

/** A table as lines. `T` is a row. */
interface LaidOut<T> {
  /** The names of the columns. */
  readonly header: string;
  /** One line per row, or more where prose is broken. */
  readonly lines: readonly string[];
  /** The names of columns that had no room, except empty ones that can be spared and have no numbers. */
  readonly dropped: readonly string[];
  /** Lays later rows out as wide as these. */
  more(later: readonly T[]): string[];
}

/** A column as text, not cut yet. */
interface TextColumn {
  /** How its values are shown. */
  readonly kind: Kind;
  /** Whether it can be left out. */
  readonly spare: boolean;
  /** The header, then one text per row. */
  readonly texts: readonly string[];
  /** The width of the widest text. */
  readonly widest: number;
  /** The width below which it is not cut. */
  readonly least: number;
  /** The width at which no value is cut, though the header may be. */
  readonly whole: number;
}

/** Lays a table out, no line wider than `room`. There is at least one column. */
export function layOut<T>(
  rows: readonly T[],
  columns: readonly Column<T>[],
  room: number,
): LaidOut<T> {
  const all = columns.map((column) => textColumn(rows, column));
  const needed = neededColumns(all, room);
  const shown = fittingColumns(needed, room);
  const widths = fittingWidths(shown, room);
  const [[header = ""] = [], ...lines] = [columns, ...rows].map((_, row) =>
    rowLines(shown, widths, row, room)
  );
  const dropped = all.filter((column) => !shown.includes(column) && !isNothing(column));
  const more = (later: readonly T[]) => {
    const texts = columns.flatMap((column, i) => {
      const known = all[i];
      return known && shown.includes(known)
        ? [textColumn(later, { ...column, kind: known.kind })]
        : [];
    });
    return later.flatMap((_, row) => rowLines(texts, widths, row + 1, room));
  };
  return {
    header,
    lines: lines.flat(),
    dropped: dropped.map(({ texts }) => texts[0] ?? ""),
    more,
  };
}

/**
 * Whether a column can be left out unnoticed: it is optional, and has no value. Zero counts as
 * none.
 */
function isNothing({ kind, spare, texts }: TextColumn): boolean {
  return spare && kind !== "number" && texts.slice(1).every((text) => text === "-");
}

/** The lines of a row: one, and more below it for prose in the last column. */
function rowLines(
  columns: readonly TextColumn[],
  widths: readonly number[],
  row: number,
  room: number,
): string[] {
  const cells = columns.map((column, i) => cellIn(column, row, widths[i] ?? 0, room));
  const last = columns.at(-1);
  const more = last?.kind === "prose" ? wrap(last.texts[row] ?? "", widths.at(-1) ?? room) : [];
  const [first = cells.at(-1) ?? "", ...rest] = more;
  const line = [...cells.slice(0, -1), first].join(GAP).trimEnd();
  const indent = " ".repeat(total([...widths.slice(0, -1), 0]));
  // Marks may join the space before them, and that changes widths.
  return [line, ...rest.map((one) => indent + one)].map((one) => fit(one, room));
}

/** Takes a column's values out of all rows. */
function textColumn<T>(rows: readonly T[], column: Column<T>): TextColumn {
  const cells = rows.map((row) => column.value(row));
  const kind = column.kind ?? (isNumbers(cells) ? "number" : "text");
  const values = cells.map((cell) => cellText(cell, kind));
  const header = visible(column.header.toUpperCase());
  const texts = [header, ...values];
  const whole = Math.max(widestOf(values), Math.min(width(header), LEAST_HEADER));
  const least = Math.min(whole, leastOf(kind, whole));
  const isEmpty = values.every((value) => value === "-");
  const spare = column.spare === "when empty" ? isEmpty : column.spare === true;
  return { kind, texts, widest: widestOf(texts), least, whole, spare };
}

/** How much a cell of a kind keeps when it is cut. */
function leastOf(kind: Kind, whole: number): number {
  if (kind === "word") return LEAST_WORD;
  if (kind === "address") return LEAST_ADDRESS;
  if (kind === "prose") return LEAST_PROSE;
  return kind === "text" || kind === "id" && whole > LONGEST_ID ? LEAST_TEXT : Infinity;
}

/** The columns without those that can be spared, the last first, until the others fit. */
function neededColumns(columns: readonly TextColumn[], room: number): readonly TextColumn[] {
  const last = columns.findLastIndex(({ spare }) => spare);
  if (last < 0 || total(columns.map(({ widest }) => widest)) <= room) return columns;
  return neededColumns(columns.toSpliced(last, 1), room);
}

/** Whether a column is left out first. */
function isText({ kind }: TextColumn): boolean {
  return kind === "text" || kind === "prose" || kind === "address";
}

/** How narrow a column may get. Beside texts a word is whole: they go before it is cut. */
function leastBeside({ kind, least, whole }: TextColumn, texts: boolean): number {
  return texts && kind === "word" ? whole : least;
}

/**
 * The columns that fit, cut as far as allowed: the first one, then all but texts, then texts;
 * earlier ones first.
 */
function fittingColumns(columns: readonly TextColumn[], room: number): readonly TextColumn[] {
  const [first, ...others] = columns;
  const chosen = new Set(first ? [first] : []);
  for (const column of others.toSorted((a, b) => Number(isText(a)) - Number(isText(b)))) {
    const least = [...chosen, column].map((one) => leastBeside(one, isText(column)));
    if (total(least) <= room) chosen.add(column);
  }
  return columns.filter((column) => chosen.has(column));
}

/** The columns' widths in `room`. Of the columns that can be cut, the widest shrink first. */
function fittingWidths(columns: readonly TextColumn[], room: number): number[] {
  if (room === Infinity) return columns.map(({ texts }) => paddingOf(texts));
  const widest = columns.map((column) => column.widest);
  const leasts = columns.map((column) => leastBeside(column, columns.some(isText)));
  for (let cap = room; cap >= 0; cap--) {
    const widths = leasts.map((least, i) => Math.min(widest[i] ?? 0, Math.max(cap, least)));
    let left = room - total(widths);
    if (left < 0) continue;
    return widths.map((one, i) => one < (widest[i] ?? 0) && left-- > 0 ? one + 1 : one);
  }
  // Not even one column has room.
  return [room];
}

/** How wide a column is in a pipe. */
function paddingOf(texts: readonly string[]): number {
  return widestOf(texts.filter((text) => width(text) <= WIDEST_PADDING));
}

/** One cell, as wide as its column. */
function cellIn(column: TextColumn, row: number, columns: number, room: number): string {
  const { kind, texts } = column;
  const text = texts[row] ?? "";
  const isWhole = room === Infinity || width(text) <= columns;
  const mayBeCut = row === 0 || !["date", "time", "minute", "number"].includes(kind);
  const shown = isWhole ? text : fit(mayBeCut ? text : "…", columns);
  return kind === "number" ? padStart(shown, columns) : padEnd(shown, columns);
}

/** Whether cells hold numbers and nothing else. */
function isNumbers(cells: readonly Cell[]): boolean {
  const present = cells.filter((cell) => !isMissing(cell));
  return present.length > 0 && present.every((cell) => typeof cell === "number");
}

/** Whether there is nothing to show. */
function isMissing(cell: Cell): cell is null | undefined | "" {
  return cell === null || cell === undefined || cell === "";
}

/** The text of one value, safe for a terminal. */
export function cellText(cell: Cell, kind: Kind | undefined): string {
  if (isMissing(cell)) return "-";
  if (typeof cell === "boolean") return cell ? "yes" : "no";
  if (typeof cell === "number" && kind === "date") return date(cell);
  if (typeof cell === "number" && kind === "time") return time(cell);
  if (typeof cell === "number" && kind === "minute") return time(cell).replace(/:\d\dZ$/, "Z");
  return visible(String(cell));
}

/** The width of the widest text. */
export function widestOf(texts: readonly string[]): number {
  return texts.reduce((widest, text) => Math.max(widest, width(text)), 0);
}

/** The width of columns with their gaps. */
function total(widths: readonly number[]): number {
  return widths.reduce((sum, one) => sum + one, GAP.length * (widths.length - 1));
}
