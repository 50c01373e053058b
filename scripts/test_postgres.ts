/**
 * Runs the tests on PostgreSQL:
 * `deno task test:postgres [--pooler] [--limit=MINUTES] [--again] [FILES…]`. It starts a server of its own in a temporary folder, on a port that the system chooses, and removes both
 * at the end. The folder is in memory where there is room: to make a database there takes a tenth of the
 * time. With `--pooler` the services reach it through PgBouncer, which shares connections between
 * transactions. Where PostgreSQL's programs, or PgBouncer, are missing it says SKIPPED, and succeeds.
 * When the tests do not end within the limit, they fail, and `deno test` names those that have not
 * ended. With `--again`, up to three failed tests run once more, one after the other and with nothing
 * beside them: many processes share few cores. It succeeds when all of them pass then, and names them.
 * At the end it prints the tests that only SQLite can have, with their reasons, and when a test
 * failed, the server's latest complaints: many are the purpose of a test.
 *
 * @module
 */

import { join } from "node:path";
import { CERTIFICATE, KEY } from "../tests/support/certificate.ts";
import { findMemory } from "./postgres/memory.ts";
import { findPooler, type Pooler, startPooler } from "./postgres/pooler.ts";
import { failedFew, filterOf, havePassed } from "./postgres/second_try.ts";
import { findPrograms, OLDEST, startPostgres } from "./postgres/server.ts";
import { endWithin, takeLimit } from "./postgres/time_limit.ts";

/** What a test server may forget: it is thrown away, so nothing has to survive. */
const SETTINGS = [
  "fsync=off",
  "synchronous_commit=off",
  "full_page_writes=off",
  "wal_level=minimal",
  "max_wal_senders=0",
  // A test runs 60 services side by side.
  "max_connections=800",
  "max_locks_per_transaction=256",
  // It would look at tables at any moment of a test, and at the templates.
  "autovacuum=off",
  // The log of writes stays small: it may be in memory.
  "max_wal_size=256MB",
  // Which process and database a complaint is of.
  "log_line_prefix=%m,[%p],%d,",
];

/** What the server logs when a connection, or the server itself, ends against the wish of a test. */
const COMPLAINT = /\b(FATAL|PANIC)\b|was terminated|not properly shut down/;

/** So many complaints are shown. */
const MOST_COMPLAINTS = 30;

const PERMISSIONS = [
  "--allow-net=127.0.0.1,127.0.0.2,localhost,[::1],0.0.0.0:0",
  "--allow-env",
  "--allow-sys=uid",
  "--allow-read",
  "--allow-write",
  "--allow-run",
];

/** The groups of tests that take longest here. They begin first, so that none runs alone at the end. */
const LONGEST = ["service_routes", "cli_commands", "service_ledger", "service_apps", "scripts"];

/** Few enough connections that the services must share them. */
const POOLER = { size: 8, ignoresSettings: false };

const { limitMs, rest } = takeLimit(Deno.args);
const files = rest.filter((word) => word !== "--pooler" && word !== "--again");
const again = rest.includes("--again");
const wantsPooler = rest.includes("--pooler");
const pooler = wantsPooler ? await findPooler() : undefined;
const programs = await findPrograms();
if (programs === undefined) {
  console.log(
    `SKIPPED: the tests on PostgreSQL. Its programs, version ${OLDEST} or newer, are not here: ` +
      "install them with: apt-get install -y postgresql",
  );
} else if (wantsPooler && pooler === undefined) {
  console.log(
    "SKIPPED: the tests through a pooler. PgBouncer is not here: install it with: " +
      "apt-get install -y pgbouncer",
  );
} else {
  Deno.exitCode = await testOn(programs);
}

/** Runs the tests on a new server. Returns their exit code. */
async function testOn(bin: string): Promise<number> {
  const tls = { certificate: CERTIFICATE, key: KEY };
  const server = await startPostgres(bin, SETTINGS, { tls, parent: await findMemory() });
  const notes = await Deno.makeTempDir({ prefix: "tests" });
  // Ctrl-C and a time limit reach the tests as well: when they have ended, the server is stopped.
  for (const signal of ["SIGINT", "SIGTERM"] as const) Deno.addSignalListener(signal, () => {});
  let between: Pooler | undefined;
  try {
    if (pooler !== undefined) {
      between = await startPooler(pooler, server.address("postgres"), POOLER);
    }
    const skipped = join(notes, "skipped");
    await Deno.writeTextFile(skipped, "");
    const env = {
      // Programs wait for the server, and one more of them than cores uses that time.
      DENO_JOBS: String(navigator.hardwareConcurrency + 1),
      TEST_ENGINE: "postgres",
      TEST_DATABASE: server.address("postgres"),
      ...between && { TEST_POOLER: `${between.address("postgres")}?pooler=transaction` },
      TEST_SKIPPED: skipped,
    };
    const { code, report } = await runTests(env, join(notes, "first.xml"));
    await showSkipped(skipped);
    const few = code !== 0 && again ? failedFew(report) : undefined;
    if (few === undefined || !await passAlone(few, env, notes)) {
      if (code !== 0) showComplaints(await server.log());
      return code;
    }
    for (const name of few) console.log(`PASSED THE SECOND TIME, alone: ${name}`);
    return 0;
  } finally {
    await Deno.remove(notes, { recursive: true });
    await between?.remove();
    await server.remove();
  }
}

/** Runs the tests, or some of them, within the time limit. Returns the exit code, and JUnit's report. */
async function runTests(
  env: Record<string, string>,
  path: string,
  ...more: string[]
): Promise<{ code: number; report: string }> {
  const tests = new Deno.Command(Deno.execPath(), {
    args: [
      "test",
      "--no-check",
      "--frozen",
      "--parallel",
      "--no-prompt",
      `--junit-path=${path}`,
      ...more,
      ...PERMISSIONS,
      ...files.length > 0 ? files : allGroups(),
    ],
    env,
  }).spawn();
  const { code, stopped } = await endWithin(tests, limitMs);
  if (!stopped) return { code, report: await Deno.readTextFile(path).catch(() => "") };
  console.log(`FAILED: the tests on PostgreSQL did not end within ${limitMs / 60_000} minutes`);
  return { code: code || 1, report: "" };
}

/** Whether the tests that failed pass when they run once more, with nothing beside them. */
async function passAlone(
  names: readonly string[],
  env: Record<string, string>,
  notes: string,
): Promise<boolean> {
  const alone = { ...env, DENO_JOBS: "1", TEST_SKIPPED: join(notes, "skipped again") };
  const filter = `--filter=${filterOf(names)}`;
  const { code, report } = await runTests(alone, join(notes, "second.xml"), filter);
  return code === 0 && havePassed(names, report);
}

/** All groups of tests, those that take longest first. */
function allGroups(): string[] {
  const names = [...Deno.readDirSync(new URL("../tests/groups/", import.meta.url))]
    .map(({ name }) => name.replace(/\.ts$/, "")).sort();
  return [...new Set([...LONGEST, ...names])].map((name) => `tests/groups/${name}.ts`);
}

/** Prints what a server complained of last. */
function showComplaints(log: string): void {
  const lines = log.split("\n").filter((line) => COMPLAINT.test(line));
  if (lines.length === 0) return;
  console.log(`The server's last complaints, of ${lines.length}:`);
  for (const line of lines.slice(-MOST_COMPLAINTS)) console.log(`  ${line}`);
}

/** Prints the tests that `testOnSqlite` has noted in a file. */
async function showSkipped(file: string): Promise<void> {
  const lines = (await Deno.readTextFile(file)).split("\n").filter(Boolean).sort();
  console.log(`${lines.length} tests are skipped on PostgreSQL:`);
  for (const line of lines) console.log(`  ${line}`);
}
