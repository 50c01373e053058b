import { deepEqual, match, notEqual } from "node:assert/strict";
import plugin from "../../scripts/lint/plugin.ts";
import { ACROSS } from "../../scripts/lint/tenancy.ts";

/** The messages of the rule about a file. */
function messages(path: string, source: string): string[] {
  return Deno.lint.runPlugin(plugin, path, source).filter(({ id }) => id === "house/tenancy")
    .map(({ message }) => message);
}

Deno.test("rows of a project are queried in one way only", () => {
  const refused = [
    "sql`select * from customers where id = 1`;",
    "sql`delete from deliveries`;",
    "sql`update events set seq = 1`;",
    "sql<Row>`select 1 from ${x} join apps on true`;",
    "fixed`select * from customers where id = ${id}`;",
    'fixed`select * from "customers" where id = ${id}`;',
    'fixed`select * from"customers" where id = ${id}`;',
    "fixed`select * from settings as s, customers`;",
    "sql`select * from ${tx.rows('apps')} as a, settings, customers`;",
    "fixed`delete from settings using customers`;",
    "fixed`truncate customers`;",
    "fixed`truncate table customers`;",
    "sql.table(name);",
    "sql.raw(text);",
    "sql.ref(name);",
    "sql.id(name);",
    "const { one } = f(sql.raw);",
    'fixed`delete from settings where `.execute(tx, "1 = (select 1 from customers)");',
    "fixed`delete from settings where `.execute(tx, text);",
    "fixed`delete from settings where `.execute(tx, `${text}`);",
    `import { "acrossProjects" as all } from "../store/mod.ts";`,
    `import type { AllQueries } from "../store/queries.ts";`,
    `import { acrossProjects } from "../store/mod.ts";`,
    `import { runText } from "../store/fixed.ts";`,
  ];
  const allowed = [
    "sql`select * from ${tx.rows('customers')} where id = 1`;",
    "sql`select * from idempotency_keys`;",
    "fixed`select * from idempotency_keys where key = ${key}`;",
    "fixed`select * from settings as s, grants, ${sql.join(all)} order by name, customers`;",
    "sql`${sql.join([sql.lit(1), sql.val(2), sql.value(3)])}`;",
    'fixed`select * from settings where `.execute(tx, "name is null");',
    "fixed`select * from settings`.execute(tx, skipHeld(tx));",
    "sql`insert into settings values (1) on conflict do update set value = 1`;",
  ];
  for (const source of refused) {
    deepEqual(messages("lib/service/routes/apps.ts", source).length, 1, source);
    deepEqual(messages("lib/service/store/apps.ts", source), [], source);
  }
  for (const source of allowed) deepEqual(messages("lib/service/routes/apps.ts", source), []);
});

/** A file that may look at all projects. */
const LISTED = "lib/service/events/claims.ts";

Deno.test("a statement on all projects has a comment with the reason", () => {
  const statements = [
    "fixed`select * from deliveries`;",
    "sql<Row>`select 1 from deliveries`;",
    "const a = await acrossProjects(tx).selectFrom(name).execute();",
    "const b = sql.table(name);",
    "const b = sql.raw(text);",
    "await runText(tx, text, values);",
    "const all = acrossProjects;",
    "const all: AllQueries = tx;",
    "await fixed`delete from settings where `.execute(tx, text);",
    "const c = await read((tx) =>\n  fixed`select min(seq) from deliveries`.execute(tx));",
    "function f() {\n  return acrossProjects(tx);\n}",
  ];
  const reason = "// All projects: the worker\n// delivers for each.\n";
  for (const source of statements) {
    const [message = "", ...others] = messages(LISTED, source);
    match(message, /rows of all projects/);
    deepEqual(others, []);
    deepEqual(messages(LISTED, `// A word.\n${source}`).length, 1, source);
    deepEqual(messages(LISTED, `// All projects:\n${source}`).length, 1, source);
    deepEqual(messages(LISTED, `${reason}const one = 1;\n${source}`).length, 2, source);
    if (source.startsWith("function")) continue;
    deepEqual(messages(LISTED, reason + source), [], source);
  }
  const inside = "function f() {\n  // All projects: why.\n  return acrossProjects(tx);\n}";
  deepEqual(messages(LISTED, inside), []);
  deepEqual(messages("lib/service/routes/apps.ts", reason + statements[0]).length, 1);
});

Deno.test("a statement with a condition on the project for each table needs no comment", () => {
  const bound = [
    "fixed`select * from deliveries where project_id = ${tx.projectId} and id = ${id}`;",
    "fixed`select 1 from a join b on b.project_id = a.project_id where a.project_id = ${project_id}`;",
    "fixed`update projects set seq = 1 where id = ${tx.projectId}`;",
    "fixed`select 1 from projects join a on a.project_id = projects.id where projects.id = ${projectId}`;",
    "fixed`select * from idempotency_keys`;",
  ];
  const unbound = [
    "fixed`select 1 from a join b on b.id = a.b_id where a.project_id = ${project_id}`;",
    "fixed`select 1 from a join b on b.project_id = a.project_id`;",
    "fixed`delete from deliveries where project_id = ${id}`;",
    "fixed`update deliveries set seq = 1 where id = ${tx.projectId}`;",
    "fixed`update projects set seq = 1 where seq = ${tx.projectId}`;",
    "fixed`delete from a where project_id = ${projectId} and id in (select id from b)`;",
  ];
  for (const source of bound) deepEqual(messages(LISTED, source), [], source);
  for (const source of unbound) deepEqual(messages(LISTED, source).length, 1, source);
});

Deno.test("each file that may look at all projects does so", async () => {
  for (const path of ACROSS) {
    const source = await Deno.readTextFile(new URL(`../../${path}`, import.meta.url));
    deepEqual(messages(path, source), [], path);
    notEqual(messages("lib/service/routes/apps.ts", source).length, 0, path);
  }
});
