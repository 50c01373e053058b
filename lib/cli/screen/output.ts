/**
 * The only writer to standard output: tables, cards, JSON and plain lines. Everything except data
 * goes to standard error.
 *
 * @module
 */

import type { DataWriter } from "../data/writer.ts";
import { fit, visible, width, wrap, wrapWords } from "./display.ts";
import { formatJson } from "./json_text.ts";
import { type Cell, cellText, type Column, GAP, type Kind, layOut, widestOf } from "./table.ts";

export type { Cell, Column, Kind } from "./table.ts";

/** The output of a command: tables and cards for people, or JSON in the requested shape. */
export type Format = "table" | "json";

/** The destination of output, and its abilities. */
export interface Terminal {
  /** Writes to standard output. It ends silently when the reader has ended. */
  writeOut(text: string): void;
  /** Fires when the reader of standard output has ended. */
  readonly unread?: AbortSignal | undefined;
  /** Writes to standard error. It ends silently when the reader has ended. */
  writeErr(text: string): void;
  /**
   * Shows a text below all others on standard error, replacing the previous one, until something
   * else is written. An empty text removes it. Only for terminals, not for pipes.
   */
  live?(text: string): void;
  /** Columns of the terminal that shows standard output. Undefined when it is not a terminal. */
  readonly outColumns: number | undefined;
  /** Rows of the terminal that shows standard output, at this moment. */
  outRows?(): number | undefined;
  /** Columns of the terminal that shows standard error. Undefined when it is not a terminal. */
  readonly errColumns?: number | undefined;
  /** Columns of a picture that does not go to a terminal: `COLUMNS`, if it is set. */
  readonly pictureColumns?: number | undefined;
  /** Whether standard output shows colours. */
  readonly outColor: boolean;
  /** Whether standard error shows colours. */
  readonly errColor: boolean;
}

/** The destination of a picture. */
export interface Canvas {
  /** Columns of the terminal. */
  readonly columns: number;
  /** Whether it shows colours. */
  readonly color: boolean;
}

/** Columns of an unknown terminal. */
const USUAL_COLUMNS = 80;

/** One line of a card. */
export interface Field<T> {
  /** The line's label. */
  label: string;
  /** Takes the line's value from the object. */
  value(item: T): Cell;
  /** The kind of value. Default: `text`. */
  kind?: Kind | undefined;
}

/** The options of a table. */
interface TableOptions {
  /** Noted on standard error when there are no rows. Default: `Nothing to show.` */
  empty?: string | undefined;
  /** A line above the header. It is shown with or without rows, and `empty` then goes below it. */
  title?: string | undefined;
}

/** The options of a card. */
interface CardOptions {
  /** A line above the fields. */
  title?: string | undefined;
}

/** Writes a command's output. Tables and cards are only for the format `table`. */
export interface Output {
  /** The format of a command's data. */
  readonly format: Format;
  /** Whether standard output goes to a terminal. */
  readonly isTerminal: boolean;
  /** The columns of standard output's terminal; `Infinity` without one. */
  readonly columns: number;
  /** Fires when the reader of standard output has ended. Endless output must end then. */
  readonly unread: AbortSignal;
  /**
   * Writes JSON text to standard output, indented, with unchanged values. `rows` is the name of the
   * array with the rows of a table, if the text is no list; `address` is that of a list with such
   * rows, if the text has none.
   */
  json(text: string, rows?: string, address?: string): void;
  /** Writes a JSON object on one line, for a command with continuous output. */
  line(text: string): void;
  /** Writes data in the format of the flags, if it is neither a plain table nor plain JSON. */
  readonly data: DataWriter | undefined;
  /** Writes text to standard output unchanged, without a line end. */
  raw(text: string): void;
  /** Shows a text on a terminal until something else is written. An empty one removes it. */
  live(text: string): void;
  /**
   * Writes one line per row to standard output, none wider than the terminal. Returns a function
   * that writes later rows with the same widths.
   */
  table<T>(
    rows: readonly T[],
    columns: readonly Column<T>[],
    options?: TableOptions,
  ): (later: readonly T[]) => void;
  /** Writes one object to standard output, nothing cut. */
  card<T>(value: T, fields: readonly Field<T>[], options?: CardOptions): void;
  /**
   * Writes lines to standard output that are drawn for the terminal they go to, if they go to one.
   * With `always` they are drawn otherwise too, for `COLUMNS` or 80 columns.
   */
  picture(draw: (canvas: Canvas) => readonly string[], options?: { always?: boolean }): void;
  /** Writes a line to standard output as it is. */
  text(text: string): void;
  /** Writes a line for programs to standard error as it is. */
  log(text: string): void;
  /** Writes a note to standard error. */
  note(text: string): void;
  /** Writes a warning to standard error. */
  warn(text: string): void;
  /** Writes a result to standard error. */
  done(text: string): void;
  /** Writes an error and its hint to standard error. */
  error(text: string, hint: string | undefined): void;
}

/**
 * Makes the output of one command. Every call is one write, so an early end of the reader (`|
 * head`) is noticed once.
 */
export function createOutput(terminal: Terminal, asked: Format, data?: DataWriter): Output {
  const format = data ? "json" : asked;
  const out = terminal.outColor ? COLORS : PLAIN;
  const err = terminal.errColor ? COLORS : PLAIN;
  // A pipe is as wide as it gets, and so is a terminal that says that it has 0 columns.
  const room = terminal.outColumns || Infinity;
  let blocks = 0;
  const said = saying(terminal);
  const note = (text: string) => terminal.writeErr(said(text, err.dim));
  const block = (lines: readonly string[]) => {
    terminal.writeOut(`${blocks++ > 0 ? "\n" : ""}${lines.join("\n")}\n`);
  };
  return {
    format,
    isTerminal: terminal.outColumns !== undefined,
    columns: room,
    unread: terminal.unread ?? new AbortController().signal,
    json: (text, rows, address) =>
      data ? data.document(text, rows, address) : terminal.writeOut(`${formatJson(text)}\n`),
    line: (text) => data ? data.document(text) : terminal.writeOut(`${text}\n`),
    data,
    raw: (text) => terminal.writeOut(text),
    live: (text) => terminal.live?.(text),
    table: (rows, columns, options = {}) => {
      refuseJson(format);
      const { title, empty = "Nothing to show." } = options;
      const head = titleLines(title, room, out);
      if (rows.length === 0) {
        if (title === undefined) note(empty);
        else block([...head, ...wrap(visible(empty), room).map(out.dim)]);
        return () => {};
      }
      const { header, lines, dropped, more } = layOut(rows, columns, room);
      block([...head, out.bold(header), ...lines]);
      if (dropped.length > 0) note(`Columns that do not fit: ${dropped.join(", ")}`);
      return (later) => terminal.writeOut(more(later).map((line) => `${line}\n`).join(""));
    },
    card: (value, fields, options = {}) => {
      refuseJson(format);
      const title = titleLines(options.title, room, out);
      block([...title, ...cardLines(value, fields, room, out)]);
    },
    picture: (draw, { always = false } = {}) => {
      refuseJson(format);
      const columns = terminal.outColumns ||
        (always ? terminal.pictureColumns ?? USUAL_COLUMNS : 0);
      const lines = columns > 0 ? draw({ columns, color: terminal.outColor }) : [];
      if (lines.length > 0) block(lines);
    },
    text: (text) => terminal.writeOut(`${text}\n`),
    log: (text) => terminal.writeErr(`${text}\n`),
    note,
    warn: (text) => terminal.writeErr(said(`Warning: ${text}`).replace(/^Warning:/, err.yellow)),
    done: (text) => terminal.writeErr(err.tick + said(text, asItIs, TICK_COLUMNS)),
    error: (text, hint) => {
      terminal.writeErr(said(text, err.red) + (hint ? said(hint, err.dim) : ""));
    },
  };
}

/** Makes lines for standard error out of a text, no wider than its terminal. */
function saying(
  { errColumns }: Terminal,
): (text: string, style?: Restyle, indent?: number) => string {
  return (text, style = asItIs, indent = 0) =>
    wrapWords(visible(text), (errColumns || Infinity) - indent)
      .map((line) => `${style(line)}\n`).join("");
}

/** Makes a text stand out. */
type Restyle = (text: string) => string;

/** The lines of a title, if there is one. */
function titleLines(title: string | undefined, room: number, style: Style): string[] {
  return title === undefined ? [] : wrap(visible(title), room).map(style.bold);
}

/** Refuses to write a table when JSON was requested. */
function refuseJson(format: Format): void {
  if (format === "json") throw new TypeError("Cannot write a table or card: JSON was asked for");
}

/** The styles of a stream. */
interface Style {
  /** For headers and titles. */
  bold(text: string): string;
  /** For details. */
  dim(text: string): string;
  /** For warnings. */
  yellow(text: string): string;
  /** For errors. */
  red(text: string): string;
  /** The mark before a result. */
  readonly tick: string;
}

/** The columns that a tick takes. */
const TICK_COLUMNS = 2;

function asItIs(text: string): string {
  return text;
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

/** A label that leaves less room than this has its value on the next line. */
const LEAST_BESIDE = 16;

/** The lines of a card: one per field, and more if the terminal is too narrow for a value. */
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
    const values = indented(cellText(field.value(value), field.kind), indent, room);
    if (!fits(label)) return [...wrap(label, room).map(style.dim), ...values];
    const [first = "", ...rest] = values;
    return [style.dim(label) + first.slice(width(label)), ...rest].map((line) => line.trimEnd());
  });
}

/**
 * The text in lines with space before them, none wider than `room`. A mark at the start of a line
 * joins that space and may widen it: such a text is broken earlier.
 */
function indented(text: string, indent: number, room: number): string[] {
  const space = " ".repeat(indent);
  for (let columns = room - indent; columns > 0; columns--) {
    const lines = wrap(text, columns).map((line) => (space + line).trimEnd());
    if (lines.every((line) => width(line) <= room)) return lines;
  }
  return wrap(text, 1).map((line) => fit(space + line, room));
}
