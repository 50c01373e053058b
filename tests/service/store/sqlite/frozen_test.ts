import { deepEqual } from "node:assert/strict";
import { join } from "node:path";
import { connect } from "../../../../lib/service/store/sqlite/connection.ts";
import { freezeSqlite } from "../../../../lib/service/store/sqlite/frozen.ts";
import { inFolder, withStore } from "../../../support/store_fixture.ts";

Deno.test("an inspection names damage, and without any the texts that are cut", () =>
  inFolder(async (folder) => {
    const file = join(folder, "service.db");
    await withStore(file, async () => {});
    const inspected = async () => {
      const database = await freezeSqlite({ file, folder: undefined });
      try {
        return await database.inspect();
      } finally {
        await database.close();
      }
    };
    const change = (sql: string) => {
      const connection = connect(file);
      connection.script(sql);
      connection.close();
    };
    deepEqual(await inspected(), []);
    change("INSERT INTO settings (name, value) VALUES ('odd', 'a' || char(0) || 'b')");
    deepEqual(await inspected(), [
      { problem: "a text contains U+0000", table: "settings", name: "odd" },
    ]);
    change("PRAGMA ignore_check_constraints = ON; UPDATE projects SET clock_runs_after = 7;");
    deepEqual(await inspected(), [{ problem: "CHECK constraint failed in projects" }]);
  }));
