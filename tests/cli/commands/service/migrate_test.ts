import { deepEqual, equal, match, ok } from "node:assert/strict";
import { join } from "node:path";
import { ENGINE, ONLY_POSTGRES } from "../../../support/engine.ts";
import { openDesk } from "../../../support/harness.ts";
import { makeSource, withNewDatabase } from "../../../support/move_fixture.ts";
import { inFolder } from "../../../support/store_fixture.ts";

/** The output of the command as JSON. */
interface Output {
  from: string;
  to: string;
  in_use: boolean;
  rows: number;
  tables: { name: string; rows: number; sha256: string }[];
}

Deno.test("service migrate moves a data folder, and prints rows and digests", () =>
  inFolder(async (folder) => {
    await using desk = await openDesk({ errColumns: 100 });
    const source = await makeSource(join(folder, "source"));
    const target = join(folder, "my target");
    const moved = await desk.run("service", "migrate", "--from", source, "--to", target);
    equal(moved.code, 0, moved.err);
    match(moved.out, /^TABLE +ROWS +SHA256\n/);
    match(moved.out, /^accounts +1 +[0-9a-f]{64}$/m);
    match(moved.err, /Copying \[#+-*\] \d+ of \d+ rows/);
    match(moved.err, /Comparing \[#{24}\]/);
    match(
      moved.err,
      /Moved \d+ rows from [^]*source to [^]*my\s+target;\s+both\s+are\s+the\s+same\n/,
    );
    ok(moved.err.includes(`cli service start --data '${target}'`));
    const copy = join(folder, "copy.db");
    const back = await desk.run(
      ...["service", "migrate", "--from", target, "--to", copy, "--output", "json"],
    );
    equal(back.code, 0, back.err);
    const { from, to, in_use, rows, tables } = back.json() as Output;
    deepEqual([from, to, in_use], [target, copy, false]);
    equal(rows, tables.reduce((sum, table) => sum + table.rows, 0));
    const { sha256 } = tables.find(({ name }) => name === "accounts") ?? {};
    ok(moved.out.includes(String(sha256)));
  }));

Deno.test("service migrate needs two places, shows no password, and makes nothing", () =>
  inFolder(async (folder) => {
    await using desk = await openDesk();
    const to = join(folder, "new");
    const secret = "postgres://me:hidden@127.0.0.1:1/shop";
    const refusals: [words: string[], code: number, message: RegExp][] = [
      [[], 2, /^Cannot move the data: --from is missing\n/],
      [["--from", to], 2, /^Cannot move the data: --to is missing\n/],
      [["--to", to], 2, /^Cannot move the data: --from is missing\n/],
      [["--from", to, "--to", secret], 2, /^Cannot use a password in --to: other users/],
      [["--from", secret, "--to", to], 2, /^Cannot use a password in --from: other users/],
      [["--from", ":memory:", "--to", to], 2, /^Cannot use :memory: as the data folder/],
      [["--from", "mysql://me:hidden@h/d", "--to", to], 2, /^Cannot use a password in --from/],
      [["--from", "mysql://h/d", "--to", to], 2, /^Cannot use the database: its address is not/],
      [
        ["--from", "postgres://me@127.0.0.1:1/shop", "--to", to],
        1,
        /^Cannot open the database "po/,
      ],
    ];
    for (const [words, code, message] of refusals) {
      const ran = await desk.run("service", "migrate", ...words);
      deepEqual([ran.code, ran.out], [code, ""], ran.err);
      match(ran.err, message);
      equal(ran.err.includes("hidden"), false);
    }
    // Without a password in the argument, that of the variable is used.
    desk.env.CLI_SERVICE_DATABASE = secret;
    const same = await desk.run("service", "migrate", "--from", "postgres://me@127.0.0.1:1/shop");
    match(same.err, /^Cannot move the data: "postgres:\/\/127\.0\.0\.1:1\/shop" is both/);
    const other = await desk.run("service", "migrate", "--to", to);
    match(other.err, /^Cannot open the database "postgres:\/\/me@127\.0\.0\.1:1\/shop"/);
    for (const { err } of [same, other]) equal(err.includes("hidden"), false);
    deepEqual(Array.from(Deno.readDirSync(folder)), []);
  }));

Deno.test(
  "service migrate uses the database of the environment",
  ONLY_POSTGRES,
  () =>
    inFolder(async (folder) => {
      equal(ENGINE, "postgres");
      await using desk = await openDesk();
      const source = await makeSource(join(folder, "source"));
      await withNewDatabase(async (address) => {
        const url = new URL(address);
        url.password = "hidden";
        desk.env.CLI_SERVICE_DATABASE = url.href;
        const words = ["service", "migrate"];
        const there = await desk.run(...words, "--from", source);
        equal(there.code, 0, there.err);
        match(there.err, /in CLI_SERVICE_DATABASE: cli service start --sign-in password\n$/);
        const back = await desk.run(...words, "--to", join(folder, "back"));
        equal(back.code, 0, back.err);
        deepEqual(back.out, there.out);
        const again = await desk.run(...words, "--from", source, "--to", address);
        equal(again.code, 1);
        match(again.err, /^Cannot move data to "postgres:.*: it has tables already\n.*createdb /);
        url.pathname = "/none_such";
        desk.env.CLI_SERVICE_DATABASE = url.href;
        const missing = await desk.run(...words, "--from", source);
        match(
          missing.err,
          /database "none_such" does not exist\nCreate it with: createdb .* none_such/,
        );
        for (const { out, err } of [there, back, again, missing]) {
          equal((out + err).includes("hidden"), false);
        }
      });
    }),
);
