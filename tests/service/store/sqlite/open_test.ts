import { deepEqual, equal, match, ok, rejects, throws } from "node:assert/strict";
import { join } from "node:path";
import { ConfigError } from "../../../../lib/errors.ts";
import { connect } from "../../../../lib/service/store/sqlite/connection.ts";
import { migrate } from "../../../../lib/service/store/sqlite/migrate.ts";
import { migrations } from "../../../../lib/service/store/migrations/mod.ts";
import { isUniqueViolation, lockFolder, openStore } from "../../../../lib/service/store/mod.ts";
import { toStoreError } from "../../../../lib/service/store/sqlite/errors.ts";
import { unusableDatabase } from "../../../../lib/service/store/sqlite/unusable.ts";
import {
  addOffering,
  addProject,
  inFolder,
  offeringIds,
  withStore,
} from "../../../support/store_fixture.ts";

const A = { name: "a", sql: "CREATE TABLE a (x INTEGER) STRICT; INSERT INTO a VALUES (1);" };
const B = { name: "b", sql: "ALTER TABLE a ADD COLUMN y TEXT; UPDATE a SET y = 'old';" };
const BROKEN = { name: "broken", sql: "UPDATE a SET x = 2; CREATE TABLE a (x INTEGER) STRICT;" };

const options = { file: "some.db", now: 1_700_000_000_000 };

Deno.test("a database is brought up to date step by step, and each step runs once", () => {
  const connection = connect(":memory:");
  migrate(connection, [A], options);
  migrate(connection, [A, B], { ...options, now: 1_700_000_000_001 });
  migrate(connection, [A, B], options);
  deepEqual(connection.rows("SELECT * FROM a"), [{ x: 1, y: "old" }]);
  deepEqual(connection.rows("SELECT * FROM schema_migrations"), [
    { number: 1, name: "a", applied_at: 1_700_000_000_000 },
    { number: 2, name: "b", applied_at: 1_700_000_000_001 },
  ]);
  connection.close();
});

Deno.test("a step that fails is undone as a whole, and those before it stay", () => {
  const connection = connect(":memory:");
  throws(() => migrate(connection, [A, BROKEN, B], options), /table a already exists/);
  ok(!connection.inTransaction());
  deepEqual(connection.rows("SELECT * FROM a"), [{ x: 1 }]);
  migrate(connection, [A, B], options);
  deepEqual(connection.rows("SELECT * FROM a"), [{ x: 1, y: "old" }]);
  connection.close();
});

Deno.test("a newer schema is refused with both numbers, and left as it is", () => {
  const connection = connect(":memory:");
  migrate(connection, [A, B], options);
  const before = connection.image();
  throws(() => migrate(connection, [A], options), (error) => {
    ok(error instanceof ConfigError);
    equal(
      error.message,
      'Cannot open the database "some.db": its schema version is 2, and this program supports ' +
        "up to 1",
    );
    return error.hint !== undefined;
  });
  deepEqual(connection.image(), before);
  connection.close();
});

Deno.test("a database with other steps is refused", () => {
  const connection = connect(":memory:");
  migrate(connection, [A], options);
  throws(() => migrate(connection, [B, A], options), /step 1 of its schema is "a"/);
  connection.close();
});

Deno.test("the steps of the service are named and run on an empty database", () => {
  ok(migrations.length > 0);
  equal(new Set(migrations.map((step) => step.name)).size, migrations.length);
  const connection = connect(":memory:");
  migrate(connection, migrations, options);
  deepEqual(connection.rows("PRAGMA integrity_check"), [{ integrity_check: "ok" }]);
  const loose = connection.rows(
    "SELECT name FROM pragma_table_list WHERE type = 'table' AND NOT strict " +
      "AND name NOT LIKE 'sqlite_%'",
  );
  deepEqual(loose, [], "every table is STRICT");
  connection.close();
});

Deno.test("an old file is migrated when it is opened, and keeps what it has", () =>
  inFolder(async (folder) => {
    const file = join(folder, "data.db");
    await withStore(file, async (store) => {
      await store.write((tx) => addOffering(tx, "ofrng1"));
    });
    const store = openStore({ file });
    deepEqual(await store.read(offeringIds), ["ofrng1"]);
    await rejects(store.write(addProject), (error) => isUniqueViolation(error));
    await store.close();
  }));

Deno.test("a file is not opened by an older version", () =>
  inFolder(async (folder) => {
    const file = join(folder, "data.db");
    const connection = connect(file);
    migrate(connection, [...migrations, A], options);
    connection.close();
    const [newer, known] = [migrations.length + 1, migrations.length];
    throws(
      () => openStore({ file }),
      new RegExp(
        `^ConfigError: Cannot open the database ".*data.db": its schema version is ${newer}, ` +
          `and this program supports up to ${known}$`,
      ),
    );
  }));

Deno.test("a file that is no database of ours is refused and not touched", () =>
  inFolder(async (folder) => {
    const text = join(folder, "notes.txt");
    await Deno.writeTextFile(text, "Not a database, but long enough to look at. ".repeat(100));
    throws(() => openStore({ file: text }), (error) => {
      ok(error instanceof ConfigError);
      match(error.message, /^Cannot open the database ".*notes.txt": file is not a database$/);
      ok(!error.hint?.includes("reset"), "the data beside it is not at fault");
      return true;
    });
    const other = join(folder, "other.db");
    const connection = connect(other);
    connection.script(A.sql);
    connection.close();
    const before = await Deno.readFile(other);
    throws(() => openStore({ file: other }), /it is not a database of this service$/);
    deepEqual(await Deno.readFile(other), before);
    throws(() => openStore({ file: join(text, "data.db") }), ConfigError);
  }));

Deno.test({
  name: "folder and files are for their owner alone",
  ignore: Deno.build.os === "windows",
  fn: () =>
    inFolder(async (folder) => {
      const inner = join(folder, "new", "data");
      const file = join(inner, "data.db");
      await withStore(file, async (store) => {
        await store.read(offeringIds);
        equal(await rights(inner), 0o700);
        for (const name of [file, `${file}-wal`, `${file}-shm`]) {
          equal(await rights(name), 0o600, name);
        }
      });
    }),
});

Deno.test("commits reach the disk: a log that is synchronised, and foreign keys that hold", () =>
  inFolder((folder) =>
    withStore(join(folder, "data.db"), async () => {
      const connection = connect(join(folder, "data.db"));
      deepEqual(connection.rows("PRAGMA journal_mode"), [{ journal_mode: "wal" }]);
      deepEqual(connection.rows("PRAGMA synchronous"), [{ synchronous: 2 }]);
      deepEqual(connection.rows("PRAGMA foreign_keys"), [{ foreign_keys: 1 }]);
      connection.close();
    })
  ));

Deno.test("a connection for reading keeps fewer pages than one for writing", () =>
  inFolder((folder) =>
    withStore(join(folder, "data.db"), async () => {
      for (const [readOnly, kibibytes] of [[true, 4096], [false, 16_384]] as const) {
        const connection = connect(join(folder, "data.db"), { readOnly });
        deepEqual(connection.rows("PRAGMA cache_size"), [{ cache_size: -kibibytes }]);
        connection.close();
      }
    })
  ));

Deno.test("databases in memory have nothing to do with each other", () =>
  withStore(":memory:", (first) =>
    withStore(":memory:", async (second) => {
      await first.write((tx) => addOffering(tx, "ofrng1"));
      deepEqual(await second.read(offeringIds), []);
      deepEqual(await first.read(offeringIds), ["ofrng1"]);
    })));

/** The permission bits of a file or folder. */
async function rights(path: string): Promise<number> {
  return ((await Deno.stat(path)).mode ?? 0) & 0o777;
}

Deno.test("a start on a full disk says so, and asks for space", () =>
  inFolder(async (folder) => {
    const ofSystem = (code: string) => Object.assign(new Error("No space left"), { code });
    const ofSqlite = Object.assign(new Error("database or disk is full"), {
      code: "ERR_SQLITE_ERROR",
      errcode: 13,
    });
    const { mkdir } = Deno;
    Deno.mkdir = () => Promise.reject(ofSystem("ENOSPC"));
    const locking = await lockFolder(folder).catch((error: unknown) => error)
      .finally(() => Deno.mkdir = mkdir);
    const full: [error: unknown, message: RegExp][] = [
      [locking, /^Cannot use the data folder ".*": the disk is full$/],
      [unusableDatabase("a.db", ofSystem("ENOSPC")), /^Cannot open .* "a.db": the disk is full$/],
      [unusableDatabase("a.db", ofSystem("EDQUOT")), /: the disk quota is used up$/],
      [unusableDatabase("a.db", toStoreError(ofSqlite)), /^Cannot open .*: the disk is full$/],
    ];
    for (const [error, message] of full) {
      ok(error instanceof ConfigError);
      match(error.message, message);
      equal(error.hint, "Free some space, then try again.");
    }
    match(unusableDatabase("a.db", ofSystem("EACCES")).hint ?? "", /exists and is writable/);
  }));
