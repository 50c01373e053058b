import { deepEqual, equal, rejects } from "node:assert/strict";
import { openDatabase, StoreError, type StoreFailure } from "../../../lib/service/store/mod.ts";
import { holdBack, watchStore } from "../../../lib/service/store/watch.ts";

/** A watched database that fails as told, with what is said of it. */
async function openWatched() {
  const own = await openDatabase({ file: ":memory:" });
  const said: string[] = [];
  let now = 10_000;
  let failure: StoreFailure | undefined;
  const fail = () => {
    if (failure) throw new StoreError("Cannot use the database: told so", { failure });
  };
  const watched = watchStore(
    {
      ...own,
      async read(work) {
        fail();
        return await own.read(work);
      },
      async write(work, projectId, locks) {
        fail();
        return await own.write(work, projectId, locks);
      },
      async probe(access) {
        fail();
        await own.probe(access);
      },
    },
    () => now,
    (text) => void said.push(text),
  );
  const isFine = (work: Promise<unknown>) => work.then(() => true, () => false);
  return {
    watched,
    said,
    breaks: (how: StoreFailure | undefined) => failure = how,
    passes: (ms: number) => now += ms,
    reads: () => isFine(watched.read(async () => {})),
    writes: () => isFine(watched.write(async () => {})),
    [Symbol.asyncDispose]: own.close,
  };
}

const FULL = "Cannot write the database: the disk is full. Requests get 507 until it works again";

Deno.test("an outage is said once for each kind of access and failure, and its end once", async () => {
  await using database = await openWatched();
  const { said, breaks, passes, reads, writes } = database;
  deepEqual([await reads(), await writes(), said], [true, true, []]);
  breaks("full");
  deepEqual([await writes(), await writes()], [false, false]);
  deepEqual(said, [FULL]);
  breaks("io");
  deepEqual([await writes(), said.length], [false, 2]);
  equal(await reads(), false);
  equal(said.length, 3);
  breaks(undefined);
  // Small changes may succeed between large ones that fail.
  passes(4999);
  deepEqual([await writes(), await reads(), said.length], [true, true, 3]);
  passes(1);
  deepEqual([await writes(), said.length], [true, 3], "reading is not known to work");
  equal(await reads(), true);
  deepEqual(said.slice(3), ["The database can be used again"]);
  breaks("full");
  await writes();
  deepEqual(said.slice(4), [FULL]);
});

Deno.test("a server that answers again is back at once, and one that is busy is no outage", async () => {
  await using database = await openWatched();
  const { said, breaks, reads } = database;
  breaks("busy");
  deepEqual([await reads(), said], [false, []]);
  breaks("unreachable");
  deepEqual([await reads(), said.length], [false, 1]);
  breaks(undefined);
  deepEqual([await reads(), said.slice(1)], [true, ["The database can be used again"]]);
});

Deno.test("a check tries the database once a second, and shows a recent outage without a try", async () => {
  await using database = await openWatched();
  const { watched, breaks, passes, writes } = database;
  const failure = async () => (await watched.check())?.failure;
  equal(await failure(), undefined);
  breaks("io");
  passes(999);
  equal(await failure(), undefined);
  passes(1);
  equal(await failure(), "io");
  breaks(undefined);
  passes(4999);
  equal(await failure(), "io");
  passes(1);
  equal(await failure(), undefined);
  breaks("full");
  await writes();
  equal(await failure(), "full");
});

Deno.test("an error that is no outage goes on to the caller, and nothing is said", async () => {
  await using database = await openWatched();
  const { watched, said } = database;
  const error = new RangeError("not the database's");
  await rejects(watched.write(() => Promise.reject(error)), error);
  deepEqual(said, []);
});

Deno.test("messages of the start are held back until the service is open", () => {
  const told: unknown[] = [];
  const { say, release } = holdBack((text) => told.push(text));
  say("one");
  say("two");
  deepEqual(told, []);
  release();
  deepEqual(told, ["one", "two"]);
  say("three");
  deepEqual(told, ["one", "two", "three"]);
  release();
  deepEqual(told, ["one", "two", "three"]);
});
