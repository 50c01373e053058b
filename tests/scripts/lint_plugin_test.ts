import { deepEqual, equal, match, ok } from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { FILE_LINES, FUNCTION_LINES } from "../../scripts/lint/shape.ts";
import { DOORS, repositoryPath, roomOf } from "../../scripts/lint/rooms.ts";
import plugin from "../../scripts/lint/plugin.ts";

/** The ids of the rules that refuse a file, without the plugin's name. */
function refusals(path: string, source: string): string[] {
  return found(path, source).map(({ id }) => id.replace("house/", ""));
}

/** The plugin's reports about a file. */
function found(path: string, source: string): Deno.lint.Diagnostic[] {
  return Deno.lint.runPlugin(plugin, path, source);
}

Deno.test("tests open a service in one way", () => {
  const test = "tests/service/http/health_test.ts";
  const refused: [path: string, source: string][] = [
    [test, `import { openService } from "../../../lib/service/mod.ts";`],
    [test, `import { openService as open } from "../../../lib/service/mod.ts";`],
    [test, `import { openService, type Service } from "../../../lib/service/mod.ts";`],
    [test, `import * as service from "../../../lib/service/mod.ts";`],
    [test, `const { openService } = await import("../../../lib/service/mod.ts");`],
    ["tests/support/harness.ts", `import { openService } from "../../lib/service/mod.ts";`],
  ];
  for (const [path, source] of refused) deepEqual(refusals(path, source), ["openers"], source);
  const allowed: [path: string, source: string][] = [
    [test, `import type { Service } from "../../../lib/service/mod.ts";`],
    [test, `import { PUBLIC_LIMITS } from "../../../lib/service/mod.ts";`],
    [test, `import { openService } from "../../support/engine.ts";`],
    [test, `import { openService } from "../../../lib/service/other/mod.ts";`],
    ["tests/support/engine.ts", `import { openService } from "../../lib/service/mod.ts";`],
    ["scripts/docs/commands.ts", `import { openService } from "../../lib/service/mod.ts";`],
  ];
  for (const [path, source] of allowed) deepEqual(refusals(path, source), [], source);
});

Deno.test("imports go in one direction", () => {
  const refused: [path: string, source: string][] = [
    ["cli.ts", `import { openService } from "./lib/service/mod.ts";`],
    ["cli.ts", `import { listOfferings } from "./lib/resources/offerings.ts";`],
    ["mod.ts", `export * from "./lib/cli/main.ts";`],
    ["mod.ts", `export type { Context } from "./lib/cli/context.ts";`],
    ["lib/client.ts", `import { connect } from "./connect.ts";`],
    ["lib/page.ts", `import type { Offering } from "./resources/offerings.ts";`],
    ["lib/config/project.ts", `import { connect } from "../connect.ts";`],
    ["lib/resources/offerings.ts", `import { readStore } from "../auth/store.ts";`],
    ["lib/resources/offerings.ts", `import type { Context } from "../cli/context.ts";`],
    ["lib/resources/offerings.ts", `type Row = import("../service/store/tables.ts").OfferingRow;`],
    ["lib/cli/main.ts", `import { openService } from "../service/mod.ts";`],
    ["lib/cli/main.ts", `import { type Service } from "../service/mod.ts";`],
    ["lib/cli/commands/offerings.ts", `import { openService } from "../../service/mod.ts";`],
    ["lib/cli/main.ts", `import { run } from "../../cli.ts";`],
    ["lib/cli/main.ts", `const name = "../service/mod.ts"; await import(name);`],
    ["lib/service/mod.ts", `import { listOfferings } from "../resources/offerings.ts";`],
    ["lib/service/routes/offerings.ts", `import { path } from "../../path.ts";`],
    ["lib/service/mod.ts", `import { run } from "../cli/main.ts";`],
    ["lib/service/mod.ts", `await import("../cli/main.ts");`],
    ["lib/cli/main.ts", `import { seed } from "../../tests/seed.ts";`],
    ["scripts/examples/copy.ts", `import { createClient } from "../../lib/client.ts";`],
  ];
  for (const [path, source] of refused) deepEqual(refusals(path, source), ["imports"], source);

  const allowed: [path: string, source: string][] = [
    ["cli.ts", `import { run } from "./lib/cli/main.ts";`],
    ["mod.ts", `export * from "./lib/resources/offerings.ts"; export * from "./lib/client.ts";`],
    ["lib/connect.ts", `import { credential } from "./auth/credential.ts";`],
    ["lib/auth/token.ts", `import { AuthError } from "../errors.ts";`],
    ["lib/resources/offerings.ts", `import type { Client } from "../client.ts";`],
    ["lib/resources/offerings.ts", `import type { Product } from "./products.ts";`],
    ["lib/cli/main.ts", `const { openService } = await import("../service/mod.ts");`],
    ["lib/cli/main.ts", `import type { Service } from "../service/mod.ts";`],
    ["lib/service/routes/offerings.ts", `import type { X } from "../../resources/offerings.ts";`],
    ["lib/service/mod.ts", `import type { Page } from "../page.ts";`],
    ["lib/service/store/sqlite/open.ts", `import { ConfigError } from "../../../errors.ts";`],
    ["lib/service/mod.ts", `import { VERSION } from "../version.ts";`],
    ["scripts/examples/copy.ts", `import { connect } from "../../mod.ts";`],
    [
      "tests/service/routes/offerings_test.ts",
      `import { PUBLIC_LIMITS } from "../../../lib/service/mod.ts";`,
    ],
  ];
  for (const [path, source] of allowed) deepEqual(refusals(path, source), [], source);
});

Deno.test("packages are imported only where they belong", () => {
  const refused: [path: string, source: string][] = [
    ["lib/client.ts", `import { z } from "zod";`],
    ["lib/auth/token.ts", `import * as oauth from "oauth4webapi";`],
    ["lib/resources/offerings.ts", `import { readFile } from "node:fs/promises";`],
    ["lib/cli/main.ts", `import { run } from "@stricli/core";`],
    ["lib/cli/main.ts", `import type { Command } from "@stricli/core";`],
    ["lib/cli/screen/ask.ts", `import { confirm } from "@clack/prompts";`],
    ["lib/cli/main.ts", `await import("@clack/prompts");`],
    ["lib/service/routes/offerings.ts", `import { DatabaseSync } from "node:sqlite";`],
    ["lib/service/mod.ts", `import { Kysely } from "npm:kysely@0.29.9";`],
    ["lib/config/file.ts", `import { parse } from "npm:smol-toml@1.9.1";`],
    ["lib/auth/store.ts", `await import("npm:smol-toml@1.9.1");`],
    ["tests/a_test.ts", `import fc from "fast-check";`],
    ["tests/a_test.ts", `import { equal } from "jsr:@example/assert";`],
    ["tests/a_test.ts", `import { equal } from "https://example.com/assert.ts";`],
  ];
  for (const [path, source] of refused) deepEqual(refusals(path, source), ["imports"], source);

  const allowed: [path: string, source: string][] = [
    ["lib/auth/pkce.ts", `import { Buffer } from "node:buffer";`],
    ["lib/cli/words/command.ts", `import { run } from "@stricli/core";`],
    ["lib/cli/screen/ask.ts", `const { confirm } = await import("@clack/prompts");`],
    ["lib/cli/screen/ask.ts", `import type { Option } from "@clack/prompts";`],
    ["lib/service/store/sqlite/open.ts", `import { DatabaseSync } from "node:sqlite";`],
    ["scripts/bench/store.ts", `import { DatabaseSync } from "node:sqlite";`],
    ["lib/config/file.ts", `const { parse } = await import("npm:smol-toml@1.9.1");`],
    ["lib/service/mod.ts", `import { sql } from "kysely";`],
    ["tests/support/properties.ts", `import fc from "fast-check";`],
  ];
  for (const [path, source] of allowed) deepEqual(refusals(path, source), [], source);
});

Deno.test("only three files write to the terminal", () => {
  const writes = [
    `console.error("x");`,
    `globalThis.console.log("x");`,
    `console["log"]("x");`,
    `await Deno.stdout.write(bytes);`,
    `const { stderr } = Deno;`,
    `import { stdout } from "node:process";`,
    `prompt("Name?");`,
  ];
  for (const source of writes) {
    deepEqual(refusals("lib/cli/commands/offerings.ts", source), ["terminal"], source);
    deepEqual(refusals("lib/cli/screen/output.ts", source), [], source);
    deepEqual(refusals("scripts/compile.ts", source), [], source);
  }
  deepEqual(refusals("lib/cli/main.ts", `await context.ask.confirm("Delete it?");`), []);
});

Deno.test("only cli.ts exits", () => {
  deepEqual(refusals("cli.ts", `Deno.exit(1);`), []);
  for (const path of ["lib/cli/main.ts", "scripts/demo.ts", "tests/a_test.ts"]) {
    deepEqual(refusals(path, `Deno.exit(1);`), ["exit"]);
    deepEqual(refusals(path, `process.exit(1);`), ["exit"]);
  }
});

Deno.test("only a few files read the clock", () => {
  for (const source of [`Date.now();`, `new Date();`, `Date();`, `performance.now();`]) {
    deepEqual(refusals("lib/service/routes/offerings.ts", source), ["clock"], source);
    deepEqual(refusals("lib/auth/token.ts", source), ["clock"], source);
    deepEqual(refusals("lib/service/time/clock.ts", source), [], source);
    deepEqual(refusals("tests/a_test.ts", source), [], source);
  }
  deepEqual(refusals("lib/cli/screen/output.ts", `new Date(seconds * 1000).toISOString();`), []);
  deepEqual(refusals("lib/cli/screen/output.ts", `Date.parse(text); context.now();`), []);
});

Deno.test("only the context and the platform read the environment", () => {
  for (const source of [`Deno.env.get("X");`, `process.env.X;`, `const { env } = Deno;`]) {
    deepEqual(refusals("lib/config/project.ts", source), ["environment", "platform"], source);
    deepEqual(refusals("lib/platform/node.ts", source), [], source);
    deepEqual(refusals("lib/cli/context.ts", source), [], source);
  }
});

Deno.test("the library uses Deno's own API only in one room", () => {
  const source = `const text = await Deno.readTextFile("x");`;
  deepEqual(refusals("lib/resources/offerings.ts", source), ["platform"]);
  deepEqual(refusals("lib/client.ts", source), ["platform"]);
  deepEqual(refusals("lib/config/file.ts", source), ["platform"]);
  deepEqual(refusals("lib/platform/deno.ts", source), []);
  deepEqual(refusals("lib/service/open.ts", source), []);
});

Deno.test("the library uses nothing that Node 22 lacks", () => {
  for (
    const source of [
      `using file = await Deno.open("x");`,
      `await using lock = await openLock();`,
      `const text = RegExp.escape(part);`,
      `const text = bytes.toBase64();`,
      `const text = hash.toHex();`,
      `import defer * as store from "./auth/store.ts";`,
    ]
  ) {
    ok(refusals("lib/page.ts", source).includes("runtimes"), source);
    ok(refusals("lib/platform/deno.ts", source).includes("runtimes"), source);
    ok(!refusals("lib/cli/main.ts", source).includes("runtimes"), source);
  }
  deepEqual(refusals("lib/page.ts", `const text = toBase64(bytes); Promise.all([]);`), []);
});

Deno.test("no module makes a format of Intl while it loads", () => {
  const refused = [
    `const groups = new Intl.NumberFormat("en");`,
    `const groups = Intl.NumberFormat("en");`,
    `const format = new Intl.NumberFormat("en").format;`,
    `const FORMATS = { day: new Intl.DateTimeFormat("en") };`,
  ];
  for (const source of refused) {
    deepEqual(refusals("lib/cli/screen/listing.ts", source), ["formats"], source);
    deepEqual(refusals("lib/service/reports/catalogue.ts", source), ["formats"], source);
    deepEqual(refusals("tests/a_test.ts", source), [], source);
  }
  const allowed = [
    `let groups: Intl.NumberFormat | undefined;`,
    `function grouped(n: number) { return (groups ??= new Intl.NumberFormat("en")).format(n); }`,
    `function run() { const plain = () => new Intl.NumberFormat("en"); }`,
  ];
  for (const source of allowed) {
    deepEqual(refusals("lib/cli/screen/listing.ts", source), [], source);
  }
});

Deno.test("files and functions stay short", () => {
  const lines = (count: number) => "x;\n".repeat(count);
  deepEqual(refusals("lib/a.ts", lines(FILE_LINES)), []);
  deepEqual(refusals("lib/a.ts", lines(FILE_LINES + 1)), ["file-lines"]);
  const body = (count: number) => `function f() {\n${lines(count - 2)}}`;
  deepEqual(refusals("lib/a.ts", body(FUNCTION_LINES)), []);
  deepEqual(refusals("lib/a.ts", body(FUNCTION_LINES + 1)), ["function-lines"]);
  const arrow = `run(() => {\n${lines(FUNCTION_LINES)}});`;
  deepEqual(refusals("tests/a_test.ts", arrow), ["function-lines"]);
});

Deno.test("shipped code has named exports, declared functions and no classes except errors", () => {
  const cases: [source: string, id: string][] = [
    [`/** Runs. */\nexport default function run() {}`, "named-exports"],
    [`const run = () => 1;`, "function-declarations"],
    [`/** Runs. */\nexport const run = function () {};`, "function-declarations"],
    [`class Store {}`, "error-classes"],
    [`class Store extends Base {}`, "error-classes"],
  ];
  for (const [source, id] of cases) {
    deepEqual(refusals("lib/cli/main.ts", source), [id], source);
    deepEqual(refusals("tests/a_test.ts", source), [], source);
  }
  deepEqual(refusals("lib/errors.ts", `class Odd extends ToolkitError {}`), []);
  deepEqual(refusals("lib/cli/main.ts", `function run() { const one = () => 1; }`), []);
});

Deno.test("exports and fields in lib/ have doc comments", () => {
  const refused = [
    `export function run(): void {}`,
    `export const LIMIT = 1;`,
    `export type Id = string;`,
    `/** A */\nexport interface A {\n  a: string;\n}`,
    `/** A */\nexport interface A {\n  a(): void;\n}`,
    `/* Not a doc. */\nexport const LIMIT = 1;`,
    `/** Another's. */\nconst other = 1;\nexport const LIMIT = 1;`,
  ];
  for (const source of refused) deepEqual(refusals("lib/a.ts", source), ["documented"], source);
  const allowed = [
    `/** Runs. */\nexport function run(): void {}`,
    `/** A */\nexport interface A {\n  /** A name. */\n  a: string;\n}`,
    `/** One. */\nexport function f(a: 1): 1;\nexport function f(a: 2): 2;`,
    `function local(): void {}`,
    `export * from "./b.ts";`,
  ];
  for (const source of allowed) deepEqual(refusals("lib/a.ts", source), [], source);
  deepEqual(refusals("lib/service/store/tables.ts", `interface Row { id: string }`), []);
});

Deno.test("an operation's doc ends with the method and path that it calls", () => {
  const operation = (doc: string, path: string) =>
    `/** ${doc} */\nexport async function act(client: Client, id: string): Promise<Offering> {\n` +
    `  return await client.post(path\`${path}\`);\n}`;
  const judged = (doc: string, path: string) =>
    refusals("lib/resources/offerings.ts", operation(doc, path));
  const archive = "/offerings/${id}/actions/archive";
  deepEqual(judged("Archives. `POST /offerings/{id}/actions/archive`", archive), []);
  deepEqual(
    judged("Archives.\n *\n * POST /offerings/{offering_id}/actions/archive\n", archive),
    [],
  );
  deepEqual(
    judged("Acts.\n * `POST /projects`\n * @throws {ApiError} always\n ", "/v2/projects"),
    [],
  );
  deepEqual(judged("Archives an offering.", archive), ["operation-docs"]);
  deepEqual(judged("`POST /offerings/{id}` archives it.", archive), ["operation-docs"]);
  deepEqual(judged("Archives. `POST /offerings/{id}`", archive), ["operation-docs"]);
  deepEqual(judged("`POST /offering/{id}`", "/offerings/${id}"), ["operation-docs"]);
  deepEqual(judged("Archives. `GET /offerings/{id}/actions/archive`", archive), ["operation-docs"]);
  deepEqual(judged("Invites. `POST /projects/{id}/collaborators`", "/collaborators"), []);
});

Deno.test("every report of the linter has an alternative", () => {
  const [one] = found("lib/service/mod.ts", `import { listApps } from "../resources/apps.ts";`);
  equal(one?.message, "lib/service must not import lib/resources");
  match(one?.hint ?? "", /import type/);
  const sources = ["Deno.exit(1);", "Date.now();", "export default 1;", "class A {}", "let f;\n"];
  for (const found of sources.flatMap((text) => Deno.lint.runPlugin(plugin, "lib/a.ts", text))) {
    ok(found.hint, found.id);
  }
});

Deno.test("the plugin knows its files by absolute and Windows paths", () => {
  const here = fileURLToPath(new URL("../../lib/cli/main.ts", import.meta.url));
  equal(repositoryPath(here), "lib/cli/main.ts");
  equal(repositoryPath("lib\\cli\\main.ts"), "lib/cli/main.ts");
  equal(roomOf("lib/cli/main.ts"), "lib/cli");
  equal(roomOf("library/main.ts"), undefined);
});

Deno.test("every folder of lib/ is a room, and deno.json loads the plugin", async () => {
  const root = new URL("../../", import.meta.url);
  for await (const entry of Deno.readDir(new URL("lib/", root))) {
    if (entry.isDirectory) ok(Object.hasOwn(DOORS, `lib/${entry.name}`), entry.name);
  }
  const settings: unknown = JSON.parse(await Deno.readTextFile(new URL("deno.json", root)));
  match(JSON.stringify(settings), /"plugins":\["\.\/scripts\/lint\/plugin\.ts"\]/);
});

Deno.test("SQL has words that every engine takes", () => {
  const refused: [path: string, source: string][] = [
    ["lib/service/events/claims.ts", "sql`select id from settings for update skip locked`;"],
    ["lib/service/events/claims.ts", "sql`select rowid from settings`;"],
    ["lib/service/events/claims.ts", "sql`select ctid from settings`;"],
    ["lib/service/events/claims.ts", 'await send("select pg_advisory_xact_lock(1)");'],
    ["lib/service/events/claims.ts", 'await send("select pg_notify($1, $2)");'],
    ["lib/service/events/claims.ts", "await send(`listen ${channel}`);"],
    ["lib/service/store/postgres/reader.ts", 'await send("select pg_try_advisory_lock(1)");'],
    ["lib/service/store/postgres/reader.ts", 'await send("select 1 from pg_locks");'],
    ["lib/service/store/postgres/line.ts", 'await send("select pg_advisory_lock(1)");'],
    ["lib/service/store/postgres/reader.ts", 'await send("select 1 from t for no key update");'],
    ["lib/service/store/migrations/0002.ts", "const sql = `CREATE TRIGGER a AFTER INSERT`;"],
    ["lib/service/store/bulk.ts", 'connection.rows("PRAGMA journal_mode");'],
    ["lib/service/reports/sums.ts", 'await send("select name from sqlite_schema");'],
  ];
  for (const [path, source] of refused) deepEqual(refusals(path, source), ["engines"], source);
  const allowed: [path: string, source: string][] = [
    ["lib/service/store/migrations/0002.ts", "const sql = `) STRICT, WITHOUT ROWID;`;"],
    ["lib/service/store/postgres/writer.ts", 'const lock = "select 1 from p for no key update";'],
    ["lib/service/store/sqlite/open.ts", 'connection.rows("PRAGMA journal_mode");'],
    ["lib/service/http/server.ts", 'say("Wait for updates and listen to triggers of this row");'],
    ["lib/cli/main.ts", 'say("select rowid from t");'],
  ];
  for (const [path, source] of allowed) deepEqual(refusals(path, source), [], source);
});
