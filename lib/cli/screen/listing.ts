/**
 * Lists: the requested pages, shown as one table or one JSON document.
 *
 * @module
 */

import { rawJson } from "../../client.ts";
import { cursorAfter, LARGEST_PAGE, type Page, type PageQuery, pages } from "../../page.ts";
import type { Context } from "../context.ts";
import type { DataWriter } from "../data/writer.ts";
import { counted } from "./display.ts";
import { joinPages, listItems } from "./json_text.ts";
import type { Column, Output } from "./output.ts";
import type { ListInput } from "../words/list_flags.ts";
import { quoted } from "./command_lines.ts";

/** The options of a list. */
export interface ListOptions {
  /** Whether one page is shown unless the flags say otherwise. Default: all of them. */
  onePage?: boolean | undefined;
}

/** Shows a list: a table, one JSON envelope of all pages read, or rows in another shape. */
export async function showList<T>(
  context: Context,
  input: ListInput,
  list: (query: PageQuery) => Promise<Page<T>>,
  columns: readonly Column<T>[],
  options: ListOptions = {},
): Promise<void> {
  const { out } = context;
  const { limit } = input;
  const walk = readPages(context, input, list, options.onePage ?? false);
  if (out.data?.streams) return await writeRows(context, input, walk, out.data);
  const { read, rest } = await firstPages(walk, input, out);
  if (rest) return await writeLongList(context, input, { read, rest }, columns);
  const items = read.flatMap((page) => page.items);
  const shown = items.slice(0, limit);
  const last = read.at(-1);
  const next = shown.length < items.length ? idOf(shown.at(-1)) : last && cursorAfter(last);
  if (out.format === "json") {
    out.json(joinPages(read.map(textOf), limit, last && addressAfter(last, next)));
  } else out.table(shown, columns);
  noteNext(context, input, next);
}

/** Shows how to continue a list. */
function noteNext({ out }: Context, { limit }: ListInput, next: string | undefined): void {
  if (next === undefined) return;
  const why = limit === undefined
    ? "More items follow. Show them with --all, or"
    : "More items follow:";
  out.note(`${why} continue with --starting-after ${quoted(next)}`);
}

/** The number of items that are laid out together. A longer list is written page by page. */
const KEPT_ITEMS = 10_000;

/** Pages from the start of a walk. */
interface FirstPages<T> {
  /** The pages read. */
  read: Page<T>[];
  /** The walk, which continues after them. */
  rest: AsyncIterator<Page<T>> | undefined;
}

/** Reads pages until a limit. */
async function firstPages<T>(
  walk: AsyncGenerator<Page<T>>,
  input: ListInput,
  out: Output,
): Promise<FirstPages<T>> {
  const count = counter(input, out);
  const mayStream = out.format === "table" || out.data === undefined || out.data.item !== undefined;
  const read: Page<T>[] = [];
  for (let items = 0; items < KEPT_ITEMS || !mayStream;) {
    const { value, done } = await walk.next();
    if (done) {
      count.end(read.length);
      return { read, rest: undefined };
    }
    read.push(value);
    items += value.items.length;
    count.add(value.items.length);
  }
  return { read, rest: walk };
}

/** Writes the rows of a list page by page, so that its length does not matter. */
async function writeRows<T>(
  context: Context,
  input: ListInput,
  walk: AsyncIterable<Page<T>>,
  data: DataWriter,
): Promise<void> {
  const count = counter(input, context.out);
  let left = input.limit ?? Infinity;
  let next: string | undefined;
  let read = 0;
  for await (const page of walk) {
    if (context.out.unread.aborted) return;
    const texts = itemTexts(page);
    data.rows(left < texts.length ? texts.slice(0, left) : texts, page.url);
    next = left < texts.length ? idOf(page.items[left - 1]) : cursorAfter(page);
    left -= texts.length;
    count.add(texts.length);
    read++;
  }
  count.end(read);
  noteNext(context, input, next);
}

/** Writes a list that is too long for memory: the pages read so far, then page after page. */
async function writeLongList<T>(
  context: Context,
  input: ListInput,
  { read, rest }: FirstPages<T>,
  columns: readonly Column<T>[],
): Promise<void> {
  const { writeLong } = await import("./long_list.ts");
  const next = await writeLong(context.out, input, { read, rest }, { columns, textOf, idOf });
  noteNext(context, input, next);
}

/** Counts the items of a walk with `--all`, on standard error. */
export function counter({ all }: ListInput, out: Output, before = 0): Counter {
  let items = before;
  const shown = () => counted(items, "item").replace(/\d+/, (digits) => grouped(+digits));
  return {
    add: (more) => {
      items += more;
      if (all) out.live(`Read ${shown()}`);
    },
    end: (pages) => {
      out.live("");
      if (all && pages > 1) out.note(`Read ${shown()}`);
    },
  };
}

/** Counts items. */
interface Counter {
  /** Adds to the count. */
  add(items: number): void;
  /** Shows the count, if there was more than one page. */
  end(pages: number): void;
}

let groups: Intl.NumberFormat | undefined;

/** A number with a comma between thousands. Loading the formats takes longer than a short list. */
function grouped(number: number): string {
  return (groups ??= new Intl.NumberFormat("en")).format(number);
}

/** The items of a page as the service sent them. */
export function itemTexts(page: Page<unknown>): string[] {
  return listItems(textOf(page));
}

/** A page as the service sent it. */
function textOf(page: Page<unknown>): string {
  return rawJson(page) ?? JSON.stringify(page);
}

/** Reads the pages for the flags. */
async function* readPages<T>(
  context: Context,
  input: ListInput,
  list: (query: PageQuery) => Promise<Page<T>>,
  onePage: boolean,
): AsyncGenerator<Page<T>, void, undefined> {
  const { starting_after, limit, all } = input;
  const single = onePage && !all && limit === undefined;
  const first = list({
    ...!single && { limit: Math.min(limit ?? LARGEST_PAGE, LARGEST_PAGE) },
    ...starting_after !== undefined && { starting_after },
  });
  for await (const page of pages(await context.client(), first, { limit })) {
    yield page;
    if (single) return;
  }
}

/** The cursor of a list that was cut in the middle of a page, which a service may make too long. */
function addressAfter({ url }: Page<unknown>, cursor: string | undefined): string | null {
  if (cursor === undefined) return null;
  if (!url) return cursor;
  return `${url}${url.includes("?") ? "&" : "?"}starting_after=${encodeURIComponent(cursor)}`;
}

/** The value of `starting_after` to continue after an item, if the item shows it. */
function idOf(item: unknown): string | undefined {
  const fields: Record<string, unknown> = typeof item === "object" && item !== null
    ? { ...item }
    : {};
  const id = fields["id"] ?? fields["code"] ?? fields["name"];
  return typeof id === "string" ? id : "product" in fields ? idOf(fields["product"]) : undefined;
}
