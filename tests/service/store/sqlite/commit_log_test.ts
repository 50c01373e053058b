import { deepEqual, equal, match, ok, rejects, throws } from "node:assert/strict";
import { join } from "node:path";
import {
  type CommitLog,
  type LogFile,
  openCommitLog,
} from "../../../../lib/service/store/sqlite/commit_log.ts";
import { connect, type Connection } from "../../../../lib/service/store/sqlite/connection.ts";
import { migrate } from "../../../../lib/service/store/sqlite/migrate.ts";
import { createReader } from "../../../../lib/service/store/sqlite/reader.ts";
import { createWriter } from "../../../../lib/service/store/sqlite/writer.ts";
import { migrations } from "../../../../lib/service/store/migrations/mod.ts";
import { outageIn, StoreError } from "../../../../lib/service/store/mod.ts";
import { addOffering, addProject, inFolder, offeringIds } from "../../../support/store_fixture.ts";

/** A store whose disk does what a test wants. */
interface Bench {
  /** Runs writes. */
  writer: ReturnType<typeof createWriter>;
  /** Runs reads. */
  reader: ReturnType<typeof createReader>;
  /** Takes the place of the disk: what it returns stands for one sync. Undefined: the real disk. */
  disk: { sync: (() => Promise<void>) | undefined };
  /** The number of syncs so far that went on beside this thread. */
  syncs(): number;
  /** The number of those on this thread. */
  blocking(): number;
  /** What was said to the operator. */
  said: string[];
  /** The log. */
  log: CommitLog;
  /** Ends the transactions of reads, as an error of the disk does. */
  failReads(): void;
}

/** Opens a log whose syncs a test may replace, and counts them. */
function fakeLog(disk: Bench["disk"]): Pick<Bench, "syncs" | "blocking"> & {
  open(path: string): LogFile;
} {
  let [syncs, blocking] = [0, 0];
  return {
    syncs: () => syncs,
    blocking: () => blocking,
    open(path) {
      const real = Deno.openSync(path, { read: true, write: true });
      return {
        syncData() {
          syncs++;
          return disk.sync ? disk.sync() : real.syncData();
        },
        syncDataSync() {
          blocking++;
          if (disk.sync) throw new Error("Input/output error (os error 5)");
          real.syncDataSync();
        },
        seekSync: (at, from) => real.seekSync(at, from),
        readSync: (room) => real.readSync(room),
        close: () => real.close(),
      };
    },
  };
}

/** Runs a test with such a store, which has an empty project. */
function withBench(test: (bench: Bench) => Promise<void>): Promise<void> {
  return inFolder(async (folder) => {
    const file = join(folder, "data.db");
    const connection = connect(file);
    connection.rows("PRAGMA journal_mode = WAL");
    migrate(connection, migrations, { file, now: 1 });
    const said: string[] = [];
    const disk: Bench["disk"] = { sync: undefined };
    const { open, syncs, blocking } = fakeLog(disk);
    const log = openCommitLog(connection, file, (message) => said.push(message), open);
    ok(log);
    const readers: Connection[] = [];
    const reader = createReader(() => {
      const real = connect(file, { readOnly: true });
      readers.push(real);
      return { ...real, errors: () => real.errors() + failures };
    });
    let failures = 0;
    const failReads = () => {
      failures++;
      for (const one of readers) if (one.inTransaction()) one.run("ROLLBACK");
    };
    const writer = createWriter(connection, { reader, log });
    try {
      await writer.run(addProject, "write");
      await test({
        writer,
        reader,
        disk,
        said,
        log,
        failReads,
        syncs,
        blocking,
      });
    } finally {
      await writer.idle();
      await reader.close();
      log.close();
      connection.close();
    }
  });
}

Deno.test("while a commit goes to the disk, reads go on and do not see it", () =>
  withBench(async ({ writer, reader, disk }) => {
    for (const hasReadBefore of [false, true]) {
      const before = hasReadBefore ? ["ofrng-false"] : [];
      if (hasReadBefore) deepEqual(await reader.run(offeringIds), before);
      const { promise, resolve } = Promise.withResolvers<void>();
      const begun = Promise.withResolvers<void>();
      disk.sync = () => {
        begun.resolve();
        return promise;
      };
      let isTold = false;
      const id = `ofrng-${hasReadBefore}`;
      const write = writer.run((tx) => addOffering(tx, id), "write").finally(() => isTold = true);
      await begun.promise;
      deepEqual(await reader.run(offeringIds), before);
      deepEqual(await reader.run(offeringIds), before);
      ok(!isTold, "the write was told before it was on the disk");
      disk.sync = undefined;
      resolve();
      await write;
      deepEqual(await reader.run(offeringIds), [...before, id]);
    }
  }));

Deno.test("writes that come while a commit goes to the disk share the next one", () =>
  withBench(async ({ writer, disk, syncs }) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    disk.sync = () => {
      begun.resolve();
      return promise;
    };
    const first = writer.run((tx) => addOffering(tx, "first"), "write");
    await begun.promise;
    disk.sync = undefined;
    const ids = ["a", "b", "c"];
    const others = ids.map((id) => writer.run((tx) => addOffering(tx, id), "write"));
    const before = syncs();
    resolve();
    await Promise.all([first, ...others]);
    equal(syncs(), before + 1);
  }));

Deno.test("many writes at once wait for the disk on the service's thread, and fail with it", () =>
  withBench(async ({ writer, reader, disk, syncs, blocking }) => {
    const ids = Array.from({ length: 20 }, (_, i) => `ofrng${i}`);
    const before = syncs();
    await Promise.all(ids.map((id) => writer.run((tx) => addOffering(tx, id), "write")));
    // One of them was at the start.
    deepEqual([syncs() - before, blocking()], [0, 2]);
    disk.sync = () => Promise.resolve();
    const more = ids.map((id) => writer.run((tx) => addOffering(tx, `more-${id}`), "write"));
    const outcomes = await Promise.allSettled(more);
    ok(outcomes.every(({ status }) => status === "rejected"));
    equal(blocking(), 3, "no part of the group is tried again");
    deepEqual(await reader.run(offeringIds), ids);
  }));

Deno.test("work that changes nothing for good waits for no disk", () =>
  withBench(async ({ writer, syncs }) => {
    const before = syncs();
    await rejects(writer.run(() => Promise.reject(new RangeError("no")), "write"), RangeError);
    equal(syncs(), before);
  }));

Deno.test("after a failure of the disk all changes are refused, and reads go on", () =>
  withBench(async ({ writer, reader, disk, said, syncs }) => {
    await writer.run((tx) => addOffering(tx, "kept"), "write");
    disk.sync = () => Promise.reject(new Error("Input/output error (os error 5)"));
    const before = syncs();
    const lost = ["a", "b"].map((id) => writer.run((tx) => addOffering(tx, id), "write"));
    for (const one of lost) {
      await rejects(one, (error) => {
        ok(error instanceof StoreError);
        equal(error.message, "Cannot bring changes to the disk: Input/output error");
        equal(outageIn(error)?.cause, "the disk has failed, and the service must start again");
        return true;
      });
    }
    equal(syncs(), before + 1, "a second sync could succeed without what the first one lost");
    disk.sync = undefined;
    await rejects(writer.run((tx) => addOffering(tx, "later"), "write"), StoreError);
    equal(syncs(), before + 1);
    deepEqual(await reader.run(offeringIds), ["kept"], "nobody sees what may be lost");
    equal(said.length, 1);
    match(said[0] ?? "", /^Cannot bring .* error\. Changes return 503 until the service starts/);
  }));

Deno.test("a file system that cannot sync in this way is left to SQLite", () =>
  inFolder((folder) => {
    const file = join(folder, "data.db");
    const connection = connect(file);
    connection.rows("PRAGMA journal_mode = WAL");
    connection.rows("PRAGMA synchronous = FULL");
    let closed = 0;
    const disk = (error: Error): LogFile => ({
      syncData: () => Promise.reject(error),
      syncDataSync() {
        throw error;
      },
      seekSync: () => 0,
      readSync: () => 0,
      close: () => void closed++,
    });
    const unsupported = Object.assign(new Error("no such call"), { code: "EINVAL" });
    equal(openCommitLog(connection, file, () => {}, () => disk(unsupported)), undefined);
    equal(connection.rows("PRAGMA synchronous")[0]?.synchronous, 2);
    const broken = new Error("Input/output error (os error 5)");
    throws(() => openCommitLog(connection, file, () => {}, () => disk(broken)), broken);
    equal(closed, 2);
    connection.close();
    return Promise.resolve();
  }));

Deno.test("a held state that is lost is not replaced by a later one", () =>
  withBench(async ({ writer, reader, disk, failReads }) => {
    await writer.run((tx) => addOffering(tx, "kept"), "write");
    const { promise, resolve } = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    disk.sync = () => {
      begun.resolve();
      return promise;
    };
    const write = writer.run((tx) => addOffering(tx, "later"), "write");
    await begun.promise;
    failReads();
    await rejects(reader.run(offeringIds), (error) => outageIn(error)?.failure === "io");
    disk.sync = undefined;
    resolve();
    await write;
    deepEqual(await reader.run(offeringIds), ["kept", "later"]);
  }));

Deno.test("a failure while the log is copied refuses all changes from then on", () =>
  withBench(async ({ writer, log, said }) => {
    await writer.run((tx) => addOffering(tx, "kept"), "write");
    await writer.idle();
    log.isLong = () => true;
    let errcode = 778;
    log.copy = () => {
      const cause = Object.assign(new Error("disk I/O error"), { errcode });
      throw new StoreError(`Cannot use the database: ${cause.message}`, { failure: "io", cause });
    };
    // A page that could not be written is still in the log, and no disk has lost anything.
    for (const [i, code] of [778, 778, 1034].entries()) {
      errcode = code;
      await writer.run(
        (tx) => addOffering(tx, `kept${i}`),
        "write",
      );
      await writer.idle();
    }
    await rejects(
      writer.run((tx) => addOffering(tx, "later"), "write"),
      (error) => outageIn(error)?.failure === "disk_failed",
    );
    deepEqual(said, [
      "Cannot bring changes to the disk: disk I/O error. " +
      "Changes return 503 until the service starts again",
    ]);
  }));
