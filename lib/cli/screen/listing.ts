/**
 * Lists: as many pages as the flags ask for, shown as one table or one JSON document.
 *
 * @module
 */

import { rawJson } from "../../client.ts";
import { cursorAfter, LARGEST_PAGE, type Page, type PageQuery, pages } from "../../page.ts";
import type { Context } from "../context.ts";
import { parseCount } from "../input/input.ts";
import { joinPages, listItems } from "./json_text.ts";
import type { Column } from "./output.ts";
import { type Flag, parsed, text, toggle } from "../words/parameters.ts";
import { quoted } from "../words/shell.ts";

/** The flags of a command that shows a whole list. */
export const listFlags = {
  limit: parsed("Show at most this many", (value) => parseCount(value, "--limit", { min: 1 }), {
    placeholder: "n",
  }),
  starting_after: text("Start after the item with this id", { placeholder: "id" }),
  all: toggle("Show all there are (the default)"),
};

/** The flags of a command that shows one page of a list. */
export const pageFlags = {
  ...listFlags,
  all: toggle("Show all there are (default: one page)"),
};

/** What the flags of a list say. */
export interface ListInput {
  /** `--limit`: how many items to show at most. */
  limit?: ValueOf<typeof listFlags.limit>;
  /** `--starting-after`: the id to go on after. */
  starting_after?: ValueOf<typeof listFlags.starting_after>;
  /** `--all`: whether to show all pages of a list that shows one. */
  all?: ValueOf<typeof listFlags.all>;
}

type ValueOf<F> = F extends Flag<infer T> ? T : never;

/** How a list differs from others. */
export interface ListOptions {
  /** Whether one page is shown unless the flags say otherwise. Default: all of them. */
  onePage?: boolean | undefined;
}

/** Shows a list: a table, or one JSON envelope of all pages read. */
export async function showList<T>(
  context: Context,
  input: ListInput,
  list: (query: PageQuery) => Promise<Page<T>>,
  columns: readonly Column<T>[],
  options: ListOptions = {},
): Promise<void> {
  const { out } = context;
  const { limit } = input;
  const read = await readPages(context, input, list, options.onePage ?? false);
  const items = read.flatMap((page) => page.items);
  const shown = items.slice(0, limit);
  const last = read.at(-1);
  const next = shown.length < items.length ? idOf(shown.at(-1)) : last && cursorAfter(last);
  if (out.format === "json") {
    out.json(joinPages(read.map(textOf), limit, last && addressAfter(last, next)));
  } else out.table(shown, columns);
  if (next === undefined) return;
  const why = limit === undefined ? "More follow: show them with --all, or" : "More follow:";
  out.note(`${why} go on with --starting-after ${quoted(next)}`);
}

/** The items of a page as the service sent them. */
export function itemTexts(page: Page<unknown>): string[] {
  return listItems(textOf(page));
}

/** A page as the service sent it. */
function textOf(page: Page<unknown>): string {
  return rawJson(page) ?? JSON.stringify(page);
}

/** Reads the pages that the flags ask for. */
async function readPages<T>(
  context: Context,
  input: ListInput,
  list: (query: PageQuery) => Promise<Page<T>>,
  onePage: boolean,
): Promise<Page<T>[]> {
  const { starting_after, limit, all } = input;
  const single = onePage && !all && limit === undefined;
  const first = list({
    ...!single && { limit: Math.min(limit ?? LARGEST_PAGE, LARGEST_PAGE) },
    ...starting_after !== undefined && { starting_after },
  });
  const read: Page<T>[] = [];
  for await (const page of pages(await context.client(), first, { limit })) {
    read.push(page);
    if (single) break;
  }
  return read;
}

/** Where a list goes on that was cut in the middle of a page, which a service may make too long. */
function addressAfter({ url }: Page<unknown>, cursor: string | undefined): string | null {
  if (cursor === undefined) return null;
  if (!url) return cursor;
  return `${url}${url.includes("?") ? "&" : "?"}starting_after=${encodeURIComponent(cursor)}`;
}

/** What `starting_after` takes to go on after an item, as far as the item tells. */
function idOf(item: unknown): string | undefined {
  const fields: Record<string, unknown> = typeof item === "object" && item !== null
    ? { ...item }
    : {};
  const id = fields["id"] ?? fields["code"] ?? fields["name"];
  return typeof id === "string" ? id : "product" in fields ? idOf(fields["product"]) : undefined;
}
