import { deepEqual } from "node:assert/strict";
import { connect } from "../../../../lib/service/store/sqlite/connection.ts";

Deno.test("a query that returns many rows returns the same ones as at first", () => {
  const connection = connect(":memory:");
  const names = Array.from({ length: 60 }, (_, i) => `column ${i} "of" 60 \\`);
  const quoted = names.map((name) => `"${name.replaceAll('"', '""')}"`);
  connection.run(`CREATE TABLE wide (${quoted.join(", ")})`);
  const rows = Array.from(
    { length: 100 },
    (_, i) => Object.fromEntries(names.map((name, j) => [name, j % 2 ? i * j : `${i} "${j}"`])),
  );
  const marks = names.map(() => "?").join(", ");
  for (const row of rows) {
    connection.rows(`INSERT INTO wide VALUES (${marks})`, ...Object.values(row));
  }
  for (const limit of [1, 30, 40, 100, 3, 0]) {
    const found = connection.rows("SELECT * FROM wide ORDER BY rowid LIMIT ?", limit);
    deepEqual(found, rows.slice(0, limit));
    // Names in their order too.
    deepEqual(JSON.stringify(found), JSON.stringify(rows.slice(0, limit)));
  }
  connection.close();
});
