import { deepEqual, equal, match, ok, rejects } from "node:assert/strict";
import { ConfigError } from "../../../../lib/errors.ts";
import { startFailure, StoreError } from "../../../../lib/service/store/mod.ts";
import { readAddress } from "../../../../lib/service/store/postgres/address.ts";
import { toStoreError } from "../../../../lib/service/store/postgres/errors.ts";
import type { Wire } from "../../../../lib/service/store/postgres/driver.ts";
import { stepsDone } from "../../../../lib/service/store/postgres/migrate.ts";
import { unusable } from "../../../../lib/service/store/postgres/unusable.ts";

const ADDRESS = "postgres://me:hidden@db.example.com/shop";
const PREFIX = 'Cannot open the database "postgres://me@db.example.com/shop": ';

/** An error of the driver, with a code. */
function thrown(message: string, code?: string): Error {
  return Object.assign(new Error(message), code !== undefined && { code });
}

/** The reason and the next step that a person sees. */
function shown(error: unknown, address = ADDRESS): { why: string; hint: string } {
  const found = unusable(readAddress(address), error);
  ok(found instanceof ConfigError, String(found));
  equal(`${found.message} ${found.hint}`.includes("hidden"), false);
  match(found.message, /^Cannot open the database "postgres:/);
  return { why: found.message.slice(PREFIX.length), hint: found.hint ?? "" };
}

Deno.test("a server that cannot be reached is named once, with the next step", () => {
  const refused = thrown("connect ECONNREFUSED 127.0.0.1:5432", "ECONNREFUSED");
  // A host name with two addresses: the driver's error has no message of its own.
  const both = Object.assign(new AggregateError([refused, refused]), { code: "ECONNREFUSED" });
  const why = "the database server cannot be reached (connect ECONNREFUSED 127.0.0.1:5432)";
  const hint = "Start the server or correct the address, then run the command again. Try it: " +
    "psql postgres://me@db.example.com/shop";
  for (const error of [refused, both, toStoreError(refused), toStoreError(both)]) {
    deepEqual(shown(error), { why, hint });
  }
  for (
    const [message, code] of [
      ["the database system is starting up", "57P03"],
      ["Connection terminated unexpectedly"],
    ] as const
  ) {
    deepEqual(shown(thrown(message, code)), {
      why: `the database server cannot be reached (${message})`,
      hint,
    });
  }
});

Deno.test("a server that takes no more connections says how to make room", () => {
  deepEqual(shown(thrown("sorry, too many clients already", "53300")), {
    why: "the database server takes no more connections (sorry, too many clients already)",
    hint: "Start fewer processes, or raise the limit of connections of the server or this user. " +
      "See: psql postgres://me@db.example.com/shop -c 'show max_connections'",
  });
});

Deno.test("a missing password and a missing right are named, with the next step", () => {
  const unsigned = thrown("SASL: SCRAM-SERVER-FIRST-MESSAGE: client password must be a string");
  const plain = shown(unsigned);
  equal(plain.why, "the server asks for a password, and the address has none");
  match(plain.hint, /^Set CLI_SERVICE_DATABASE .* passfile=FILE$|passfile=FILE$/);

  const file = Deno.makeTempFileSync();
  try {
    const { hint } = shown(unsigned, `postgres://me@db.example.com/shop?passfile=${file}`);
    equal(hint, "Add a line to that file: host:port:database:user:password");
  } finally {
    Deno.removeSync(file);
  }

  const { why, hint } = shown(thrown("permission denied for schema public", "42501"));
  equal(why, "permission denied for schema public");
  match(hint, /GRANT USAGE, CREATE ON SCHEMA public TO "me"$/);
});

Deno.test("tables of another user, and a server that takes no writes, have hints of their own", () => {
  for (
    const [message, code] of [
      ["permission denied for table schema_migrations", "42501"],
      ["must be owner of table settings", "42501"],
      ["must be owner of relation settings", "42501"],
    ] as const
  ) {
    const { why, hint } = shown(thrown(message, code));
    equal(why, message);
    match(hint, /belong to another user\. .*: REASSIGN OWNED BY "THEIR OWNER" TO "me"$/);
  }
  const none = shown(thrown("no schema has been selected to create in", "3F000"));
  match(none.hint, /GRANT USAGE, CREATE ON SCHEMA public TO "me"$/);
  const database = shown(thrown('permission denied for database "shop"', "42501"));
  match(database.hint, /^Check that the server runs and lets this user in/);

  const written = thrown("cannot execute INSERT in a read-only transaction", "25006");
  for (const error of [written, toStoreError(written)]) {
    const { why, hint } = shown(error);
    equal(why, "cannot execute INSERT in a read-only transaction");
    match(hint, /^Pass the address of the server that takes writes: /);
  }
});

Deno.test("a database of another program, and one of a newer version, have hints of their own", async () => {
  const answering = (...answers: Record<string, unknown>[][]): Wire => ({
    process: null,
    send: () => Promise.resolve({ command: "SELECT", count: 0, rows: answers.shift() ?? [] }),
    outdate: () => {},
    release: () => {},
  });
  const foreign = answering([{ name: "orders" }]);
  await rejects(stepsDone(foreign, [], "shop"), (error) => {
    ok(error instanceof ConfigError);
    match(error.message, /it is not a database of this service$/);
    match(error.hint ?? "", /^It has tables of another program\. .* createdb /);
    return true;
  });
  const newer = answering([{ name: "schema_migrations" }], [{ number: 1, name: "first" }]);
  await rejects(stepsDone(newer, [], "shop"), (error) => {
    match(String(Object(error).hint), /^Use the program version that wrote it/);
    return true;
  });
});

Deno.test("a server that is lost while a service starts is named, with the next step", async () => {
  const lost = toStoreError(thrown("Connection terminated unexpectedly"));
  ok(lost instanceof StoreError);
  const found = await startFailure(ADDRESS, lost);
  ok(found instanceof ConfigError);
  equal(
    found.message,
    PREFIX + "the database server cannot be reached (Connection terminated unexpectedly)",
  );
  match(found.hint ?? "", /^Start the server .* run the command again/);
  const other = new Error("something else");
  equal(await startFailure(ADDRESS, other), other);
});
