import { deepEqual, equal, ok, rejects } from "node:assert/strict";
import type { Client } from "../lib/client.ts";
import { ApiError, Cancelled, NetworkError } from "../lib/errors.ts";
import { cursorAfter, each, type Page, pages, type WalkOptions } from "../lib/page.ts";
import { path } from "../lib/path.ts";
import { listOfferings } from "../lib/resources/offerings.ts";
import { openDesk } from "./support/harness.ts";
import { answer, type Move, NOWHERE, openWire, refused, type Wire } from "./support/wire.ts";

/** An item of a list. */
interface Item {
  /** Its id. */
  id: string;
}

const LIST = "/v2/projects/proj1/things";

/** A page with these ids. */
function page(ids: string[], next_page: unknown, url = LIST): Response {
  return answer(200, { object: "list", items: ids.map((id) => ({ id })), next_page, url });
}

/** Walks through the list and returns the ids. */
async function walk({ client }: Wire, options: WalkOptions = {}): Promise<string[]> {
  const ids: string[] = [];
  const first = client.get<Page<Item>>(path`/things`);
  for await (const { id } of each(client, first, options)) ids.push(id);
  return ids;
}

/** The addresses asked for, without the origin. */
function asked({ posted }: Wire): string[] {
  return posted.map(({ url }) => url.slice(NOWHERE.length));
}

Deno.test("the next page is found by URL, by path or by bare id", async () => {
  const cursor = "$a b/%?&#é";
  const after = `${LIST}?starting_after=${encodeURIComponent(cursor)}`;
  for (const next of [after, NOWHERE + after, cursor]) {
    const wire = openWire([page(["1", "2"], next), page(["3"], null)]);
    deepEqual(await walk(wire), ["1", "2", "3"], next);
    deepEqual(asked(wire), [LIST, after], next);
    equal(new URL(wire.posted[1]?.url ?? "").searchParams.get("starting_after"), cursor);
  }
});

Deno.test("the other parameters of the next page stay as the service wrote them", async () => {
  const next = `${LIST}?expand=items.product&limit=2&starting_after=a+b%20c%2B`;
  const wire = openWire([page(["1", "2"], next), page(["3"], null)]);
  await walk(wire);
  deepEqual(asked(wire), [LIST, next]);
  const bare = openWire([page(["1"], "1", `${LIST}?expand=x`), page(["2"], null)]);
  await walk(bare);
  deepEqual(asked(bare), [LIST, `${LIST}?expand=x&starting_after=1`]);
});

Deno.test("a list ends at every form of a missing next page", async () => {
  for (const end of [null, undefined, ""]) {
    const wire = openWire([page(["1"], end), page(["2"], null)]);
    deepEqual(await walk(wire), ["1"]);
  }
  deepEqual(await walk(openWire([page([], null)])), []);
});

Deno.test("an empty page does not end a walk", async () => {
  const wire = openWire([page([], `${LIST}?starting_after=a`), page(["1"], null)]);
  deepEqual(await walk(wire), ["1"]);
});

Deno.test("a page at another origin is refused before it receives the credential", async () => {
  const foreign = [
    "https://evil.example/v2/things",
    "//evil.example/v2",
    "http://service.example/",
  ];
  for (const next of foreign) {
    const wire = openWire([page(["1"], next), page(["2"], null)]);
    await rejects(
      walk(wire),
      (error) => error instanceof NetworkError && /leaves/.test(error.message),
    );
    deepEqual(asked(wire), [LIST], next);
  }
});

Deno.test("a repeated page is an error, not an endless walk", async () => {
  const again = `${LIST}?starting_after=1`;
  const once = openWire([page(["1"], again), page(["1"], again)]);
  await rejects(walk(once), /^NetworkError: Cannot read the whole list: .*repeats the page/);
  equal(once.posted.length, 2);
  const circle = openWire([page(["1"], "a"), page(["2"], "b"), page(["3"], "a")]);
  await rejects(walk(circle), NetworkError);
  equal(circle.posted.length, 3);
});

Deno.test("a cycle of many pages ends too, although a walk stores only some", async () => {
  for (const length of [1, 999, 1001, 2500, 7000]) {
    let pagesRead = 0;
    const follow = () => {
      pagesRead++;
      return Promise.resolve({
        items: [1],
        next_page: `/list?starting_after=${pagesRead % length}`,
      });
    };
    const client = { follow } as unknown as Client;
    const first = { object: "list", items: [1], next_page: "/list?starting_after=0", url: "/list" };
    await rejects(
      async () => {
        for await (const _ of pages(client, first as Page<number>)) {
          ok(pagesRead <= 4 * length + 2000);
        }
      },
      /repeats the page/,
    );
  }
});

Deno.test("an answer without a list is an error that names the place", async () => {
  for (const body of [{}, [], { items: null }, { items: {} }, "x"]) {
    await rejects(walk(openWire([answer(200, body)])), (error) => {
      ok(error instanceof NetworkError, String(error));
      ok(error.hint?.includes("CLI_BASE_URL"));
      return true;
    });
  }
  const wire = openWire([page(["1"], "1"), answer(200, { object: "offering" })]);
  await rejects(walk(wire), NetworkError);
});

Deno.test("a limit returns that many items and requests no more than needed", async () => {
  const moves: Move[] = [
    page(["1", "2"], `${LIST}?limit=2&starting_after=2`),
    page(["3", "4"], `${LIST}?starting_after=4&limit=2`),
    page(["5", "6"], null),
  ];
  const expected: [limit: number, ids: string, addresses: string[]][] = [
    [1, "1", [LIST]],
    [2, "12", [LIST]],
    [3, "123", [LIST, `${LIST}?limit=1&starting_after=2`]],
    [4, "1234", [LIST, `${LIST}?limit=2&starting_after=2`]],
    [5, "12345", [
      LIST,
      `${LIST}?limit=2&starting_after=2`,
      `${LIST}?starting_after=4&limit=1`,
    ]],
    [99, "123456", [
      LIST,
      `${LIST}?limit=2&starting_after=2`,
      `${LIST}?starting_after=4&limit=2`,
    ]],
  ];
  for (const [limit, ids, addresses] of expected) {
    const wire = openWire(moves);
    equal((await walk(wire, { limit })).join(""), ids, String(limit));
    deepEqual(asked(wire), addresses, String(limit));
  }
  const plain = openWire([page(["1"], `${LIST}?starting_after=a?b`), page(["2"], null)]);
  await walk(plain, { limit: 8 });
  deepEqual(asked(plain), [LIST, `${LIST}?starting_after=a?b&limit=7`]);
});

Deno.test("a walk that stops early requests no further page", async () => {
  const { client, posted } = openWire([page(["1", "2"], "2"), page(["3"], null)]);
  for await (const { id } of each(client, client.get<Page<Item>>(path`/things`))) {
    if (id === "2") break;
  }
  equal(posted.length, 1);
});

/** A list of so many pages, with two items on each. */
function longList(length: number): Response[] {
  return Array.from({ length }, (_, i) => {
    const isLast = i === length - 1;
    return page([`${i + 1}a`, `${i + 1}b`], isLast ? null : `${i + 1}b`);
  });
}

/** Lets requests that are under way be sent. */
function soon(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 5));
}

Deno.test("a long walk requests each page while the one before it is handled", async () => {
  const wire = openWire(longList(6));
  const sent: number[] = [];
  for await (const _ of pages(wire.client, wire.client.get<Page<Item>>(path`/things`))) {
    await soon();
    sent.push(wire.posted.length);
  }
  deepEqual(sent, [1, 2, 4, 5, 6, 6]);
});

Deno.test("a long walk with a limit requests no page beyond it", async () => {
  for (const limit of [6, 7, 8, 9, 10]) {
    const wire = openWire(longList(9));
    let count = 0;
    for await (
      const _ of each(wire.client, wire.client.get<Page<Item>>(path`/things`), { limit })
    ) {
      count++;
      await soon();
    }
    equal(count, limit);
    equal(wire.posted.length, Math.ceil(limit / 2), `limit ${limit}`);
  }
});

/** Gives no answer until the request is aborted. Notes its signal. */
function silent(signals: AbortSignal[] = []): Move {
  return ({ signal }) =>
    new Promise<Response>((_, reject) => {
      signals.push(signal);
      signal.addEventListener("abort", () => reject(signal.reason));
    });
}

Deno.test("a long walk that stops early aborts its one request and waits for the end of it", async () => {
  const ends: ((walk: AsyncGenerator<Item>) => Promise<unknown>)[] = [
    (walk) => walk.return(undefined),
    (walk) => walk.throw(new Error("enough")).catch(() => {}),
  ];
  for (const end of ends) {
    const signals: AbortSignal[] = [];
    const wire = openWire([...longList(9).slice(0, 3), silent(signals)]);
    const walk = each(wire.client, wire.client.get<Page<Item>>(path`/things`));
    for (let i = 0; i < 5; i++) await walk.next();
    await soon();
    deepEqual(signals.map(({ aborted }) => aborted), [false]);
    await end(walk);
    deepEqual(signals.map(({ aborted }) => aborted), [true]);
    deepEqual(await walk.next(), { done: true, value: undefined });
    await soon();
    equal(wire.posted.length, 4);
  }
});

Deno.test("the failure of an early request is thrown where its page begins", async () => {
  const wire = openWire([...longList(9).slice(0, 3), refused(404, { retryable: false })]);
  const ids: string[] = [];
  await rejects(async () => {
    for await (const { id } of each(wire.client, wire.client.get<Page<Item>>(path`/things`))) {
      ids.push(id);
      await soon();
    }
  }, ApiError);
  deepEqual(ids, ["1a", "1b", "2a", "2b", "3a", "3b"]);
  // One who stops before that page never learns of it.
  for await (
    const { id } of each(wire.client, openWire(longList(9)).client.get<Page<Item>>(path`/x`))
  ) {
    await soon();
    if (id === "1b") break;
  }
});

Deno.test("a repeated page of a long walk is not requested early", async () => {
  const again = page(["4"], "3b");
  const wire = openWire([...longList(9).slice(0, 3), again]);
  const ids: string[] = [];
  await rejects(async () => {
    for await (const { id } of each(wire.client, wire.client.get<Page<Item>>(path`/things`))) {
      ids.push(id);
      await soon();
    }
  }, /repeats the page 3b/);
  equal(ids.at(-1), "4");
  equal(wire.posted.length, 4);
});

Deno.test("the client's signal ends a long walk after the items that it has", async () => {
  const stop = new AbortController();
  const wire = openWire([...longList(9).slice(0, 4), silent()], { signal: stop.signal });
  const ids: string[] = [];
  await rejects(async () => {
    for await (const { id } of each(wire.client, wire.client.get<Page<Item>>(path`/things`))) {
      ids.push(id);
      if (id === "4a") stop.abort();
    }
  }, Cancelled);
  equal(ids.at(-1), "4b");
});

Deno.test("a 429 during a walk loses and repeats nothing", async () => {
  const wire = openWire([
    refused(429, {}, { "Retry-After": "1" }),
    page(["1", "2"], "2"),
    refused(429, {}, { "Retry-After": "30" }),
    refused(503),
    page(["3", "4"], "4"),
    page(["5"], null),
  ]);
  deepEqual(await walk(wire), ["1", "2", "3", "4", "5"]);
  equal(wire.waits.length, 3);
});

Deno.test("a walk may take longer than the timeout of one request", async () => {
  const soon = (response: Response) => () =>
    new Promise<Response>((resolve) => setTimeout(() => resolve(response), 100));
  const moves = [..."12345"].map((id) => soon(page([id], id)));
  const wire = openWire([...moves, soon(page(["6"], null))], { timeoutMs: 500, retries: 0 });
  equal((await walk(wire)).join(""), "123456");
});

Deno.test("the cursor of a page continues after it", () => {
  const of = (next_page: string | null) =>
    cursorAfter({ object: "list", items: [], next_page, url: LIST });
  equal(of(null), undefined);
  equal(of(""), undefined);
  equal(of("$a b"), "$a b");
  equal(of(`${LIST}?limit=5&starting_after=%24a%20b`), "$a b");
  equal(of(`https://x.example${LIST}?starting_after=a%2Bb`), "a+b");
  equal(of(`${LIST}?page=2`), undefined);
  equal(of("http://["), undefined);
});

Deno.test("a walk through the real service returns every item once, at every page size", async () => {
  await using desk = await openDesk({ empty: false });
  for (let i = 0; i < 23; i++) {
    const body = { lookup_key: `o${i}`, display_name: `${i}` };
    equal((await desk.send("POST", `/v2/projects/${desk.projectId}/offerings`, body)).status, 201);
  }
  const all = (await listOfferings(desk.client, { limit: 100 })).items.map(({ id }) => id);
  for (const limit of [1, 2, 7, 24, 25, 26, 100]) {
    const ids: string[] = [];
    for await (const one of each(desk.client, listOfferings(desk.client, { limit }))) {
      ids.push(one.id);
    }
    deepEqual(ids, all, `limit ${limit}`);
  }
  const first = listOfferings(desk.client, { limit: 10 });
  const sizes: number[] = [];
  for await (const { items } of pages(desk.client, first, { limit: 15 })) sizes.push(items.length);
  deepEqual(sizes, [10, 5]);
});
