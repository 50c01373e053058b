import { deepEqual, equal, ok } from "node:assert/strict";
import { StoreError } from "../../../lib/service/store/mod.ts";
import { createAdder } from "../../../lib/service/store/move/digest.ts";
import { isFailedSync, toStoreError } from "../../../lib/service/store/sqlite/errors.ts";

/** What the store makes of an error of SQLite. */
function failureOf(message: string, errcode?: number): string | undefined {
  const error = Object.assign(
    new Error(message),
    { code: "ERR_SQLITE_ERROR" },
    errcode === undefined ? {} : { errcode },
  );
  const found = toStoreError(error);
  if (found === error) return undefined;
  ok(found instanceof StoreError && found.cause === error);
  return found.failure;
}

Deno.test("each code of SQLite has its failure, also where it says more than its lowest byte", () => {
  const codes = {
    275: "check",
    787: "foreign_key",
    1299: "not_null",
    1555: "unique",
    2067: "unique",
    2579: "unique",
    3091: "type",
    5: "busy",
    6: "busy",
    7: "no_memory",
    8: "read_only",
    10: "io",
    11: "corrupt",
    13: "full",
    14: "cannot_open",
    20: "type",
    26: "corrupt",
    // A busy snapshot, a short read, a damaged index, a constraint of no kind of its own.
    517: "busy",
    522: "io",
    779: "corrupt",
    19: "other",
    1: "other",
  };
  for (const [code, failure] of Object.entries(codes)) {
    equal(failureOf("anything", Number(code)), failure, code);
  }
});

Deno.test("an error of SQLite without a code has the failure that its message names", () => {
  const messages = {
    "database is locked": "busy",
    "database table is locked: settings": "busy",
    "out of memory": "no_memory",
    "attempt to write a readonly database": "read_only",
    "disk I/O error": "io",
    "database disk image is malformed": "corrupt",
    "file is not a database": "corrupt",
    "database or disk is full": "full",
    "unable to open database file": "cannot_open",
  };
  for (const [message, failure] of Object.entries(messages)) {
    equal(failureOf(message), failure, message);
    // Another program's error of the same words is none of the database's.
    const other = new Error(message);
    equal(toStoreError(other), other);
  }
  equal(failureOf("no such table: settings"), undefined);
  equal(toStoreError("no error"), "no error");
});

Deno.test("a value that is there already is told with its columns", () => {
  const error = Object.assign(new Error("UNIQUE constraint failed: apps.project_id, apps.id"), {
    errcode: 1555,
  });
  const found = toStoreError(error);
  ok(found instanceof StoreError);
  deepEqual(found.columns, ["apps.project_id", "apps.id"]);
});

Deno.test("a file and a folder that could not be brought to the disk are failed syncs", () => {
  const synced = (errcode: number) => isFailedSync(Object.assign(new Error("x"), { errcode }));
  deepEqual([1034, 1290, 10, 522].map(synced), [true, true, false, false]);
  const wrapped = toStoreError(Object.assign(new Error("x"), { errcode: 1034 }));
  equal(isFailedSync(wrapped), true);
});

Deno.test("the digest of a table counts its rows, and tells each value from every other", () => {
  const columns = [{ name: "a", type: "TEXT" }, { name: "b", type: "INTEGER" }] as const;
  const sumOf = (...rows: { a: string | null; b: number | null }[]) => {
    const adder = createAdder({ name: "t", columns, key: ["a"] });
    for (const row of rows) adder.add([row]);
    return adder.end();
  };
  equal(sumOf().rows, 0);
  const sums = [
    sumOf(),
    sumOf({ a: "1", b: 1 }),
    sumOf({ a: null, b: 1 }),
    sumOf({ a: "n", b: 1 }),
    sumOf({ a: "1", b: null }),
    sumOf({ a: "1", b: 1 }, { a: "2", b: 2 }),
    sumOf({ a: "2", b: 2 }, { a: "1", b: 1 }),
  ];
  equal(new Set(sums.map(({ sha256 }) => sha256)).size, sums.length);
  deepEqual(sums.map(({ rows }) => rows), [0, 1, 1, 1, 1, 2, 2]);
});
