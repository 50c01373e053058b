import { deepEqual, throws } from "node:assert/strict";
import { sql } from "kysely";
import { connect, type Connection } from "../../../../lib/service/store/sqlite/connection.ts";
import { createReader } from "../../../../lib/service/store/sqlite/reader.ts";
import type { Tx } from "../../../../lib/service/store/queries.ts";
import { inFolder } from "../../../support/store_fixture.ts";

/** The number of notes. */
async function notes(tx: Tx): Promise<number | undefined> {
  return (await sql<{ n: number }>`SELECT count(*) AS n FROM notes`.execute(tx)).rows[0]?.n;
}

Deno.test("no read joins a snapshot that an error has ended while another read uses it", () =>
  inFolder(async (folder) => {
    const file = `${folder}/data.db`;
    const writer = connect(file);
    writer.script("PRAGMA journal_mode = WAL; CREATE TABLE notes (body TEXT) STRICT;");
    const opened: Connection[] = [];
    const reader = createReader(() => {
      const connection = connect(file, { readOnly: true });
      opened.push(connection);
      return connection;
    });
    const gate = Promise.withResolvers<void>();
    const first = reader.run(async (tx) => {
      await notes(tx);
      await gate.promise;
    });
    await reader.run(notes);
    // As some errors of the disk do: the statement fails, and the transaction is over.
    opened[0]?.run("ROLLBACK");
    throws(() => opened[0]?.rows("SELECT * FROM missing"));
    await reader.run(notes);
    const twice = await reader.run(async (tx) => {
      const before = await notes(tx);
      writer.rows("INSERT INTO notes VALUES ('late')");
      return [before, await notes(tx)];
    });
    deepEqual(twice, [0, 0], "a read sees no commit that comes during it");
    gate.resolve();
    await first;
    await reader.close();
    writer.close();
  }));
