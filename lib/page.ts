/**
 * Lists and their pages. Only this file handles cursors.
 *
 * @module
 */

import type { Client } from "./client.ts";
import { NetworkError } from "./errors.ts";

/** One page of a list, as the service sends it. */
export interface Page<T> {
  /** Always `list`. */
  object: "list";
  /** The items of this page, at most 100. */
  items: T[];
  /** The address of the next page (a path or a URL), or null on the last page. */
  next_page: string | null;
  /** The list's own address, without paging parameters. */
  url: string;
}

/** The query of a paged list. */
export interface PageQuery {
  /** Items per page, 1 to 100. The service's default is 20. */
  limit?: number;
  /** Start after the item with this id. */
  starting_after?: string;
}

/** The options of a walk through a list. */
export interface WalkOptions {
  /** Stop after this many items. Without it the walk goes to the end. */
  limit?: number | undefined;
}

/** The largest page the service sends, in items. */
export const LARGEST_PAGE = 100;

/**
 * Goes through all items of a list, page by page. The first three pages are requested when they are
 * needed. A walk that goes on is a long one: each further page is requested one page early, while the
 * caller handles the items before it. When the caller stops, that request is aborted. Its failure is
 * thrown where its page begins.
 *
 * @example
 * ```ts ignore
 * for await (const offering of each(client, listOfferings(client))) console.log(offering.lookup_key);
 * ```
 *
 * @throws {NetworkError} when the service repeats a page, which would never end.
 */
export async function* each<T>(
  client: Client,
  first: Page<T> | Promise<Page<T>>,
  options: WalkOptions = {},
): AsyncGenerator<T, void, undefined> {
  let left = options.limit ?? Infinity;
  for await (const page of pages(client, first, options)) {
    for (const item of page.items.slice(0, left)) yield item;
    left -= page.items.length;
  }
}

/**
 * Goes through the pages of a list, including the first. The last request asks for no more items
 * than `limit` leaves. Otherwise like {@linkcode each}.
 */
export async function* pages<T>(
  client: Client,
  first: Page<T> | Promise<Page<T>>,
  options: WalkOptions = {},
): AsyncGenerator<Page<T>, void, undefined> {
  const isRepeated = repetitions();
  let left = options.limit ?? Infinity;
  let early: EarlyPage<T> | undefined;
  try {
    for (let page = await first, read = 1;; read++) {
      left -= itemsOf(page).length;
      const next = left > 0 && page.next_page || null;
      const isAgain = next !== null && isRepeated(next);
      const address = next === null || isAgain ? undefined : addressAfter(page.url, next, left);
      if (address !== undefined && read >= LONG_WALK) early = requestEarly(client, address);
      yield page;
      if (isAgain) {
        throw new NetworkError(`Cannot read the whole list: the service repeats the page ${next}`);
      }
      if (address === undefined) return;
      page = await (early?.page ?? client.follow<Page<T>>(address));
      early = undefined;
    }
  } finally {
    await early?.stop();
  }
}

/** After so many pages a walk is a long one. */
const LONG_WALK = 3;

/** A page that is requested before the caller needs it. */
interface EarlyPage<T> {
  /** The page. */
  page: Promise<Page<T>>;
  /** Aborts its request, and waits for the end of it. */
  stop(): Promise<void>;
}

/** Requests a page that the caller may never need. */
function requestEarly<T>(client: Client, address: string): EarlyPage<T> {
  const abort = new AbortController();
  const page = client.follow<Page<T>>(address, { signal: abort.signal });
  // The caller learns of a failure when it comes to this page.
  const end = page.then(() => {}, () => {});
  return {
    page,
    stop: () => {
      abort.abort();
      return end;
    },
  };
}

/** The most pages that are remembered. */
const REMEMBERED_PAGES = 1000;

/**
 * Tells whether a page has come before. A walk may take any number of pages, so it remembers the last
 * ones, and one further back: it is replaced after twice as many pages each time, so that a longer
 * circle meets it in its second or third round.
 */
function repetitions(): (next: string) => boolean {
  const recent = new Set<string>();
  let mark: string | undefined;
  let pages = 0;
  let replaceAt = REMEMBERED_PAGES;
  return (next) => {
    if (recent.has(next) || next === mark) return true;
    if (++pages === replaceAt) {
      mark = next;
      replaceAt *= 2;
    }
    recent.add(next);
    if (recent.size > REMEMBERED_PAGES) recent.delete(recent.values().next().value ?? "");
    return false;
  };
}

/** The value of `starting_after` for the next page, or undefined after the last page. */
export function cursorAfter({ next_page }: Page<unknown>): string | undefined {
  if (!next_page) return undefined;
  if (!isAddress(next_page)) return next_page;
  return URL.parse(next_page, "http://service")?.searchParams.get("starting_after") ?? undefined;
}

/**
 * The items of a page.
 *
 * @throws {NetworkError} when the answer has none: it may come from another server.
 */
export function itemsOf<T>(page: Page<T>): T[] {
  if (isPage(page)) return page.items;
  throw new NetworkError("Cannot read the list: the service's answer has no items", {
    hint: "Check that CLI_BASE_URL is the service's address.",
  });
}

/** The items of a list inside another object. A service may omit that list. */
export function nestedItems<T>(list: Pick<Page<T>, "items"> | null | undefined): T[] {
  return list?.items ?? [];
}

/** Whether an answer is a page of a list. */
function isPage(answer: unknown): boolean {
  return typeof answer === "object" && answer !== null && "items" in answer &&
    Array.isArray(answer.items);
}

/** Whether `next_page` is a path or a URL, and not a bare id. */
function isAddress(next: string): boolean {
  return /^(\/|https?:\/\/)/i.test(next);
}

/** The address of the next page: `next` may be a path, a URL or, leniently, a bare id. */
function addressAfter(listUrl: string, next: string, left: number): string {
  const address = isAddress(next) || !listUrl
    ? next
    : `${listUrl}${listUrl.includes("?") ? "&" : "?"}starting_after=${encodeURIComponent(next)}`;
  return left < LARGEST_PAGE ? withLimit(address, left) : address;
}

/** The address with a `limit` of at most `left`. Everything else stays as the service wrote it. */
function withLimit(address: string, left: number): string {
  const asked = /([?&]limit=)(\d+)/.exec(address);
  if (!asked) return `${address}${address.includes("?") ? "&" : "?"}limit=${left}`;
  const [whole, name, size] = asked;
  return address.replace(whole, () => `${name}${Math.min(left, Number(size))}`);
}
