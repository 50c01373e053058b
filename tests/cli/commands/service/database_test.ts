import { deepEqual, equal, match } from "node:assert/strict";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { ONLY_POSTGRES, openService } from "../../../support/engine.ts";
import { openDesk } from "../../../support/harness.ts";
import { SHARED_SECRET, withLasting } from "../../../support/lasting.ts";
import { childLines, inFolder } from "../../../support/store_fixture.ts";
import { CLI_FLAGS } from "../../../support/cli_flags.ts";

const ADDRESS = "postgres://me@127.0.0.1:1/shop";

Deno.test("a password in --database is refused, and not shown", async () => {
  await using desk = await openDesk();
  const words = ["service", "start", "--database", "postgres://me:hidden@127.0.0.1:1/shop"];
  const { code, out, err } = await desk.run(...words);
  deepEqual([code, out], [2, ""]);
  match(err, /^Cannot use a password in --database: other users of this machine can see it\n/);
  match(err, /CLI_SERVICE_DATABASE.*passfile=FILE/);
  equal(err.includes("hidden"), false);
});

Deno.test("a database on a server needs a secret for its administrator, and a sign-in", async () => {
  await using desk = await openDesk();
  desk.env.CLI_SERVICE_DATABASE = "postgres://me:hidden@127.0.0.1:1/shop";
  const open = await desk.run("service", "start");
  equal(open.code, 1);
  match(open.err, /CLI_SERVICE_ADMIN_SECRET is not set/);
  desk.env.CLI_SERVICE_ADMIN_SECRET = "adm_15_letters_";
  const short = await desk.run("service", "start");
  equal(short.code, 1);
  match(short.err, /CLI_SERVICE_ADMIN_SECRET is too short\n.*at least 16 characters/);
  desk.env.CLI_SERVICE_ADMIN_SECRET = "adm_of_all_processes";
  const unsigned = await desk.run("service", "start");
  equal(unsigned.code, 1);
  match(unsigned.err, /^Cannot start the service on PostgreSQL: .* asks for no password\n/);
  const closed = await desk.run("service", "start", "--sign-in", "password");
  equal(closed.code, 1);
  match(closed.err, /^Cannot open the database "postgres:\/\/me@127\.0\.0\.1:1\/shop": /);
  for (const { err } of [open, unsigned, closed]) equal(err.includes("hidden"), false);
});

Deno.test(
  "a start on a server shows what the next terminal needs",
  ONLY_POSTGRES,
  () =>
    withLasting(async ({ database }) => {
      const api = await announced(database);
      match(api, /\n {2}export CLI_BASE_URL=http:\/\/127\.0\.0\.1:\d+\n/);
      match(api, /^In another terminal, with the same CLI_SERVICE_ADMIN_SECRET:\n/m);
      match(api, /\n {2}export CLI_PROJECT_ID=proj\w+\n/);
      match(
        api,
        /\n {2}export CLI_REFRESH_TOKEN=\$\(cli service token\)\n {2}cli offerings list\n$/,
      );
      match(api, /^It is the process [0-9a-f]{8} of that database$/m);
      const worker = await announced(database, "--role", "worker");
      match(worker, /\nIt answers only \/health, .* and \/metrics\.\n$/);
      equal(worker.includes("export"), false);
    }),
);

/** What a process on a database prints when it starts and is stopped. */
async function announced(database: string, ...words: string[]): Promise<string> {
  const script = fileURLToPath(import.meta.resolve("../../../../cli.ts"));
  const allowed = ["--allow-net=127.0.0.1", "--allow-env", "--allow-read", "--allow-write"];
  const child = new Deno.Command(Deno.execPath(), {
    args: [
      ...["run", ...CLI_FLAGS, ...allowed, script],
      ...["service", "start", "--port", "0", "--sign-in", "password", ...words],
    ],
    env: { CLI_SERVICE_DATABASE: database, CLI_SERVICE_ADMIN_SECRET: SHARED_SECRET },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const err = new Response(child.stderr).text();
  let out = "";
  for await (const line of childLines(child)) {
    out += `${line}\n`;
    // The notes follow at once, before the process sees to signals.
    if (line.startsWith("Its data is in ")) child.kill("SIGTERM");
  }
  await child.status;
  return out + (await err).replace(/Stopped\n$/, "");
}

Deno.test("what is not the address of a database on a server makes no file", async () => {
  await using desk = await openDesk();
  desk.env.CLI_SERVICE_ADMIN_SECRET = "adm_of_all_processes";
  for (const address of ["shop", "mysql://me@host/shop", "host=db password=hidden"]) {
    for (const command of ["start", "status", "check"]) {
      const { code, out, err } = await desk.run("service", command, "--database", address);
      deepEqual([code, out], [2, ""], err);
      match(
        err,
        /^Cannot use the database: its address is not one like postgres:\/\/user@host\/name\n/,
      );
      equal(err.includes("hidden"), false);
    }
  }
});

Deno.test("a wrong address of a database is wrong usage in a flag, and a setting in the environment", async () => {
  await using desk = await openDesk();
  desk.env.CLI_SERVICE_ADMIN_SECRET = "adm_of_all_processes";
  const wrong: [address: string, why: RegExp][] = [
    [`${ADDRESS}?color=red`, /the parameter "color" is unknown/],
    [`${ADDRESS}?sslmode=prefer`, /sslmode is "prefer"/],
    [`${ADDRESS}?passfile=/missing`, /cannot read "\/missing"/],
    ["mysql://me@host/shop", /its address is not one like/],
  ];
  for (const [address, why] of wrong) {
    for (
      const words of [
        ["start", "--database", address],
        ["status", "--database", address],
        ["migrate", "--from", "no", "--to", address],
      ]
    ) {
      const { code, err } = await desk.run("service", ...words);
      equal(code, 2, err);
      match(err, why);
    }
    desk.env.CLI_SERVICE_DATABASE = address;
    const { code, err } = await desk.run("service", "start");
    equal(code, 1, err);
    match(err, why);
    delete desk.env.CLI_SERVICE_DATABASE;
  }
});

Deno.test("--database goes with no folder, and --role with nothing else", async () => {
  await using desk = await openDesk();
  const refusals: [words: string[], message: RegExp][] = [
    [["--database", ADDRESS, "--data", "/tmp/other"], /^Cannot use --database with --data\n/],
    [["--database", ADDRESS, "--from", "before"], /^Cannot use --database with --from\n/],
    [["--role", "api"], /^Cannot use --role without a PostgreSQL database\n/],
  ];
  for (const [words, message] of refusals) {
    const { code, err } = await desk.run("service", "start", ...words);
    equal(code, 2, words.join(" "));
    match(err, message);
  }
});

Deno.test("commands for data folders refuse when the data is in PostgreSQL", () =>
  inFolder(async (data) => {
    await using desk = await openDesk();
    await (await openService({ database: join(data, "service.db") })).close();
    const file = join(data, "one.backup");
    desk.env.CLI_SERVICE_DATABASE = "postgres://me:hidden@127.0.0.1:1/shop";
    const refused: [words: string[], deed: string, hint: string][] = [
      [["backup", file], "back up the data", "Use PostgreSQL's pg_dump, or pass"],
      [["restore", file, "--yes"], "restore the data", "Use PostgreSQL's pg_restore, or psql"],
      [["snapshot", "save", "one"], "save the data", "Use PostgreSQL's pg_dump, or pass"],
      [["snapshot", "restore", "one", "--yes"], "restore the data", "Use PostgreSQL's pg_restore"],
      [["snapshot", "list"], "list the snapshots", "Pass"],
      [["snapshot", "delete", "one", "--yes"], "delete the snapshot", "Pass"],
      [["reset", "--yes"], "delete the data", "Use PostgreSQL's dropdb and createdb, or pass"],
    ];
    for (const [words, deed, hint] of refused) {
      const { code, out, err } = await desk.run("service", ...words);
      deepEqual([code, out], [2, ""], words.join(" "));
      match(
        err,
        new RegExp(`^Cannot ${deed}: the data is in the PostgreSQL database of `),
      );
      match(err, RegExp(`\n${hint}.* a folder: --data DIR\n$`));
      equal(err.includes("hidden"), false);
    }
    // A folder that is named is meant.
    equal((await desk.run("service", "backup", file, "--data", data)).code, 0);
    equal((await desk.run("service", "snapshot", "list", "--data", data)).code, 0);
  }));

Deno.test("the hint about --role names the flag that hides the environment's database", async () => {
  await using desk = await openDesk();
  const words = ["service", "start", "--role", "worker"];
  const hintOf = async (...more: string[]) =>
    (await desk.run(...words, ...more)).err.trimEnd().split("\n").at(-1);
  match(await hintOf() ?? "", /^Pass --database .*, or set CLI_SERVICE_DATABASE$/);
  match(await hintOf("--data", "d") ?? "", /^Leave out --data, and pass --database /);
  desk.env.CLI_SERVICE_DATABASE = ADDRESS;
  equal(
    await hintOf("--data", "d"),
    "Leave out --data: with it, the database of CLI_SERVICE_DATABASE is not used",
  );
});
