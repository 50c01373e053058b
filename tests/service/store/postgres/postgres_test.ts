import { deepEqual, equal, match, rejects, throws } from "node:assert/strict";
import { refuse } from "../../../../lib/service/http/respond.ts";
import { hasPassword, readAddress } from "../../../../lib/service/store/postgres/address.ts";
import { outageIn } from "../../../../lib/service/store/mod.ts";
import { toConnectError, toStoreError } from "../../../../lib/service/store/postgres/errors.ts";
import { statementsOf } from "../../../../lib/service/store/postgres/schema.ts";
import { numbered } from "../../../../lib/service/store/postgres/session.ts";
import { migrations } from "../../../../lib/service/store/migrations/mod.ts";
import { inFolder } from "../../../support/store_fixture.ts";

Deno.test("an address is read in all its parts, and shown without its password", async () => {
  const { shown, ...address } = readAddress("postgres://me:p%40ss@db.example.com:6432/shop");
  deepEqual(address, {
    host: "db.example.com",
    port: 6432,
    database: "shop",
    user: "me",
    password: "p@ss",
    ssl: false,
    isPlainUnasked: true,
    connectMs: 3000,
  });
  equal(shown, "postgres://me@db.example.com:6432/shop");
  const pooled = readAddress("postgres://me@host/name?pooler=transaction&sslmode=disable");
  equal(pooled.pooler, "transaction");
  // PostgreSQL's own programs refuse what they do not know.
  equal(pooled.shown, "postgres://me@host/name?sslmode=disable");
  equal(readAddress("postgres://me@host/name?connect_timeout=10").connectMs, 10_000);
  const isPlain = (text: string) => readAddress(text).isPlainUnasked;
  equal(isPlain("postgres://me@host/name"), true);
  equal(isPlain("postgres://me@10.0.0.1/name"), true);
  equal(isPlain("postgres://me@host/name?sslmode=disable"), false, "it is meant");
  equal(isPlain("postgres://me@host/name?sslmode=require"), false);
  for (const host of ["localhost", "127.0.0.1", "[::1]"]) {
    equal(isPlain(`postgres://me@${host}/name`), false, host);
  }
  equal(hasPassword("postgres://me:secret@host/name"), true);
  equal(hasPassword("postgres://me@host/name"), false);
  await inFolder(async (folder) => {
    const file = `${folder}/pass`;
    await Deno.writeTextFile(file, "# a note\nother:*:*:*:no\nhost:5432:*:me:a\\:b\n");
    equal(readAddress(`postgres://me@host/name?passfile=${file}`).password, "a:b");
    equal(readAddress(`postgres://you@host/name?passfile=${file}`).password, undefined);
    await Deno.writeTextFile(file, "CERT");
    deepEqual(readAddress(`postgres://me@host/name?sslrootcert=${file}`).ssl, {
      ca: "CERT",
      rejectUnauthorized: true,
    });
  });
});

Deno.test("an address that cannot be used is refused, and its password is not shown", () => {
  for (
    const [text, why] of [
      ["postgres://me:secret@host/name?sslmode=prefer", /sslmode is "prefer"/],
      ["postgres://me:secret@host/name?pooler=session", /pooler is "session"; it must be trans/],
      ["postgres://me@host/name?connect_timeout=0", /connect_timeout is "0"; it must be 1 to 600/],
      ["postgres://me@host/name?connect_timeout=601", /it must be 1 to 600 seconds/],
      ["postgres://me@host/name?connect_timeout=2.5", /it must be 1 to 600 seconds/],
      ["postgres://me:secret@host/name?color=red", /the parameter "color" is unknown/],
      ["postgres://me@host/name?passfile=/missing", /cannot read "\/missing"/],
      ["postgres://me@host/name?password=secret", /the parameter "password" is unknown/],
      ["postgres:me:secret", /its address is not one like/],
      ["postgres://me:50%secret@host/name", /its address is not one like/],
      ["postgres://me:12/secret@host/name", /its address is not one like/],
      ["postgres://me:12?secret@host/name", /its address is not one like/],
      ["postgres://me:12#secret@host/name", /its address is not one like/],
    ] as const
  ) {
    throws(() => readAddress(text), (error) => {
      match(String(error), why);
      equal(String(error).includes("secret"), false);
      return true;
    });
  }
});

Deno.test("an address that cannot be used has a hint that fits", () => {
  const password = /^In a password, write special characters/;
  const scheme = /^The address must begin with postgres:\/\/ or postgresql:\/\/$/;
  const port = /^The port must be between 1 and 65535$/;
  const several = /^Several hosts are not supported: pass one/;
  const socket = /^Sockets are not supported: pass the host/;
  const hints: [text: string, hint: RegExp][] = [
    ["postgres://cli:x@h1:5432,h2:5432/cli", several],
    ["postgresql://h1,h2/cli", several],
    ["postgres:///cli?host=/run/postgresql", socket],
    ["postgres://cli:x@/cli", socket],
    ["postgres://cli@%2Frun%2Fpostgresql/cli", socket],
    ["postgres://me:1,2/secret@host/name", password],
    ["postgres://me:/secret@host/name", password],
    ["postgres://me:50%secret@host/name", password],
    ["postgres:me:secret", scheme],
    ["mysql://me@host/shop", scheme],
    ["host=db password=secret", scheme],
    ["postgres://me@host:99999/shop", port],
    ["postgres://me:a%2Fb@host:99999", port],
    ["postgres://[::1]:99999/shop", port],
    ["postgres://host:54x2/shop", port],
    ["postgres://me:50%secret@[::1]:5432/name", password],
    ["postgres://me@host/name?sslmode=prefer", /^Pass an address like postgres:/],
    ["postgres://me@host/name?passfile=/missing", /^The parameter passfile .* host:port:database:/],
    ["postgres://me@host/name?sslrootcert=/missing", /^The parameter sslrootcert .* PEM/],
  ];
  for (const [text, hint] of hints) {
    throws(() => readAddress(text), (error) => {
      match(Object(error).hint, hint, text);
      equal(`${error} ${Object(error).hint}`.includes("secret"), false);
      return true;
    });
  }
  equal(readAddress("postgres://me:a,b@host/name").password, "a,b");
});

Deno.test("the driver's errors are told in the words of the store", () => {
  const keys = new Map([["offerings_key", ["offerings.project_id", "offerings.lookup_key"]]]);
  const failures: [details: object, failure: string][] = [
    [{ code: "23505", constraint: "offerings_key" }, "unique"],
    [{ code: "23503" }, "foreign_key"],
    [{ code: "23514" }, "check"],
    [{ code: "40P01" }, "busy"],
    [{ code: "0A000", routine: "RevalidateCachedQuery" }, "busy"],
    [{ code: "0A000" }, "other"],
    [{ code: "57P01" }, "unreachable"],
    [{ code: "ECONNREFUSED" }, "unreachable"],
    [{ message: "timeout expired" }, "unreachable"],
    [{ code: "53100" }, "full"],
    [{ code: "53300", severity: "FATAL" }, "crowded"],
    [{ code: "42501" }, "denied"],
    [{ code: "22021" }, "unfit"],
    [{ code: "22P02" }, "type"],
    [{ code: "42601" }, "other"],
    [{ code: "XX000", severity: "ERROR" }, "other"],
    [{ code: "XX000", severity: "FATAL" }, "unreachable"],
    [{ code: "28P01", severity: "FATAL" }, "cannot_open"],
    [{ code: "53100", severity: "PANIC" }, "full"],
    [{ message: "Connection terminated unexpectedly" }, "unreachable"],
  ];
  for (const [details, failure] of failures) {
    const error = toStoreError(Object.assign(new Error("it failed"), details), keys);
    equal(error instanceof Error && "failure" in error && error.failure, failure);
  }
  const unique = toStoreError(
    Object.assign(new Error("duplicate"), { code: "23505", constraint: "offerings_key" }),
    keys,
  );
  deepEqual(Object(unique).columns, ["offerings.project_id", "offerings.lookup_key"]);
  const foreign = new TypeError("not of the database");
  equal(toStoreError(foreign), foreign);
});

Deno.test("whatever the server's reason is not to take a connection, it is an outage", () => {
  const failures: [message: string, details: object, failure: string][] = [
    // A server may have its severities in another language.
    ["could not write init file", { code: "XX000", severity: "FATAL" }, "unreachable"],
    ["не удалось записать файл", { code: "XX000", severity: "ВАЖНО" }, "unreachable"],
    ["permission denied for database", { code: "42501", severity: "FATAL" }, "denied"],
    ["could not extend file", { code: "53100", severity: "FATAL" }, "full"],
    ["password authentication failed", { code: "28P01", severity: "FATAL" }, "cannot_open"],
    ["timeout expired", {}, "unreachable"],
  ];
  for (const [message, details, failure] of failures) {
    const error = toConnectError(Object.assign(new Error(message), details), 3000);
    equal(outageIn(error)?.failure, failure, message);
  }
  const late = toConnectError(new Error("timeout expired"), 3000);
  equal(late instanceof Error && late.message, "Cannot use the database: no answer within 3 s");
  const foreign = new TypeError("not of the database");
  equal(toConnectError(foreign, 3000), foreign);
});

Deno.test("question marks are numbered, but not in texts and names", () => {
  equal(
    numbered(`select '?', "a?" from t where a = ? and b = 'it''s ?' and c = ?`),
    `select '?', "a?" from t where a = $1 and b = 'it''s ?' and c = $2`,
  );
});

Deno.test("each step of the schema is written in words that PostgreSQL takes", () => {
  const statements = migrations.flatMap(({ sql }) => statementsOf(sql));
  const text = statements.join(";\n");
  for (const word of [/\bSTRICT\b/, /WITHOUT ROWID/, /\bINTEGER\b/, /TEXT(?! COLLATE "C")\b/]) {
    equal(word.test(text.replace(/CHECK \([^)]*\)/g, "")), false, String(word));
  }
  // A table refers only to those that are made before it, or gets the reference at the end.
  const made = new Set<string>();
  for (const statement of statements) {
    const table = /^CREATE TABLE (\w+)/.exec(statement)?.[1];
    if (table !== undefined) made.add(table);
    for (const [, target = ""] of statement.matchAll(/REFERENCES (\w+)/g)) {
      equal(made.has(target), true, `${table} refers to ${target}`);
    }
  }
});

Deno.test("a column that a later step adds has the type that it would have in a new table", () => {
  deepEqual(
    statementsOf(`ALTER TABLE a ADD COLUMN b INTEGER NOT NULL DEFAULT 0;
      ALTER TABLE a ADD COLUMN c TEXT`),
    [
      "ALTER TABLE a ADD COLUMN b BIGINT NOT NULL DEFAULT 0",
      'ALTER TABLE a ADD COLUMN c TEXT COLLATE "C"',
    ],
  );
});

Deno.test("a server that does not answer is named, without the password", async () => {
  const { openDatabase } = await import("../../../../lib/service/store/mod.ts");
  const closed = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = closed.addr;
  closed.close();
  await rejects(
    openDatabase({ file: `postgres://me:secret@127.0.0.1:${port}/name` }),
    (error) => {
      match(String(error), /Cannot open the database "postgres:\/\/me@127/);
      equal(String(error).includes("secret"), false);
      return true;
    },
  );
});

Deno.test("a text that the database cannot hold is the caller's error, not the service's", async () => {
  const error = toStoreError(Object.assign(new Error("invalid byte"), { code: "22021" }));
  const reported: unknown[] = [];
  const response = refuse(error, { report: (one) => void reported.push(one) });
  equal(response.status, 400);
  match((await response.json()).message, /^The database cannot hold a text of the request: /);
  deepEqual(reported, []);
});
