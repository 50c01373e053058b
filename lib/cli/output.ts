/**
 * The only writer to standard output: tables, cards, JSON and plain lines. Everything that is not
 * data goes to standard error.
 *
 * @module
 */

import { date, fit, padEnd, padStart, time, visible, width, wrap } from "./display.ts";
import { formatJson } from "./json_text.ts";

/** How data is written: for people, or as the service's own JSON. */
export type Format = "table" | "json";

/** Where output goes, and what that place can show. */
export interface Terminal {
  /** Writes to standard output. It ends quietly when nobody reads any more. */
  writeOut(text: string): void;
  /** Writes to standard error. It ends quietly when nobody reads any more. */
  writeErr(text: string): void;
  /** Columns of the terminal that shows standard output. Undefined when it is not a terminal. */
  readonly outColumns: number | undefined;
  /** Whether standard output shows colours. */
  readonly outColor: boolean;
  /** Whether standard error shows colours. */
  readonly errColor: boolean;
}

/** What a picture is drawn for. */
export interface Canvas {
  /** Columns of the terminal. */
  readonly columns: number;
  /** Whether it shows colours. */
  readonly color: boolean;
}

/** Columns of a terminal that nobody knows anything of. */
const USUAL_COLUMNS = 80;

/** One value to show. Null, undefined and the empty text are shown as `-`. */
export type Cell = string | number | boolean | null | undefined;

/**
 * How values are shown: `date` and `time` take milliseconds since 1970, `number` is aligned on the
 * right, `id` is cut last.
 */
export type Kind = "text" | "date" | "time" | "id" | "number";

/** One column of a table. */
export interface Column<T> {
  /** What the column holds. It is shown in upper case. */
  header: string;
  /** Takes the column's value from an item. */
  value(item: T): Cell;
  /** How the values are shown. Default: `number` where all values are numbers, else `text`. */
  kind?: Kind | undefined;
  /** Whether the column is left out where the terminal is too narrow for all. */
  spare?: boolean | undefined;
}

/** One line of a card. */
export interface Field<T> {
  /** What the line holds. */
  label: string;
  /** Takes the line's value from the object. */
  value(item: T): Cell;
  /** How the value is shown. Default: `text`. */
  kind?: Kind | undefined;
}

/** What may be said about a table. */
export interface TableOptions {
  /** Noted on standard error when there are no rows. Default: `Nothing to show.` */
  empty?: string | undefined;
  /** A line above the header. It is shown with or without rows, and `empty` then goes below it. */
  title?: string | undefined;
}

/** What may be said about a card. */
export interface CardOptions {
  /** A line above the fields. */
  title?: string | undefined;
}

/** Writes what a command has to say. Tables and cards are for the format `table` alone. */
export interface Output {
  /** How the command is to write its data. */
  readonly format: Format;
  /** Whether standard output goes to a terminal. */
  readonly isTerminal: boolean;
  /** Writes JSON text to standard output, laid out for reading, values unchanged. */
  json(text: string): void;
  /** Writes one line per row to standard output, cut to the terminal's width. */
  table<T>(rows: readonly T[], columns: readonly Column<T>[], options?: TableOptions): void;
  /** Writes one object to standard output, nothing cut. */
  card<T>(value: T, fields: readonly Field<T>[], options?: CardOptions): void;
  /**
   * Writes lines to standard output that are drawn for the terminal they go to, if they go to one.
   * With `always` they are drawn for 80 columns otherwise.
   */
  picture(draw: (canvas: Canvas) => readonly string[], options?: { always?: boolean }): void;
  /** Writes a line to standard output as it is. */
  text(text: string): void;
  /** Writes a line about what happens to standard error. */
  note(text: string): void;
  /** Writes a line about what may be wrong to standard error. */
  warn(text: string): void;
  /** Writes a line about what is done to standard error. */
  done(text: string): void;
  /** Writes what went wrong, and below it what to do next, to standard error. */
  error(text: string, hint: string | undefined): void;
}

/**
 * Makes the output of one command. Every call is one write, so a reader who leaves early (`| head`)
 * is met once.
 */
export function createOutput(terminal: Terminal, format: Format): Output {
  const out = terminal.outColor ? COLORS : PLAIN;
  const err = terminal.errColor ? COLORS : PLAIN;
  // A pipe is as wide as it gets, and so is a terminal that says that it has 0 columns.
  const room = terminal.outColumns || Infinity;
  let blocks = 0;
  const note = (text: string) => terminal.writeErr(`${err.dim(visible(text))}\n`);
  const block = (lines: readonly string[]) => {
    terminal.writeOut(`${blocks++ > 0 ? "\n" : ""}${lines.join("\n")}\n`);
  };
  return {
    format,
    isTerminal: terminal.outColumns !== undefined,
    json: (text) => terminal.writeOut(`${formatJson(text)}\n`),
    table: (rows, columns, options = {}) => {
      refuseJson(format);
      const { title, empty = "Nothing to show." } = options;
      if (rows.length === 0 && title === undefined) return note(empty);
      const lines = rows.length === 0
        ? wrap(visible(empty), room).map(out.dim)
        : tableLines(rows, columns, room, out);
      block([...titleLines(title, room, out), ...lines]);
    },
    card: (value, fields, options = {}) => {
      refuseJson(format);
      const title = titleLines(options.title, room, out);
      block([...title, ...cardLines(value, fields, room, out)]);
    },
    picture: (draw, { always = false } = {}) => {
      refuseJson(format);
      const columns = terminal.outColumns || (always ? USUAL_COLUMNS : 0);
      const lines = columns > 0 ? draw({ columns, color: terminal.outColor }) : [];
      if (lines.length > 0) block(lines);
    },
    text: (text) => terminal.writeOut(`${text}\n`),
    note,
    warn: (text) => terminal.writeErr(`${err.yellow("Warning:")} ${visible(text)}\n`),
    done: (text) => terminal.writeErr(`${err.tick}${visible(text)}\n`),
    error: (text, hint) => {
      const next = hint ? `${err.dim(visible(hint))}\n` : "";
      terminal.writeErr(`${err.red(visible(text))}\n${next}`);
    },
  };
}

/** The lines of a title, if there is one. */
function titleLines(title: string | undefined, room: number, style: Style): string[] {
  return title === undefined ? [] : wrap(visible(title), room).map(style.bold);
}

/** Stops a command that would put a table where JSON was asked for. */
function refuseJson(format: Format): void {
  if (format === "json") throw new TypeError("Cannot write a table or card: JSON was asked for");
}

/** What a stream can do to make text stand out. */
interface Style {
  /** For headers and titles. */
  bold(text: string): string;
  /** For what may be overlooked. */
  dim(text: string): string;
  /** For warnings. */
  yellow(text: string): string;
  /** For errors. */
  red(text: string): string;
  /** Stands before a line that says what is done. */
  readonly tick: string;
}

const COLORS: Style = {
  bold: (text) => `\x1b[1m${text}\x1b[22m`,
  dim: (text) => `\x1b[2m${text}\x1b[22m`,
  yellow: (text) => `\x1b[33m${text}\x1b[39m`,
  red: (text) => `\x1b[31m${text}\x1b[39m`,
  tick: "\x1b[32m✓\x1b[39m ",
};

const PLAIN: Style = {
  bold: (text) => text,
  dim: (text) => text,
  yellow: (text) => text,
  red: (text) => text,
  tick: "",
};

/** Whether there is nothing to show. */
function isMissing(cell: Cell): cell is null | undefined | "" {
  return cell === null || cell === undefined || cell === "";
}

/** The text of one value, safe for a terminal. */
function cellText(cell: Cell, kind: Kind | undefined): string {
  if (isMissing(cell)) return "-";
  if (typeof cell === "boolean") return cell ? "yes" : "no";
  if (typeof cell === "number" && kind === "date") return date(cell);
  if (typeof cell === "number" && kind === "time") return time(cell);
  return visible(String(cell));
}

/** Spaces between two columns, and between a label and its value. */
const GAP = "  ";

/** What a column keeps when a table is too wide. */
const LEAST_WIDTH = 4;

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
  /** The width below which it is not cut: a number that is cut is another number. */
  readonly least: number;
}

/** The lines of a table: the header, then one per row, none wider than `room`. */
function tableLines<T>(
  rows: readonly T[],
  columns: readonly Column<T>[],
  room: number,
  style: Style,
): string[] {
  const shown = neededColumns(columns.map((column) => textColumn(rows, column)), room);
  const widths = fittingWidths(shown, room);
  return [columns, ...rows].map((_, row) => {
    const cells = shown.map((column, i) => cellIn(column, row, widths[i] ?? 0));
    const line = fit(cells.join(GAP).trimEnd(), room);
    return row === 0 ? style.bold(line) : line;
  });
}

/** Takes a column's values out of all rows. */
function textColumn<T>(rows: readonly T[], column: Column<T>): TextColumn {
  const cells = rows.map((row) => column.value(row));
  const kind = column.kind ?? (isNumbers(cells) ? "number" : "text");
  const values = cells.map((cell) => cellText(cell, kind));
  const texts = [visible(column.header.toUpperCase()), ...values];
  const least = kind === "number" ? widestOf(values) : LEAST_WIDTH;
  return { kind, texts, widest: widestOf(texts), least, spare: column.spare === true };
}

/** The columns without those that can be spared, the last first, until the others fit. */
function neededColumns(columns: readonly TextColumn[], room: number): readonly TextColumn[] {
  const last = columns.findLastIndex(({ spare }) => spare);
  const widths = columns.map(({ widest }) => widest);
  if (last < 0 || sum(widths) + GAP.length * (columns.length - 1) <= room) return columns;
  return neededColumns(columns.toSpliced(last, 1), room);
}

/** Whether cells hold numbers and nothing else. */
function isNumbers(cells: readonly Cell[]): boolean {
  const present = cells.filter((cell) => !isMissing(cell));
  return present.length > 0 && present.every((cell) => typeof cell === "number");
}

/** One cell, as wide as its column. */
function cellIn(column: TextColumn, row: number, columns: number): string {
  const text = fit(column.texts[row] ?? "", columns);
  return column.kind === "number" ? padStart(text, columns) : padEnd(text, columns);
}

/**
 * The columns' widths in a terminal of `room` columns. Text gives way first, then dates and
 * the headers of numbers, ids last; among those that give way, the widest first. When ids have to be cut anyway,
 * no other column is made narrow for them. When nothing fits, cells stay whole and lines are cut:
 * the beginnings of the lines say more than four characters of everything.
 */
function fittingWidths(columns: readonly TextColumn[], room: number): number[] {
  const left = room - GAP.length * (columns.length - 1);
  const widest = columns.map((column) => column.widest);
  if (sum(widest) <= left) return widest;
  const order: ((kind: Kind) => boolean)[] = [
    (kind) => kind === "text",
    (kind) => kind !== "id",
    () => true,
  ];
  for (const givesWay of order) {
    const least = columns.map(({ kind, least, widest }) => givesWay(kind) ? least : widest);
    const widths = capped(widest, least, left);
    if (widths) return widths;
  }
  return widest;
}

/** Cuts the columns to one largest width, as far as each may be cut, if that is enough. */
function capped(
  widest: readonly number[],
  least: readonly number[],
  room: number,
): number[] | undefined {
  for (let cap = room; cap >= LEAST_WIDTH; cap--) {
    const widths = widest.map((one, i) => Math.min(one, Math.max(cap, least[i] ?? 0)));
    let spare = room - sum(widths);
    if (spare < 0) continue;
    return widths.map((one, i) => one < (widest[i] ?? 0) && spare-- > 0 ? one + 1 : one);
  }
  return undefined;
}

/** The width of the widest text. */
function widestOf(texts: readonly string[]): number {
  return texts.reduce((widest, text) => Math.max(widest, width(text)), 0);
}

/** The sum of numbers. */
function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}

/** A label that leaves less room than this has its value below it. */
const LEAST_BESIDE = 16;

/** The lines of a card: one per field, and more where the terminal is too narrow for a value. */
function cardLines<T>(
  value: T,
  fields: readonly Field<T>[],
  room: number,
  style: Style,
): string[] {
  const labels = fields.map((field) => visible(field.label));
  const fits = (label: string) => width(label) + GAP.length + LEAST_BESIDE <= room;
  const indent = widestOf(labels.filter(fits)) + GAP.length;
  return fields.flatMap((field, i) => {
    const label = labels[i] ?? "";
    const values = wrap(cellText(field.value(value), field.kind), room - indent);
    if (!fits(label)) {
      return [...wrap(label, room).map(style.dim), ...values.map((line) => padded(line, indent))];
    }
    const [first = "", ...rest] = values;
    const beside = style.dim(label) + padded(first, indent - width(label));
    return [beside, ...rest.map((line) => padded(line, indent))].map((line) => line.trimEnd());
  });
}

/** A line with space before it. */
function padded(line: string, indent: number): string {
  return " ".repeat(indent) + line;
}
