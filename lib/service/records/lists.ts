/**
 * Lists: one page at a time, continued after the last item's id, in an order that inserts and
 * deletes do not change.
 *
 * @module
 */

import { type RawBuilder, sql } from "kysely";
import type { Page } from "../../page.ts";
import { invalid } from "../contract/errors.ts";
import type { AccountCall, Call } from "../contract/route.ts";
import { LARGEST_PAGE } from "../contract/schemas.ts";
import { findSeq, type Listed, type ListedTable, listRows } from "../store/mod.ts";
import type { Row } from "../store/tables.ts";

/** The query of a list, as `pageQuery` makes it. */
interface ListQuery {
  /** Items per page, 1 to 100. */
  limit: number;
  /** The id of the item to start after. */
  starting_after?: string | undefined;
}

/** The source of a list. `Position` is the order of its rows. */
export interface Listing<Row, Position, Item> {
  /** The position of the item with this id, also of a deleted one; undefined for an unknown id. */
  positionOf(id: string): Promise<Position | undefined>;
  /** Up to `count` rows after a position, in order. */
  rowsAfter(position: Position | undefined, count: number): Promise<Row[]>;
  /** The id for continuing the list after a row. */
  idOf(row: Row): string;
  /** A row in the API. */
  show(row: Row): Item | Promise<Item>;
}

/** One page of a list, for the caller's `limit` and `starting_after`. */
export async function listPage<Row, Position, Item>(
  call: Pick<AccountCall<string, ListQuery>, "query" | "url">,
  listing: Listing<Row, Position, Item>,
): Promise<Page<Item>> {
  const { limit, starting_after } = call.query;
  const position = starting_after === undefined
    ? undefined
    : await listing.positionOf(starting_after);
  if (starting_after !== undefined && position === undefined) {
    const value = JSON.stringify(starting_after);
    throw invalid("starting_after", `This list has no item ${value}`);
  }
  return await pageAfter(listing, position, limit, call.url);
}

/** The first page of a list inside another object, with the address of the whole list. */
export function nestedPage<Row, Position, Item>(
  listing: Listing<Row, Position, Item>,
  path: string,
): Promise<Page<Item>> {
  return pageAfter(listing, undefined, LARGEST_PAGE, new URL(path, "http://service"));
}

/** A list with a single page. */
export function wholeList<Item>(url: URL, items: Item[]): Page<Item> {
  return { object: "list", items, next_page: null, url: withoutPaging(url) };
}

/** The options for listing a table. */
interface TableListing<T extends ListedTable, C extends keyof Row<T>, Item> {
  /** The kind of its objects, for the positions of deleted ones. */
  object: string;
  /** Narrows the rows. */
  where?: RawBuilder<unknown> | undefined;
  /**
   * Whether few rows match: they are found with an index of the condition, then sorted. Default:
   * rows are read in their order, and those that do not match are skipped.
   */
  isNarrow?: boolean;
  /** Newest first. */
  newestFirst?: boolean;
  /** The columns that `show` reads, besides the id. Default: all. */
  columns?: readonly C[];
  /** A row in the API. */
  show(row: Pick<Listed<T>, C | "id">): Item | Promise<Item>;
}

/** Lists the rows of a table in one project. */
export function tableListing<
  T extends ListedTable,
  Item,
  C extends keyof Row<T> & string = keyof Row<T> & string,
>(
  call: Pick<Call, "tx" | "project">,
  table: T,
  options: TableListing<T, C, Item>,
): Listing<Pick<Listed<T>, C | "id">, number, Item> {
  const { tx } = call;
  const { object, where, newestFirst = false, columns } = options;
  return {
    async positionOf(id) {
      return await findSeq(tx, table, id) ?? (await tombstoneOf(call, object, id))?.seq;
    },
    async rowsAfter(seq, count) {
      if (!where) return await listRows(tx, table, { after: seq, newestFirst, count, columns });
      // SQLite has no index for an expression.
      const place = options.isNarrow ? sql`+seq` : sql`seq`;
      const order = newestFirst ? sql`desc` : sql`asc`;
      const after = seq === undefined
        ? sql`1 = 1`
        : newestFirst
        ? sql`${place} < ${seq}`
        : sql`${place} > ${seq}`;
      const { rows } = await sql<Listed<T>>`
        select * from ${tx.rows(table)} as rows where ${after} and ${where}
        order by ${place} ${order} limit ${count}`.execute(tx);
      return rows;
    },
    idOf: ({ id }) => id,
    show: options.show,
  };
}

/** The position of a deleted object in its list. */
export async function tombstoneOf(
  { tx }: Pick<Call, "tx" | "project">,
  object: string,
  id: string,
): Promise<Row<"tombstones"> | undefined> {
  return await tx.selectFrom("tombstones").selectAll()
    .where("object", "=", object).where("id", "=", id).executeTakeFirst();
}

/** Reads one row more than the page has, to find out whether there is another page. */
async function pageAfter<Row, Position, Item>(
  listing: Listing<Row, Position, Item>,
  position: Position | undefined,
  limit: number,
  url: URL,
): Promise<Page<Item>> {
  const rows = await listing.rowsAfter(position, limit + 1);
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  const items: Item[] = [];
  for (const row of shown) {
    const item = listing.show(row);
    // Awaiting an available value takes longer than showing it.
    items.push(item instanceof Promise ? await item : item);
  }
  const more = rows.length > limit && last !== undefined;
  return {
    object: "list",
    items,
    next_page: more ? addressAfter(url, listing.idOf(last)) : null,
    url: withoutPaging(url),
  };
}

/** A query with nothing but a limit and an id that needs no encoding, as in most lists. */
const PLAIN_QUERY = /^(\?limit=\d+)?(?:[?&]starting_after=[\w.*-]+)?$/;

/** Ids that are the same in a query. */
const PLAIN_ID = /^[\w.*-]+$/;

/** The address of the page after an item, with the other parameters. */
function addressAfter(url: URL, id: string): string {
  const { pathname, search } = url;
  // The links of most lists need no parser.
  const plain = PLAIN_ID.test(id) ? PLAIN_QUERY.exec(search) : null;
  if (plain) {
    const [, limit = ""] = plain;
    return `${pathname}${limit}${limit === "" ? "?" : "&"}starting_after=${id}`;
  }
  const next = new URL(url);
  next.searchParams.set("starting_after", id);
  return withoutOrigin(next);
}

/** The address of the list itself. */
function withoutPaging(url: URL): string {
  if (PLAIN_QUERY.test(url.search)) return url.pathname;
  const plain = new URL(url);
  plain.searchParams.delete("starting_after");
  plain.searchParams.delete("limit");
  return withoutOrigin(plain);
}

/** Path and query. */
function withoutOrigin({ pathname, search }: URL): string {
  // Only form parsers read a plus as a space.
  return pathname + search.replaceAll("+", "%20");
}
