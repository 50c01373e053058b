/**
 * What any server on one file can do at best: a GET runs one prepared statement, a POST writes one row
 * that is on disk before it is answered, and that is all. Takes the file, and prints its address.
 *
 * @module
 */

import { DatabaseSync, type SQLInputValue } from "node:sqlite";

/** A row, as an offering has it. */
const COLUMNS = ["id", "lookup_key", "display_name", "state", "created_at", "project_id"];

const HEADERS = { "Content-Type": "application/json" };

/** Opens the file, with one row in it. */
function openFile(file: string): DatabaseSync {
  const database = new DatabaseSync(file);
  database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL");
  database.exec(`CREATE TABLE offerings (${COLUMNS.join(", ")}, PRIMARY KEY (project_id, id))`);
  database.exec(
    "INSERT INTO offerings VALUES ('ofrng1', 'key', 'An offering', 'active', 1, 'proj1')",
  );
  return database;
}

/** Answers with the row, or writes another one. */
function serveRows(database: DatabaseSync): number {
  const find = database.prepare("SELECT * FROM offerings WHERE project_id = ? AND id = ?");
  const insert = database.prepare(
    `INSERT INTO offerings VALUES (${COLUMNS.map(() => "?").join(", ")})`,
  );
  let last = 1;
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, async (request) => {
    if (request.method === "GET") {
      return new Response(JSON.stringify(find.get("proj1", "ofrng1")), { headers: HEADERS });
    }
    const { lookup_key, display_name } = await request.json();
    const row = { id: `ofrng${++last}`, lookup_key, display_name, state: "active" };
    const whole = { ...row, created_at: Date.now(), project_id: "proj1" };
    const values: SQLInputValue[] = Object.values(whole);
    insert.run(...values);
    return new Response(JSON.stringify(whole), { status: 201, headers: HEADERS });
  });
  return server.addr.port;
}

if (import.meta.main) {
  const port = serveRows(openFile(Deno.args[0] ?? ":memory:"));
  console.log(JSON.stringify({ base_url: `http://127.0.0.1:${port}` }));
}
