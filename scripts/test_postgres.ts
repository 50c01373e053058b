/**
 * Runs the tests on PostgreSQL: `deno task test:postgres [FILES…]`. It starts a server of its own in a
 * temporary folder, on a port that the system chooses, and removes both at the end. Where PostgreSQL's
 * programs are missing it says SKIPPED, and succeeds.
 *
 * @module
 */

import { join } from "node:path";

/** The oldest version that the service works with. */
const OLDEST = 15;

/** What a test server may forget: it is thrown away, so nothing has to survive. */
const SETTINGS = [
  "fsync=off",
  "synchronous_commit=off",
  "full_page_writes=off",
  "wal_level=minimal",
  "max_wal_senders=0",
  "max_connections=300",
  "max_locks_per_transaction=256",
  "listen_addresses=127.0.0.1",
];

const PERMISSIONS = [
  "--allow-net=127.0.0.1,localhost,[::1]",
  "--allow-env",
  "--allow-read",
  "--allow-write",
  "--allow-run",
];

const programs = await findPrograms();
if (programs === undefined) {
  console.log(
    `SKIPPED: the tests on PostgreSQL. Its programs, version ${OLDEST} or newer, are not here: ` +
      "install them with: apt-get install -y postgresql",
  );
} else {
  Deno.exitCode = await testOn(programs, Deno.args);
}

/** The folder of the newest server's programs, if it is new enough. */
async function findPrograms(): Promise<string | undefined> {
  const root = "/usr/lib/postgresql";
  const versions: number[] = [];
  try {
    for await (const { name } of Deno.readDir(root)) versions.push(Number(name));
  } catch {
    return undefined;
  }
  const newest = Math.max(...versions.filter((version) => version >= OLDEST));
  return Number.isFinite(newest) ? join(root, String(newest), "bin") : undefined;
}

/** Runs the tests on a new server. Returns their exit code. */
async function testOn(bin: string, files: readonly string[]): Promise<number> {
  const folder = await Deno.makeTempDir({ prefix: "postgres" });
  const owner = await ownerOf(folder);
  const data = join(folder, "data");
  const run = (program: string, ...args: string[]) => execute(join(bin, program), args, owner);
  const port = freePort();
  try {
    await run("initdb", "-D", data, "-E", "UTF8", "--locale=C", "-A", "trust", "-U", "postgres");
    const all = [...SETTINGS, `port=${port}`, `unix_socket_directories=${folder}`];
    const options = all.map((setting) => `-c ${setting}`).join(" ");
    await run("pg_ctl", "-D", data, "-l", join(folder, "log"), "-w", "-o", options, "start");
    // Ctrl-C reaches the tests as well: when they have ended, the server is stopped.
    Deno.addSignalListener("SIGINT", () => {});
    try {
      const tests = new Deno.Command(Deno.execPath(), {
        args: [
          "test",
          "--no-check",
          "--frozen",
          "--parallel",
          "--no-prompt",
          ...PERMISSIONS,
          ...files,
        ],
        env: {
          TEST_ENGINE: "postgres",
          TEST_DATABASE: `postgres://postgres@127.0.0.1:${port}/postgres`,
        },
      }).spawn();
      return (await tests.status).code;
    } finally {
      await run("pg_ctl", "-D", data, "-m", "immediate", "stop");
    }
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** Who the server runs as: not the administrator of the machine, whom it refuses. */
async function ownerOf(folder: string): Promise<{ uid?: number; gid?: number }> {
  if (Deno.uid() !== 0) return {};
  const users = await Deno.readTextFile("/etc/passwd");
  const [, uid, gid] = /^postgres:[^:]*:(\d+):(\d+):/m.exec(users) ?? [];
  if (uid === undefined || gid === undefined) {
    throw new Error("Cannot start PostgreSQL as root: there is no user named postgres");
  }
  await Deno.chown(folder, Number(uid), Number(gid));
  return { uid: Number(uid), gid: Number(gid) };
}

/** Runs a program of PostgreSQL. */
async function execute(
  program: string,
  args: string[],
  owner: { uid?: number; gid?: number },
): Promise<void> {
  // Its standard streams must not be kept open by the server that it starts.
  const command = new Deno.Command(program, {
    args,
    ...owner,
    cwd: "/",
    stdin: "null",
    stdout: "null",
    stderr: "null",
  });
  const { success } = await command.spawn().status;
  if (!success) throw new Error(`Cannot run: ${program} ${args.join(" ")}`);
}

/** A port that nothing listens on now. */
function freePort(): number {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  return listener.addr.port;
}
