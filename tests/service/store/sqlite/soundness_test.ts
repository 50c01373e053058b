import { deepEqual, equal, match, ok, rejects, throws } from "node:assert/strict";
import { join } from "node:path";
import { ConfigError } from "../../../../lib/errors.ts";
import { migrations } from "../../../../lib/service/store/migrations/mod.ts";
import { connect } from "../../../../lib/service/store/sqlite/connection.ts";
import { migrate } from "../../../../lib/service/store/sqlite/migrate.ts";
import { isAsWritten } from "../../../../lib/service/store/sqlite/soundness.ts";
import { lockFolder, openStore } from "../../../../lib/service/store/mod.ts";
import {
  addOffering,
  addProject,
  inFolder,
  offeringIds,
  withStore,
} from "../../../support/store_fixture.ts";

/** A database of some pages that nobody has open. */
async function made(folder: string): Promise<string> {
  const file = join(folder, "service.db");
  await withStore(file, (store) =>
    store.write(async (tx) => {
      for (let i = 0; i < 400; i++) await addOffering(tx, `ofrng${i}`, "x".repeat(150) + i);
    }));
  return file;
}

/** Checks that a file is refused as damaged, with the commands that help, and is left as it is. */
async function refused(file: string, message: RegExp): Promise<void> {
  const before = await Deno.readFile(file).catch(() => undefined);
  throws(() => openStore({ file }), (error) => {
    ok(error instanceof ConfigError, String(error));
    match(error.message, message);
    match(error.hint ?? "", /cli service restore FILE --data .*cli service reset --data /);
    return true;
  });
  deepEqual(await Deno.readFile(file).catch(() => undefined), before);
}

Deno.test("a database that was cut off anywhere is refused at the start", () =>
  inFolder(async (folder) => {
    const file = await made(folder);
    const whole = await Deno.readFile(file);
    ok(whole.length > 40 * 4096);
    for (const left of [0.1, 0.5, 0.9, 1 - 1 / whole.length]) {
      const size = Math.floor(whole.length * left);
      await Deno.writeFile(file, whole.subarray(0, size));
      await refused(
        file,
        new RegExp(`: it is truncated: it has ${size} bytes and should have ${whole.length}$`),
      );
    }
    await Deno.writeFile(file, whole);
    await openStore({ file }).close();
  }));

Deno.test("a database that was cut off beside its log is refused at the start", () =>
  inFolder(async (folder) => {
    const file = await made(folder);
    const store = openStore({ file });
    await store.write((tx) => addOffering(tx, "ofrnglast"));
    const copy = join(folder, "copy.db");
    await Deno.copyFile(`${file}-wal`, `${copy}-wal`);
    const whole = await Deno.readFile(file);
    await store.close();
    await Deno.writeFile(copy, whole.subarray(0, whole.length / 2));
    throws(() => openStore({ file: copy }), ConfigError);
  }));

Deno.test("an empty or missing database beside a log is refused, and the log stays", () =>
  inFolder(async (folder) => {
    const file = await made(folder);
    const store = openStore({ file });
    await store.write((tx) => addOffering(tx, "ofrnglast"));
    const log = await Deno.readFile(`${file}-wal`);
    await store.close();
    await Deno.writeFile(`${file}-wal`, log);
    await Deno.writeFile(file, new Uint8Array());
    await refused(file, /: it is empty, and its log ".*service.db-wal" exists$/);
    await Deno.remove(file);
    await refused(file, /: it is missing, and its log ".*service.db-wal" exists$/);
    deepEqual(await Deno.readFile(`${file}-wal`), log);
  }));

Deno.test("an empty database is refused, also without a log", () =>
  inFolder(async (folder) => {
    const file = join(folder, "service.db");
    await Deno.writeFile(file, new Uint8Array());
    await refused(file, /: it is empty$/);
  }));

Deno.test({
  name: "a new database gets its name when it is whole",
  ignore: Deno.build.os === "windows",
  fn: () =>
    inFolder(async (folder) => {
      const file = join(folder, "service.db");
      const opening = `
        Deno.renameSync = () => Deno.kill(Deno.pid, "SIGKILL");
        const { openStore } = await import(${
        JSON.stringify(import.meta.resolve("../../../../lib/service/store/mod.ts"))
      });
        openStore({ file: Deno.args[0] });`;
      const { signal } = await new Deno.Command(Deno.execPath(), {
        args: ["eval", "--no-check", opening, file],
      }).output();
      equal(signal, "SIGKILL");
      const [left, ...others] = await Array.fromAsync(Deno.readDir(folder), ({ name }) => name);
      match(left ?? "", /^service\.db\.[0-9a-f-]{36}\.tmp$/);
      deepEqual(others, []);
      await (await lockFolder(folder)).release();
      await openStore({ file }).close();
      const names = await Array.fromAsync(Deno.readDir(folder), ({ name }) => name);
      deepEqual(names.sort(), ["service.db", "service.lock"]);
    }),
});

Deno.test("a page of noise in a table is found at the start", () =>
  inFolder(async (folder) => {
    const file = await made(folder);
    const bytes = await Deno.readFile(file);
    const connection = connect(file);
    const [row] = connection.rows("SELECT rootpage FROM sqlite_schema WHERE name = 'offerings'");
    connection.close();
    const page = Number(row?.rootpage);
    bytes.fill(0xff, (page - 1) * 4096, page * 4096);
    await Deno.writeFile(file, bytes);
    throws(() => openStore({ file }), /^ConfigError: Cannot open the database /);
  }));

Deno.test("a check ends when its time is up, with all that it has not looked at", () =>
  inFolder(async (folder) => {
    const file = await made(folder);
    let looks = 0;
    const clock = () => ++looks * 1000;
    await openStore({ file, clock }).close();
    ok(looks < 10, `${looks} looks at the clock`);
  }));

Deno.test("a database with other tables than those of this version is refused", () =>
  inFolder(async (folder) => {
    const file = await made(folder);
    const connection = connect(file);
    connection.run("ALTER TABLE offerings ADD COLUMN colour TEXT");
    connection.close();
    throws(
      () => openStore({ file }),
      /: the definition of "offerings" differs from this version$/,
    );
  }));

Deno.test("the tables of a new database are those that its steps write out", () => {
  const connection = connect(":memory:");
  migrate(connection, migrations, { file: ":memory:", now: 0 });
  ok(isAsWritten(connection, migrations));
  connection.run("CREATE INDEX offerings_by_name ON offerings (display_name)");
  ok(!isAsWritten(connection, migrations));
  connection.run("DROP INDEX offerings_by_name");
  ok(isAsWritten(connection, migrations));
  connection.run("DROP INDEX movements_by_refunded");
  ok(!isAsWritten(connection, migrations));
  connection.run("CREATE INDEX movements_by_refunded ON movements (project_id, at)");
  ok(!isAsWritten(connection, migrations));
  connection.close();
});

Deno.test("tables are not known from the text of a step that changes others", () => {
  const connection = connect(":memory:");
  const steps = [...migrations, { name: "more", sql: "ALTER TABLE offerings ADD COLUMN x TEXT;" }];
  migrate(connection, migrations, { file: ":memory:", now: 0 });
  ok(!isAsWritten(connection, steps));
  connection.close();
});

Deno.test("a sound database is opened with all that it has", () =>
  inFolder(async (folder) => {
    const file = await made(folder);
    const store = openStore({ file });
    equal((await store.read(offeringIds)).length, 400);
    await rejects(store.write(addProject));
    await store.close();
  }));
