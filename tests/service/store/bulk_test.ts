import { deepEqual, equal } from "node:assert/strict";
import type { CompiledQuery } from "kysely";
import { arrayOf } from "../../../lib/service/store/postgres/arrays.ts";
import { insertText } from "../../../lib/service/store/bulk.ts";
import type { Row } from "../../../lib/service/store/tables.ts";
import { inProject, updateChanged, writeRows } from "../../../lib/service/store/mod.ts";
import { ENGINE, openForTests } from "../../support/engine.ts";

const COLUMNS = ["status", "grace_ends_at", "due_at"] as const;

/** What `updateChanged` needs of a subscription. */
type Moving = Pick<Row<"subscriptions">, typeof COLUMNS[number] | "project_id" | "id">;

/** The statement for all rows, where the engine takes arrays: the last row with an id counts. */
const TOGETHER = [{
  sql: `update "subscriptions" set "status" = given."status", ` +
    `"grace_ends_at" = given."grace_ends_at", "due_at" = given."due_at" ` +
    `from unnest(?::text[], ?::text[], ?::bigint[], ?::bigint[]) ` +
    `as given ("id", "status", "grace_ends_at", "due_at") ` +
    `where "subscriptions"."project_id" = ? and "subscriptions"."id" = given."id"`,
  parameters: [
    arrayOf("text", ["sub1"]),
    arrayOf("text", ["active"]),
    arrayOf("bigint", [0]),
    arrayOf("bigint", [null]),
    "proj1",
  ],
}];

Deno.test("an update writes only the columns that differ, and nothing when none does", async () => {
  const before: Moving = {
    project_id: "proj1",
    id: "sub1",
    status: "active",
    grace_ends_at: null,
    due_at: 5,
  };
  const changes = [
    { before, after: { ...before, due_at: 7 } },
    { before, after: { ...before } },
    { before, after: { ...before, grace_ends_at: 0, due_at: null } },
  ];
  const store = await openForTests({ file: ":memory:" });
  const sent: Pick<CompiledQuery, "sql" | "parameters">[] = [];
  await store.write(async (tx) => {
    const noted: typeof tx = {
      ...tx,
      runWritten: (query) => {
        sent.push({ sql: query.sql, parameters: query.parameters });
        return tx.runWritten(query);
      },
    };
    await updateChanged(inProject(noted, before.project_id), "subscriptions", changes, COLUMNS);
  });
  await store.close();
  const where = `where "project_id" = ? and "id" = ?`;
  deepEqual(
    sent,
    ENGINE === "postgres" ? TOGETHER : [
      { sql: `update "subscriptions" set "due_at" = ? ${where}`, parameters: [7, "proj1", "sub1"] },
      {
        sql: `update "subscriptions" set "grace_ends_at" = ?, "due_at" = ? ${where}`,
        parameters: [0, null, "proj1", "sub1"],
      },
    ],
  );
});

Deno.test("rows for an engine that takes arrays are one statement, with an array for each column", async () => {
  const store = await openForTests({ file: ":memory:" });
  const sent: Pick<CompiledQuery, "sql" | "parameters">[] = [];
  const typeOf = (_: string, column: string) =>
    ["seq", "created_at"].includes(column) ? "bigint" : "text";
  await store.write(async (tx) => {
    const noted: typeof tx = {
      ...tx,
      arrays: { typeOf, value: (type, values) => [type, ...values] },
      runWritten({ sql, parameters }) {
        sent.push({ sql, parameters });
        return Promise.resolve({ rows: [] });
      },
    };
    const rows = [1, 2].map((seq) => ({
      alias: `a${seq}`,
      customer_id: "ada",
      seq,
      created_at: 0,
    }));
    await writeRows(inProject(noted, "proj1"), "customer_aliases", rows);
  });
  await store.close();
  deepEqual(sent, [{
    sql: `insert into "customer_aliases" ` +
      `("project_id", "alias", "customer_id", "seq", "created_at") ` +
      `select ?::text, * from unnest(?::text[], ?::text[], ?::bigint[], ?::bigint[])`,
    parameters: [
      "proj1",
      ["text", "a1", "a2"],
      ["text", "ada", "ada"],
      ["bigint", 1, 2],
      ["bigint", 0, 0],
    ],
  }]);
});

Deno.test("the text of an insert is that of its columns, rows and conflict", () => {
  const columns = ["project_id", "day", "month"];
  const texts = [
    insertText("movements", columns, 1),
    insertText("movements", columns, 2),
    insertText("movements", columns, 1, { key: ["project_id"], then: "add" }),
    insertText("movements", columns, 1, { key: ["project_id"], then: "replace" }),
    insertText("movements", columns, 1, { key: ["project_id", "at"], then: "replace" }),
    insertText("movements", columns.toReversed(), 1),
  ];
  equal(new Set(texts).size, texts.length);
  equal(insertText("movements", [...columns], 2), texts[1]);
});
