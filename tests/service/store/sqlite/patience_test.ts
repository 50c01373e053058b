import { deepEqual, equal, match, ok, rejects } from "node:assert/strict";
import { join } from "node:path";
import { connect } from "../../../../lib/service/store/sqlite/connection.ts";
import { openStore } from "../../../../lib/service/store/mod.ts";
import { createLogKeeper, isBusy } from "../../../../lib/service/store/sqlite/patience.ts";
import { addOffering, addProject, inFolder, offeringIds } from "../../../support/store_fixture.ts";

Deno.test("a write waits for another program's write, and reads go on meanwhile", () =>
  inFolder(async (folder) => {
    const file = join(folder, "data.db");
    const store = openStore({ file });
    await store.write(addProject);
    const other = connect(file);
    other.run("BEGIN IMMEDIATE");
    const writing = store.write((tx) => addOffering(tx, "ofrng1"));
    let longest = 0;
    for (let i = 0; i < 20; i++) {
      const before = performance.now();
      deepEqual(await store.read(offeringIds), []);
      await new Promise((resolve) => setTimeout(resolve, 1));
      longest = Math.max(longest, performance.now() - before);
    }
    ok(longest < 500, `a read took ${longest} ms`);
    other.run("COMMIT");
    equal(await writing, "ofrng1");
    other.close();
    await store.close();
  }));

Deno.test("a write that waits too long is refused once for all, and both ends are said", () =>
  inFolder(async (folder) => {
    const file = join(folder, "data.db");
    const said: string[] = [];
    const store = openStore({ file, say: (message) => said.push(message) });
    await store.write(addProject);
    const other = connect(file);
    other.run("BEGIN IMMEDIATE");
    const begun = performance.now();
    const many = ["a", "b", "c", "d", "e"].map((id) => store.write((tx) => addOffering(tx, id)));
    await Promise.all(many.map((one) => rejects(one, isBusy)));
    ok(performance.now() - begun < 6000, "they wait together");
    other.run("ROLLBACK");
    await store.write((tx) => addOffering(tx, "f"));
    equal(said.length, 2);
    match(said[0] ?? "", /^Another program keeps writing .* return 503/);
    match(said[1] ?? "", /stopped writing/);
    other.close();
    await store.close();
  }));

Deno.test("a log that another reader keeps is named, and emptied once that has gone", () =>
  inFolder(async (folder) => {
    const file = join(folder, "data.db");
    const ours = connect(file);
    ours.script("PRAGMA journal_mode = WAL; CREATE TABLE notes (body TEXT) STRICT;");
    ours.rows("PRAGMA busy_timeout = 1");
    const said: string[] = [];
    const limits = { usual: 1_000_000, largest: 4_000_000 };
    const keeper = createLogKeeper(ours, file, (message) => said.push(message), limits);
    const other = connect(file, { readOnly: true });
    other.run("BEGIN");
    other.rows("SELECT * FROM notes");
    for (let i = 0; i < 60; i++) ours.rows("INSERT INTO notes VALUES (?)", "x".repeat(100_000));
    const log = () => Deno.statSync(`${file}-wal`).size;
    ok(log() > limits.largest);
    keeper.shrink();
    keeper.shrink();
    equal(said.length, 1);
    match(
      said[0] ?? "",
      /^Another program reads the database, so its log has grown to 6 MB: close /,
    );
    ours.run("BEGIN");
    keeper.shrink();
    ours.run("COMMIT");
    other.run("COMMIT");
    keeper.shrink();
    equal(log(), 0);
    other.close();
    ours.close();
  }));

Deno.test("a store's log starts afresh at its usual length", () =>
  inFolder(async (folder) => {
    const store = openStore({ file: join(folder, "data.db") });
    await store.write(addProject);
    await store.shrinkLog();
    const connection = connect(join(folder, "data.db"));
    deepEqual(connection.rows("PRAGMA journal_size_limit"), [
      { journal_size_limit: 16 * 1024 * 1024 },
    ]);
    connection.close();
    await store.close();
    await store.shrinkLog();
  }));
