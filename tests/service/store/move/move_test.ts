import { deepEqual, equal, match, ok, rejects } from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { Cancelled, ConfigError } from "../../../../lib/errors.ts";
import { saveBackup } from "../../../../lib/service/store/backup.ts";
import { placeOf } from "../../../../lib/service/store/frozen.ts";
import { migrations } from "../../../../lib/service/store/migrations/mod.ts";
import { createAdder } from "../../../../lib/service/store/move/digest.ts";
import { openTarget } from "../../../../lib/service/store/move/target.ts";
import { schemaAfter } from "../../../../lib/service/store/move/tables.ts";
import { lockFolder, openDatabase } from "../../../../lib/service/store/mod.ts";
import { connect as connectTo } from "../../../../lib/service/store/postgres/connect.ts";
import { readAddress } from "../../../../lib/service/store/postgres/address.ts";
import { setSequences } from "../../../../lib/service/store/postgres/target.ts";
import { connect } from "../../../../lib/service/store/sqlite/connection.ts";
import {
  createDatabase,
  dropDatabase,
  onDatabase,
  ONLY_POSTGRES,
} from "../../../support/engine.ts";
import {
  HARD_TEXTS,
  makeSource,
  move,
  onEachTarget,
  sumsOf,
  withNewDatabase,
} from "../../../support/move_fixture.ts";
import { inFolder } from "../../../support/store_fixture.ts";

/** The name of the database that an address leads to. */
function nameIn(address: string): string {
  return new URL(address).pathname.slice(1);
}

Deno.test("a move carries every row of every table there and back, byte for byte", () =>
  inFolder(async (folder) => {
    const source = await makeSource(join(folder, "source"));
    const before = await sumsOf(placeOf(source));
    await onEachTarget(folder, async (target) => {
      const { tables, isInUse } = await move(source, target);
      equal(isInUse, false);
      deepEqual(tables.map(({ name }) => name), [...before.keys()]);
      deepEqual(await sumsOf(placeOf(target)), before);
      const back = join(folder, `back ${crypto.randomUUID()}`);
      await move(target, back);
      deepEqual(await sumsOf(placeOf(back)), before);
      const store = await openDatabase({ file: join(back, "service.db") });
      const rows = await store.read((tx) =>
        tx.selectFrom("settings").select("value").where("name", "like", "hard %").orderBy("name")
          .execute()
      );
      deepEqual(rows.map(({ value }) => value), HARD_TEXTS);
      await store.close();
    });
    deepEqual(await sumsOf(placeOf(source)), before, "the source never changes");
    deepEqual(Array.from(Deno.readDirSync(source), ({ name }) => name), ["service.db"]);
  }));

Deno.test("a move names every table of the schema, and a digest changes with any value", () => {
  const database = new DatabaseSync(":memory:");
  for (const { sql } of migrations) database.exec(sql);
  const names = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all()
    .map(({ name }) => String(name));
  const { tables } = schemaAfter(migrations);
  deepEqual(tables.map(({ name }) => name), [...names, "schema_migrations"].sort());
  const [settings] = tables.filter(({ name }) => name === "settings");
  ok(settings);
  const digest = (...rows: [unknown, unknown][]) => {
    const adder = createAdder(settings);
    adder.add(rows.map(([name, value]) => ({ name, value })));
    return adder.end().sha256;
  };
  const all = [
    digest(),
    digest(["a", "b"]),
    digest(["ab", ""]),
    digest(["", "ab"]),
    digest(["a", null]),
    digest(["a", "n"]),
    digest(["a", 1]),
    digest(["a", "1"]),
    digest(["a", "i1;"]),
    digest(["a", "b"], ["c", "d"]),
    digest(["c", "d"], ["a", "b"]),
  ];
  equal(new Set(all).size, all.length);
});

Deno.test("a move of a service at work takes one moment of it", () =>
  inFolder(async (folder) => {
    const source = await makeSource(join(folder, "source"));
    const lock = await lockFolder(source);
    const store = await openDatabase({ file: join(source, "service.db") });
    let pairs = 0;
    // Both rows of a pair or none: a later moment of the second table would show more.
    const addPair = () =>
      store.write(async (tx) => {
        const subject = `pair ${pairs++}`;
        await tx.insertInto("settings").values({ name: subject, value: "x" }).execute();
        const numbers = { tries: 1, locked_until: 0, expires_at: 0 };
        await tx.insertInto("sign_in_tries").values({ subject, ...numbers }).execute();
      });
    await onEachTarget(folder, async (target) => {
      const writes: Promise<void>[] = [];
      const { tables, isInUse } = await move(source, target, () => void writes.push(addPair()));
      await Promise.all(writes);
      ok(writes.length > 10);
      equal(isInUse, true);
      const rowsOf = (name: string) => tables.find((table) => table.name === name)?.rows ?? 0;
      // The source has 10 settings of its own more.
      const others = 2 + HARD_TEXTS.length - 1;
      equal(rowsOf("settings") - rowsOf("sign_in_tries"), others);
    });
    await store.close();
    await lock.release();
  }));

Deno.test("a move reads a backup, and refuses one that was changed", () =>
  inFolder(async (folder) => {
    const source = await makeSource(join(folder, "source"));
    const backup = join(folder, "one.backup");
    await saveBackup(join(source, "service.db"), backup, 0);
    const target = join(folder, "target.db");
    await move(backup, target);
    deepEqual(await sumsOf(placeOf(target)), await sumsOf(placeOf(source)));
    using file = await Deno.open(backup, { write: true });
    await file.seek(5000, Deno.SeekMode.Start);
    await file.write(new Uint8Array([1, 2, 3]));
    await rejects(move(backup, join(folder, "other.db")), /its checksum does not match/);
  }));

Deno.test("a move refuses a target with data, one in use, and its own source", () =>
  inFolder(async (folder) => {
    const source = await makeSource(join(folder, "source"));
    const refusals: [to: string, why: RegExp][] = [
      [source, /"[^"]*source\/service\.db" is both source and target$/],
      [`${folder}/../${folder.split("/").at(-1)}/source/`, /is both source and target$/],
      [await makeSource(join(folder, "full")), /full\/service\.db" exists$/],
    ];
    for (const [to, why] of refusals) await rejects(move(source, to), why);
    await rejects(move(join(folder, "none"), join(folder, "new")), /there is no database/);
    equal(await Deno.lstat(join(folder, "new")).then(() => 1, () => 0), 0, "nothing was made");
    const held = join(folder, "held");
    const lock = await lockFolder(held);
    await rejects(
      move(source, held),
      /^ConfigError: Cannot move data to .*: the service is running/,
    );
    await lock.release();
  }));

Deno.test("a move of a damaged database names its file, and what to do", () =>
  inFolder(async (folder) => {
    const source = await makeSource(join(folder, "source"));
    const file = join(source, "service.db");
    const connection = connect(file);
    const pages = connection.rows("SELECT name, rootpage FROM sqlite_schema");
    connection.close();
    const whole = await Deno.readFile(file);
    // The first one fails while rows are counted or read, the other one only while they are read.
    for (const damaged of ["sqlite_autoindex_offerings_1", "offerings"]) {
      const page = Number(pages.find(({ name }) => name === damaged)?.rootpage);
      await Deno.writeFile(file, whole.slice().fill(0xff, (page - 1) * 4096, page * 4096));
      await rejects(move(source, join(folder, "target")), (error) => {
        ok(error instanceof ConfigError, `${damaged}: ${error}`);
        match(error.message, /^Cannot open the database ".*source.service\.db": .* malformed$/);
        match(error.hint ?? "", /Restore a backup with: cli service restore FILE/);
        return true;
      });
    }
    deepEqual(await Array.fromAsync(Deno.readDir(join(folder, "target")), ({ name }) => name), [
      "service.lock",
    ]);
  }));

Deno.test("a move refuses a newer or an unknown schema", () =>
  inFolder(async (folder) => {
    const changes: [statement: string, why: RegExp][] = [
      ["INSERT INTO schema_migrations VALUES (99, 'later', 0)", /its schema version is 99/],
      ["ALTER TABLE settings ADD COLUMN more TEXT", /the definition of "settings" differs/],
      ["DROP TABLE schema_migrations", /it is not a database of this service/],
    ];
    for (const [i, [statement, why]] of changes.entries()) {
      const source = await makeSource(join(folder, `source ${i}`));
      const database = new DatabaseSync(join(source, "service.db"));
      database.exec(statement);
      database.close();
      await rejects(move(source, join(folder, "target.db")), why);
    }
  }));

Deno.test("a move that is stopped or fails leaves nothing in the target", () =>
  inFolder(async (folder) => {
    const source = await makeSource(join(folder, "source"));
    const broken = await makeSource(join(folder, "broken"));
    const database = new DatabaseSync(join(broken, "service.db"));
    database.exec("PRAGMA foreign_keys = OFF; DELETE FROM apps");
    database.close();
    await onEachTarget(folder, async (target) => {
      const stop = new AbortController();
      await rejects(
        move(source, target, ({ rows }) => rows > 20 && stop.abort(), stop.signal),
        Cancelled,
      );
      await rejects(move(broken, target), (error) => {
        ok(error instanceof ConfigError);
        match(error.message, /a row of "app_keys" refers|violates foreign key/);
        match(error.hint ?? "", /cli service check/);
        return true;
      });
      await move(source, target);
    });
    const left = Array.from(Deno.readDirSync(join(folder, "target")), ({ name }) => name).sort();
    deepEqual(left, ["service.db", "service.lock"]);
  }));

Deno.test(
  "a move to PostgreSQL leaves the schema that a service makes",
  ONLY_POSTGRES,
  () =>
    inFolder(async (folder) => {
      const source = await makeSource(join(folder, "source"));
      const usual = await createDatabase();
      const describe = (name: string) =>
        onDatabase(name, async (client) => {
          const { rows } = await client.query(`
          select conrelid::regclass || ' ' || conname || ' ' || pg_get_constraintdef(oid) ||
            convalidated as line from pg_constraint where conrelid <> 0
          union all select indexrelid::regclass || ' ' || pg_get_indexdef(indexrelid)
            from pg_index join pg_class on pg_class.oid = indrelid
            where relnamespace = current_schema()::regnamespace`);
          return rows.map(({ line }) => String(line)).sort();
        });
      try {
        await withNewDatabase(async (target) => {
          await move(source, target);
          deepEqual(await describe(nameIn(target)), await describe(usual));
          const { rows } = await onDatabase(
            nameIn(target),
            (client) =>
              client.query("select reltuples as n from pg_class where relname = 'customers'"),
          );
          equal(rows[0]?.n, 7, "the tables were analyzed");
        });
      } finally {
        await dropDatabase(usual);
      }
    }),
);

Deno.test("a move refuses a text that it would cut", () =>
  inFolder(async (folder) => {
    const source = await makeSource(join(folder, "source"));
    const database = new DatabaseSync(join(source, "service.db"));
    database.prepare("INSERT INTO settings VALUES (?, ?)").run("odd", "a\0b");
    database.close();
    await onEachTarget(folder, async (target) => {
      await rejects(
        move(source, target),
        /Cannot read the table "settings": a text in the row \["odd"\] contains U\+0000$/,
      );
    });
  }));

Deno.test(
  "a move notices a copy that differs from its source",
  ONLY_POSTGRES,
  () =>
    inFolder(async (folder) => {
      const source = await makeSource(join(folder, "source"));
      await withNewDatabase(async (target) => {
        await onDatabase(nameIn(target), (client) =>
          client.query(`
          create function meddle() returns trigger language plpgsql as
            $$ begin new.value := new.value || ' '; return new; end $$;
          create function watch() returns event_trigger language plpgsql as $$ begin
            if to_regclass('settings') is not null
              and not exists (select from pg_trigger where tgname = 'meddle') then
              create trigger meddle before insert on settings for each row execute function meddle();
            end if; end $$;
          create event trigger watch on ddl_command_end when tag in ('CREATE TABLE')
            execute function watch()`));
        await rejects(move(source, target), (error) => {
          ok(error instanceof ConfigError);
          match(error.message, /^Cannot move the table "settings" to .*: the source has 10 rows/);
          return true;
        });
        const { rows } = await onDatabase(
          nameIn(target),
          (client) => client.query("select tablename from pg_tables where schemaname = 'public'"),
        );
        deepEqual(rows, []);
      });
    }),
);

Deno.test(
  "who starts on a database that is being filled waits, and then goes on",
  ONLY_POSTGRES,
  () =>
    inFolder(async (folder) => {
      const source = await makeSource(join(folder, "source"));
      await withNewDatabase(async (address) => {
        const target = await openTarget(placeOf(address), migrations.length);
        const why = /another process is making its tables or moving data into it$/;
        const said: string[] = [];
        const opening = openDatabase({ file: address, say: (text) => said.push(text) });
        // A second move waits for some seconds, as long as any statement waits for a lock.
        await rejects(move(source, address), why);
        while (said.length === 0) await new Promise((resolve) => setTimeout(resolve, 50));
        match(said[0] ?? "", /^Waiting for the database "postgres:.*": another process is making /);
        await target.close();
        const store = await opening;
        equal(said.length, 1);
        await rejects(move(source, address), /: a service works on it$/);
        await store.close();
        await rejects(move(source, address), /: it has tables already$/);
      });
    }),
);

Deno.test(
  "sequences go on behind the rows that were moved",
  ONLY_POSTGRES,
  () =>
    withNewDatabase(async (target) => {
      const { pool, wire } = await connectTo(readAddress(target), 1);
      await wire.send("create table one (id bigint generated by default as identity, n bigserial)");
      await wire.send("create table two (id serial)");
      await wire.send("insert into one values (41, 7)");
      await setSequences(wire);
      const one = await wire.send("insert into one default values returning id, n");
      const two = await wire.send("insert into two default values returning id");
      deepEqual([one.rows, two.rows], [[{ id: 42, n: 8 }], [{ id: 1 }]]);
      wire.release(false);
      await pool.close();
    }),
);
