import { deepEqual, equal, rejects } from "node:assert/strict";
import {
  acrossProjects,
  inProject,
  lastSeq,
  nextSeq,
  nextSeqs,
  StoreError,
  takeSeqs,
  type Tx,
} from "../../../lib/service/store/mod.ts";
import { addOffering, onBothStores, PROJECT, setCurrent } from "../../support/store_fixture.ts";

/** The number in the project's row. */
async function written(tx: Tx): Promise<number | undefined> {
  const row = await acrossProjects(tx).selectFrom("projects").select("last_seq")
    .where("id", "=", PROJECT).executeTakeFirst();
  return row?.last_seq;
}

/** Takes a number. */
const take = (tx: Tx) => nextSeq(inProject(tx, PROJECT));

Deno.test("changes that share a commit take one number after another, and the row has the last", () =>
  onBothStores(async (store) => {
    const taken = await Promise.all(Array.from({ length: 5 }, () => store.write(take, PROJECT)));
    deepEqual(taken, [1, 2, 3, 4, 5]);
    equal(await store.read(written), 5);
    equal(await store.write(take, PROJECT), 6);
    equal(await store.read(written), 6);
  }));

Deno.test("work sees the last number that it took, and may take many at once", () =>
  onBothStores(async (store) => {
    const seen = await store.write(async (whole) => {
      const tx = inProject(whole, PROJECT);
      const first = [await lastSeq(tx), await nextSeq(tx), await lastSeq(tx)];
      const many = [await nextSeqs(tx, 10), await lastSeq(tx)];
      await takeSeqs(tx, 20);
      return [...first, ...many, await lastSeq(tx), await nextSeq(tx)];
    }, PROJECT);
    deepEqual(seen, [0, 1, 1, 11, 11, 20, 21]);
    equal(await store.read(written), 21);
  }));

Deno.test("work that fails gives its numbers back, alone and among others", () =>
  onBothStores(async (store) => {
    const fail = async (tx: Tx) => {
      await take(tx);
      await take(tx);
      throw new RangeError("no");
    };
    await rejects(store.write(fail, PROJECT), RangeError);
    equal(await store.write(take, PROJECT), 1);
    // The second time, each piece of work has a savepoint from the start.
    for (const start of [1, 3]) {
      const outcomes = await Promise.allSettled(
        [take, fail, take].map((work) => store.write<number>(work, PROJECT)),
      );
      deepEqual(
        outcomes.map((one) => one.status === "fulfilled" ? one.value : "failed"),
        [start + 1, "failed", start + 2],
      );
      equal(await store.read(written), start + 2);
    }
  }));

Deno.test("a commit that fails takes its numbers with it", () =>
  onBothStores(async (store) => {
    const [guilty, other] = await Promise.allSettled([
      store.write(async (tx) => {
        await addOffering(tx, "ofrng1");
        await setCurrent(tx, "missing");
      }, PROJECT),
      store.write(take, PROJECT),
    ]);
    equal(guilty.status, "rejected");
    deepEqual(other, { status: "fulfilled", value: 1 });
    equal(await store.read(written), 1);
  }));

Deno.test("a project that is not there numbers nothing", () =>
  onBothStores(async (store) => {
    await rejects(
      store.write((tx) => nextSeq(inProject(tx, "proj00000009")), "proj00000009"),
      (error) => error instanceof StoreError && error.failure === "misuse",
    );
  }));
