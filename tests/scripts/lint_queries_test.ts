import { deepEqual, equal } from "node:assert/strict";
import plugin from "../../scripts/lint/plugin.ts";

/** How often the rule refuses a file. */
function refusals(path: string, source: string): number {
  return Deno.lint.runPlugin(plugin, path, source).filter(({ id }) => id === "house/queries")
    .length;
}

const FILE = "lib/service/records/apps.ts";

Deno.test("what queries the database is imported name by name", () => {
  const refused = [
    `import * as store from "../store/mod.ts";`,
    `import type * as store from "../store/queries.ts";`,
    `export * from "../store/mod.ts";`,
    `export * as store from "../store/fixed.ts";`,
    `export { acrossProjects } from "../store/mod.ts";`,
    `const store = await import("../store/mod.ts");`,
    `type All = import("../store/queries.ts").AllQueries;`,
    `import { connect } from "../store/sqlite/connection.ts";`,
    `import { acrossProjects as all } from "../store/mod.ts";`,
    `import { fixed as written } from "../store/mod.ts";`,
    `import { sql as text } from "kysely";`,
    `import * as kysely from "kysely";`,
    `import kysely from "kysely";`,
    `import { CompiledQuery } from "kysely";`,
    `const kysely = await import("kysely");`,
  ];
  const allowed = [
    `import { acrossProjects, fixed, type Tx } from "../store/mod.ts";`,
    `import type { Overview } from "../store/postgres/overview.ts";`,
    `import { findRow as find } from "../store/mod.ts";`,
    `import { type RawBuilder, sql } from "kysely";`,
    `import type { SqlBool } from "kysely";`,
    `import * as tools from "./tools.ts";`,
    `const tools = await import("./tools.ts");`,
    `export * from "./tools.ts";`,
  ];
  for (const source of refused) {
    equal(refusals(FILE, source), 1, source);
    equal(refusals("lib/service/store/apps.ts", source), 0, source);
  }
  for (const source of allowed) equal(refusals(FILE, source), 0, source);
});

Deno.test("SQL runs from templates only", () => {
  const imports = `import { fixed, loadedBuilder } from "../store/mod.ts";\n`;
  const refused = [
    "const text = sql; text`delete from customers`;",
    "const text = fixed; text`delete from customers`;",
    "const { raw } = sql;",
    'sql["raw"](text);',
    "run({ sql });",
    "const { DefaultQueryExecutor } = loadedBuilder();",
    "const { sql: text } = loadedBuilder();",
    "loadedBuilder().sql.raw(text);",
    "const load = loadedBuilder;",
    "tx.runWritten(query);",
    'tx["runWritten"](query);',
    "const { getExecutor } = tx;",
  ];
  const allowed = [
    "const { sql } = loadedBuilder();\nsql`select 1`;",
    "fixed<Row>`select 1`.execute(tx);",
    "sql.join(values);",
    "print({ sql: text }, step.sql);",
  ];
  for (const source of refused) {
    deepEqual([source, refusals(FILE, imports + source) > 0], [source, true]);
  }
  for (const source of allowed) equal(refusals(FILE, imports + source), 0, source);
  equal(refusals(FILE, "const fixed = 1;\nprint(fixed);"), 0);
});
