/**
 * Lists that are too long for memory: as a table with fixed column widths, or as one JSON document.
 *
 * @module
 */

import { cursorAfter, type Page } from "../../page.ts";
import { formatJson, listItems, membersOf } from "./json_text.ts";
import type { ListInput } from "../words/list_flags.ts";
import { counter } from "./listing.ts";
import type { Column, Output } from "./output.ts";

/** A list with its first pages read. */
interface LongList<T> {
  /** The first pages. */
  read: readonly Page<T>[];
  /** The pages after them. */
  rest: AsyncIterator<Page<T>> | undefined;
}

/** The format of a list. */
interface Ways<T> {
  /** The columns of its table. */
  columns: readonly Column<T>[];
  /** A page as the service sent it. */
  textOf(page: Page<T>): string;
  /** The cursor of an item. */
  idOf(item: T | undefined): string | undefined;
}

/** Writes pages one after the other. */
interface PageWriter<T> {
  /** Writes a page, at most `left` items of it. */
  page(page: Page<T>, left: number): void;
  /** Ends the document, with the cursor to continue at. */
  end(next: string | undefined): void;
}

/** Writes a long list, and returns the cursor to continue at. */
export async function writeLong<T>(
  out: Output,
  input: ListInput,
  { read, rest }: LongList<T>,
  ways: Ways<T>,
): Promise<string | undefined> {
  const writer = out.format === "json" ? jsonPages(out, ways) : tablePages(out, ways, read);
  const kept = read.reduce((sum, { items }) => sum + items.length, 0);
  const count = counter(input, out, kept);
  let left = input.limit ?? Infinity;
  let next: string | undefined;
  const write = (page: Page<T>) => {
    writer.page(page, left);
    const { length } = page.items;
    next = left < length ? ways.idOf(page.items[left - 1]) : cursorAfter(page);
    left -= length;
  };
  for (const page of read) write(page);
  for (;;) {
    const result = await rest?.next();
    if (!result || result.done || out.unread.aborted) break;
    count.add(result.value.items.length);
    write(result.value);
  }
  writer.end(next);
  count.end(read.length);
  return next;
}

/** Writes pages as one table, laid out by the first ones. */
function tablePages<T>(
  out: Output,
  { columns }: Ways<T>,
  read: readonly Page<T>[],
): PageWriter<T> {
  const first = read.flatMap(({ items }) => items);
  const more = out.table(first, columns);
  let known = read.length;
  return {
    page: ({ items }, left) => {
      if (known-- <= 0) more(items.slice(0, left));
    },
    end: () => {},
  };
}

/** Writes pages as one JSON document: fields of the first page, all items, fields of the last page. */
function jsonPages<T>(out: Output, { textOf }: Ways<T>): PageWriter<T> {
  const shaped = out.data?.item ?? ((text: string) => text);
  const written = new Set(["items", "next_page"]);
  let fields = new Map<string, string>();
  let items = 0;
  return {
    page: (page, left) => {
      const text = textOf(page);
      if (items === 0) out.raw(`{${head(text, written)}\n  "items": [`);
      fields = new Map([...fields, ...membersOf(text)]);
      for (const item of listItems(text).slice(0, left)) {
        out.raw(`${items++ > 0 ? "," : ""}\n    ${nested(shaped(item), 4)}`);
      }
    },
    end: (next) => {
      fields.set("next_page", next === undefined ? "null" : JSON.stringify(next));
      const tail = [...fields].filter(([key]) => key === "next_page" || !written.has(key));
      out.raw(`\n  ]${tail.map((member) => `,\n  ${line(member)}`).join("")}\n}\n`);
    },
  };
}

/** The fields of a page before its items, as lines. */
function head(text: string, written: Set<string>): string {
  const members = membersOf(text);
  const before = members.slice(0, members.findIndex(([key]) => key === "items"))
    .filter(([key]) => !written.has(key));
  for (const [key] of before) written.add(key);
  return before.map((member) => `\n  ${line(member)},`).join("");
}

/** A field of the document. */
function line([key, value]: [key: string, value: string]): string {
  return `${JSON.stringify(key)}: ${nested(value, 2)}`;
}

/** JSON indented by some columns. A line end is never inside of a value. */
function nested(text: string, columns: number): string {
  return formatJson(text).replaceAll("\n", `\n${" ".repeat(columns)}`);
}
