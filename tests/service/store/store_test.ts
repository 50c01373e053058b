import { deepEqual, equal, match, ok, rejects } from "node:assert/strict";
import { join } from "node:path";
import { connect } from "../../../lib/service/store/sqlite/connection.ts";
import { migrate } from "../../../lib/service/store/sqlite/migrate.ts";
import { migrations } from "../../../lib/service/store/migrations/mod.ts";
import {
  acrossProjects,
  isForeignKeyViolation,
  isUniqueViolation,
  openStore,
  type Store,
  StoreError,
  type StoreFailure,
} from "../../../lib/service/store/mod.ts";
import { isBusy } from "../../../lib/service/store/sqlite/patience.ts";
import { createWriter } from "../../../lib/service/store/sqlite/writer.ts";
import {
  addOffering,
  addProject,
  inFolder,
  offeringIds,
  onBothStores,
  onDisk,
  PROJECT,
  setCurrent,
} from "../../support/store_fixture.ts";

/** Ten ids, in order. */
const TEN = Array.from({ length: 10 }, (_, i) => `ofrng${i}`);

/** Recognises a failure of the store. */
function failing(failure: StoreFailure): (error: unknown) => boolean {
  return (error) => error instanceof StoreError && error.failure === failure;
}

/** A promise and its resolver, to hold work up at a chosen point. */
function gate(): { opened: Promise<void>; open: () => void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { opened: promise, open: resolve };
}

Deno.test("what was written is read back, as plain objects", () =>
  onBothStores(async (store) => {
    const id = await store.write((tx) => addOffering(tx, "ofrng1"));
    const row = await store.read((tx) =>
      acrossProjects(tx).selectFrom("offerings").select(["id", "seq", "metadata", "state"])
        .where("project_id", "=", PROJECT).where("id", "=", id).executeTakeFirst()
    );
    deepEqual(row, { id, seq: 1, metadata: null, state: "active" });
  }));

Deno.test("work that fails leaves nothing behind and rejects with its own error", () =>
  onBothStores(async (store) => {
    const boom = new RangeError("boom");
    const failed = store.write(async (tx) => {
      await addOffering(tx, "ofrng1");
      throw boom;
    });
    await rejects(failed, (error) => error === boom);
    deepEqual(await store.read(offeringIds), []);
  }));

Deno.test("writes are applied in the order they were asked for", () =>
  onBothStores(async (store) => {
    await Promise.all(TEN.map((id) => store.write((tx) => addOffering(tx, id))));
    deepEqual(await store.read(offeringIds), TEN);
  }));

Deno.test("of writes that share a commit, only the failing ones fail", () =>
  onBothStores(async (store) => {
    const outcomes = await Promise.allSettled([
      store.write((tx) => addOffering(tx, "ofrng1", "same")),
      store.write((tx) => addOffering(tx, "ofrng2", "same")),
      store.write((tx) => addOffering(tx, "ofrng3")),
      store.write(() => Promise.reject(new RangeError("no"))),
      store.write((tx) => addOffering(tx, "ofrng4")),
    ]);
    deepEqual(
      outcomes.map((outcome) => outcome.status === "fulfilled"),
      [true, false, true, false, true],
    );
    deepEqual(await store.read(offeringIds), ["ofrng1", "ofrng3", "ofrng4"]);
    const [project] = await store.read((tx) =>
      acrossProjects(tx).selectFrom("projects").select("last_seq").execute()
    );
    equal(project?.last_seq, 3, "a failed write takes no number");
  }));

Deno.test("a failing write runs once alone, and makes only the first group run twice", () =>
  onBothStores(async (store) => {
    let runs = 0;
    const count = () => Promise.resolve(void runs++);
    const fail = () => {
      runs++;
      return Promise.reject(new RangeError("no"));
    };
    await rejects(store.write(fail), RangeError);
    equal(runs, 1);
    for (const expected of [6, 3, 3]) {
      runs = 0;
      await Promise.allSettled([count, count, fail].map((work) => store.write(work)));
      equal(runs, expected);
    }
    await Promise.all([count, count].map((work) => store.write(work)));
    runs = 0;
    await Promise.allSettled([fail, count].map((work) => store.write(work)));
    equal(runs, 1 + 2, "after a group without failures, savepoints wait for the next failure");
  }));

Deno.test("a write that breaks the commit itself fails alone, wherever it stands", () =>
  onBothStores(async (store) => {
    for (const guilty of TEN.keys()) {
      const ids = TEN.map((id) => `${id}_${guilty}`);
      const outcomes = await Promise.allSettled(
        ids.map((id, i) =>
          store.write<unknown>((tx) =>
            i === guilty ? setCurrent(tx, "missing") : addOffering(tx, id)
          )
        ),
      );
      const failed = outcomes.filter((outcome) => outcome.status === "rejected");
      equal(failed.length, 1);
      ok(isForeignKeyViolation(failed[0]?.reason));
      const written = (await store.read(offeringIds)).slice(-9);
      deepEqual(written, ids.filter((_, i) => i !== guilty));
    }
  }));

Deno.test("a write is not refused because of another that was undone with the commit", () =>
  onBothStores(async (store) => {
    const [first, second] = await Promise.allSettled([
      store.write(async (tx) => {
        await addOffering(tx, "ofrng1", "same");
        await setCurrent(tx, "missing");
      }),
      store.write((tx) => addOffering(tx, "ofrng2", "same")),
    ]);
    equal(first.status, "rejected");
    equal(second.status, "fulfilled");
    deepEqual(await store.read(offeringIds), ["ofrng2"]);
  }));

Deno.test("64 writes at once take few commits, and nobody hears of success before", async () => {
  const connection = connect(":memory:");
  let commits = 0;
  let open = false;
  const writer = createWriter({
    ...connection,
    run: (sql) => {
      connection.run(sql);
      if (sql === "COMMIT") commits++;
      open = connection.inTransaction();
    },
  });
  migrate(connection, migrations, { file: ":memory:", now: 1 });
  await writer.run(addProject, "write");
  commits = 0;
  const ids = Array.from({ length: 64 }, (_, i) => `ofrng${i}`);
  await Promise.all(ids.map(async (id) => {
    await writer.run((tx) => addOffering(tx, id), "write");
    ok(!open, "told inside of the transaction");
  }));
  equal(commits, 1);
  deepEqual(await writer.run(offeringIds, "read"), ids);

  const many = Array.from({ length: 1000 }, (_, i) => `many${i}`);
  commits = 0;
  await Promise.all(many.map((id) => writer.run((tx) => addOffering(tx, id), "write")));
  ok(commits > 1 && commits < 20, `${commits} commits`);
  connection.close();
});

Deno.test("a full disk fails the write that does not fit, and nothing else", () =>
  inFolder(async (folder) => {
    const connection = connect(join(folder, "data.db"));
    migrate(connection, migrations, { file: "data.db", now: 1 });
    const writer = createWriter(connection);
    await writer.run(addProject, "write");
    const [size] = connection.rows("PRAGMA page_count");
    connection.rows(`PRAGMA max_page_count = ${Number(size?.page_count) + 10}`);
    const outcomes = await Promise.allSettled([
      writer.run((tx) => addOffering(tx, "ofrng1"), "write"),
      writer.run((tx) => addOffering(tx, "ofrng2", "x".repeat(1_000_000)), "write"),
      writer.run((tx) => addOffering(tx, "ofrng3"), "write"),
    ]);
    deepEqual(outcomes.map((outcome) => outcome.status), ["fulfilled", "rejected", "fulfilled"]);
    const [, full] = outcomes;
    ok(full?.status === "rejected" && failing("full")(full.reason), String(full));
    deepEqual(await writer.run(offeringIds, "read"), ["ofrng1", "ofrng3"]);
    connection.close();
  }));

Deno.test("a read sees one state of the database, however long it takes", () =>
  onDisk(async (store) => {
    await store.write((tx) => addOffering(tx, "ofrng1"));
    const [begun, written] = [gate(), gate()];
    const slow = store.read(async (tx) => {
      const before = await offeringIds(tx);
      begun.open();
      await written.opened;
      return [before, await offeringIds(tx)];
    });
    await begun.opened;
    await store.write((tx) => addOffering(tx, "ofrng2"));
    deepEqual(await store.read(offeringIds), ["ofrng1", "ofrng2"], "others see the write");
    await store.write((tx) => addOffering(tx, "ofrng3"));
    deepEqual(await store.read(offeringIds), ["ofrng1", "ofrng2", "ofrng3"]);
    written.open();
    deepEqual(await slow, [["ofrng1"], ["ofrng1"]]);
  }));

Deno.test("a read that starts during a write sees nothing of it", () =>
  onDisk(async (store) => {
    const [halfway, looked] = [gate(), gate()];
    const write = store.write(async (tx) => {
      await addOffering(tx, "ofrng1");
      halfway.open();
      await looked.opened;
    });
    await halfway.opened;
    const seen = await store.read(offeringIds);
    looked.open();
    await write;
    deepEqual(seen, []);
    deepEqual(await store.read(offeringIds), ["ofrng1"]);
  }));

Deno.test("every read that starts after a write has resolved sees it", () =>
  onBothStores(async (store) => {
    await Promise.all(TEN.map(async (id) => {
      await store.write((tx) => addOffering(tx, id));
      ok((await store.read(offeringIds)).includes(id), id);
    }));
  }));

Deno.test("a read can change nothing", () =>
  onBothStores(async (store) => {
    await store.write((tx) => addOffering(tx, "ofrng1"));
    const attempts = [
      store.read((tx) => acrossProjects(tx).deleteFrom("offerings").execute()),
      store.read((tx) => setCurrent(tx, "ofrng1")),
      store.read((tx) => addOffering(tx, "ofrng2")),
    ];
    for (const attempt of attempts) await rejects(attempt, failing("read_only"));
    deepEqual(await store.read(offeringIds), ["ofrng1"]);
  }));

for (const [name, nested] of Object.entries(nestings())) {
  Deno.test(`a ${name} is refused at once instead of waiting for itself`, () =>
    onBothStores(async (store) => {
      await rejects(nested(store), (error) => {
        ok(error instanceof StoreError);
        match(error.message, /inside of other work: use that work's own queries$/);
        return error.failure === "misuse";
      });
      equal(await store.write(async () => "still alive"), "still alive");
    }));
}

/** Ways to start work inside of work. */
function nestings(): Record<string, (store: Store) => Promise<unknown>> {
  return {
    "write inside a write": (store) => store.write(() => store.write(offeringIds)),
    "read inside a write": (store) => store.write(() => store.read(offeringIds)),
    "write inside a read": (store) => store.read(() => store.write(offeringIds)),
    "read inside a read": (store) => store.read(() => store.read(offeringIds)),
  };
}

Deno.test("queries that are kept for later are refused", () =>
  onBothStores(async (store) => {
    for (const run of [store.read, store.write]) {
      const kept = await run(async (tx) => ({ tx }));
      await rejects(offeringIds(kept.tx), failing("misuse"));
    }
  }));

Deno.test("a number too large for JavaScript is an error, not another number", () =>
  onBothStores(async (store) => {
    const large = store.write(async (tx) => {
      await acrossProjects(tx).updateTable("projects")
        .set((eb) => ({ clock_offset: eb.lit(4503599627370497) })).execute();
      await acrossProjects(tx).updateTable("projects")
        .set((eb) => ({ clock_offset: eb("clock_offset", "*", 4) })).execute();
      return await acrossProjects(tx).selectFrom("projects").select("clock_offset").execute();
    });
    await rejects(large, RangeError);
  }));

Deno.test("duplicates are recognised by table and column", () =>
  onBothStores(async (store) => {
    await store.write((tx) => addOffering(tx, "ofrng1", "pro"));
    await rejects(store.write((tx) => addOffering(tx, "ofrng2", "pro")), (error) => {
      ok(isUniqueViolation(error, "offerings.lookup_key"));
      ok(isUniqueViolation(error));
      ok(!isUniqueViolation(error, "offerings.id"));
      ok(!isUniqueViolation(error, "packages.lookup_key"));
      return !isForeignKeyViolation(error);
    });
    await rejects(
      store.write((tx) => addOffering(tx, "ofrng1")),
      (error) => isUniqueViolation(error, "offerings.id"),
    );
    ok(!isUniqueViolation(new Error("UNIQUE constraint failed: offerings.id")));
  }));

Deno.test("closing waits for work that is queued, and refuses any after", () =>
  inFolder(async (folder) => {
    const file = join(folder, "data.db");
    const store = openStore({ file });
    await store.write(addProject);
    const late = gate();
    const reading = store.read(async (tx) => {
      const before = await offeringIds(tx);
      await late.opened;
      return [before, await offeringIds(tx)];
    });
    const writing = Promise.all(TEN.map((id) => store.write((tx) => addOffering(tx, id))));
    const closing = store.close();
    await rejects(store.write((tx) => addOffering(tx, "late")), failing("misuse"));
    await rejects(store.read(offeringIds), /^StoreError: Cannot read: the database is closed$/);
    deepEqual(await writing, TEN);
    await new Promise((resolve) => setTimeout(resolve));
    late.open();
    await closing;
    deepEqual(await reading, [[], []]);
    await store.close();
    deepEqual(Array.from(Deno.readDirSync(folder), (entry) => entry.name), ["data.db"]);
    await withReopened(file, async (again) => deepEqual(await again.read(offeringIds), TEN));
  }));

Deno.test("another program that holds the database is reported as such", () =>
  inFolder(async (folder) => {
    const [ours, theirs] = [connect(join(folder, "data.db")), connect(join(folder, "data.db"))];
    migrate(ours, migrations, { file: "data.db", now: 1 });
    ours.rows("PRAGMA busy_timeout = 0");
    const writer = createWriter(ours);
    theirs.run("BEGIN IMMEDIATE");
    const both = [writer.run(addProject, "write"), writer.run(addProject, "write")];
    for (const refused of both) await rejects(refused, isBusy);
    theirs.run("ROLLBACK");
    await writer.run(addProject, "write");
    theirs.close();
    ours.close();
  }));

/** Opens a file that a store has closed. */
async function withReopened(file: string, test: (store: Store) => Promise<void>): Promise<void> {
  const store = openStore({ file });
  try {
    await test(store);
  } finally {
    await store.close();
  }
}
