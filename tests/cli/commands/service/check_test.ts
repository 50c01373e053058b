import { deepEqual, equal, match } from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { ONLY_POSTGRES } from "../../../support/engine.ts";
import { openDesk } from "../../../support/harness.ts";
import { makeSource, move, withNewDatabase } from "../../../support/move_fixture.ts";
import { inFolder } from "../../../support/store_fixture.ts";

/** The output of the command as JSON. */
interface Output {
  ok: boolean;
  database: string;
  checks: { check: string; ok: boolean; rule: string; rows: unknown[]; more: boolean }[];
}

Deno.test("service check passes sound data, and prints at most ten rows that do not fit", () =>
  inFolder(async (folder) => {
    await using desk = await openDesk();
    const data = await makeSource(join(folder, "data"));
    const sound = await desk.run("service", "check", "--data", data);
    equal(sound.code, 0, sound.err);
    match(sound.out, /^STATUS +CHECK +RULE\nok +storage +The database is sound/);
    equal(/^fail/m.test(sound.out), false);
    match(sound.err, /^No faults found in the data of .*data\n/);
    const database = new DatabaseSync(join(data, "service.db"));
    database.exec("UPDATE movements_daily SET payments_delta = payments_delta + 1");
    const [{ rows }] = database.prepare("SELECT count(*) AS rows FROM movements_daily").all() as [
      { rows: number },
    ];
    database.exec(
      "PRAGMA foreign_keys = OFF; INSERT INTO audit_logs SELECT id, 'odd', last_seq + " +
        "9, 'a', 'b', 'c', 'd', 'e', 1, 'no JSON' FROM projects",
    );
    database.close();
    const odd = await desk.run("service", "check", "--data", data);
    equal(odd.code, 1);
    match(odd.out, /^fail +daily-sums /m);
    match(odd.out, /^order: \{"found_in":"audit_logs",.*"last_seq":\d+\}$/m);
    match(odd.out, /^json: \{"found_in":"audit_logs\.additional_data",.*"id":"odd"\}$/m);
    equal(odd.out.match(/^daily-sums: \{/gm)?.length, Math.min(10, rows));
    match(
      odd.err,
      /^The data of .* is inconsistent: it breaks 3 rules: daily-sums, order, json\n/,
    );
    const json = await desk.run("service", "check", "--data", data, "--output", "json");
    equal(json.code, 1);
    const { ok, checks } = JSON.parse(json.out) as Output;
    equal(ok, false);
    const broken = checks.filter((one) => !one.ok);
    deepEqual(broken.map(({ check, rows: { length }, more }) => [check, length, more]), [
      ["daily-sums", Math.min(10, rows), rows > 10],
      ["order", 1, false],
      ["json", 1, false],
    ]);
  }));

Deno.test(
  "service check reads a database on a server, and refuses a password",
  ONLY_POSTGRES,
  () =>
    inFolder(async (folder) => {
      await using desk = await openDesk();
      const data = await makeSource(join(folder, "data"));
      await withNewDatabase(async (address) => {
        const empty = await desk.run("service", "check", "--database", address);
        match(
          empty.err,
          /^Cannot read the database "postgres:.*: there is no database of the service\n/,
        );
        match(empty.err, /The first start on it makes its tables: cli service start --sign-in/);
        const status = await desk.run("service", "status", "--database", address);
        equal(status.err, empty.err);
        await move(data, address);
        const given = await desk.run("service", "check", "--database", address, "--output", "json");
        equal(given.code, 0, given.err);
        desk.env.CLI_SERVICE_DATABASE = address;
        equal((await desk.run("service", "check", "--output", "json")).out, given.out);
      });
    }),
);

Deno.test("service check refuses places that it cannot read", async () => {
  await using desk = await openDesk();
  const secret = "postgres://me:hidden@127.0.0.1:1/shop";
  const refusals: [words: string[], code: number, message: RegExp][] = [
    [["--database", secret], 2, /^Cannot use a password in --database/],
    [["--database", "postgres://me@h/d", "--data", "x"], 2, /^Cannot use --database with --data\n/],
    [["--database", "shop"], 2, /^Cannot use the database: its address is not one like/],
    [["--data", ":memory:"], 2, /^Cannot use :memory: as the data folder/],
    [
      ["--data", "/none such"],
      1,
      /^Cannot read the database .*: there is no database of the service/,
    ],
  ];
  for (const [words, code, message] of refusals) {
    const ran = await desk.run("service", "check", ...words);
    deepEqual([ran.code, ran.out], [code, ""], ran.err);
    match(ran.err, message);
    equal(ran.err.includes("hidden"), false);
  }
});
