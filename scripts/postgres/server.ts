/**
 * A PostgreSQL server of its own, in a temporary folder and on a port that the system chooses.
 *
 * @module
 */

import { join } from "node:path";

/** The oldest version that the service works with. */
export const OLDEST = 15;

/** A server. */
export interface PostgresServer {
  /** The address of a database on it. */
  address(database: string): string;
  /** Ends it at once, as a crash does. Its data stays. */
  crash(): Promise<void>;
  /** Starts it again on the same port. Resolves when it answers. */
  start(): Promise<void>;
  /** What it has logged. */
  log(): Promise<string>;
  /** Ends it, and deletes its data. */
  remove(): Promise<void>;
}

/** Who the server runs as. */
export interface Owner {
  /** The number of the user. */
  uid?: number;
  /** The number of the group. */
  gid?: number;
}

/** The folder of the newest server's programs, if it is new enough. */
export async function findPrograms(): Promise<string | undefined> {
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

/** A certificate of a server, and its key, both in PEM. */
export interface ServerCertificate {
  /** The certificate. */
  certificate: string;
  /** Its key. */
  key: string;
}

/** The database that a server with a certificate shows to encrypted connections alone. */
export const ONLY_TLS = "only_tls";

/** How to start a server. */
export interface PostgresOptions {
  /** With a certificate it offers TLS. */
  tls?: ServerCertificate;
  /** The folder to make its folder in. Default: that for temporary files. */
  parent?: string | undefined;
}

/** Starts a new server with some settings, such as `fsync=off`. */
export async function startPostgres(
  bin: string,
  settings: readonly string[],
  { tls, parent }: PostgresOptions = {},
): Promise<PostgresServer> {
  const folder = await Deno.makeTempDir({ prefix: "postgres", ...parent && { dir: parent } });
  const owner = await ownerOf(folder);
  const data = join(folder, "data");
  const port = freePort();
  const all = [
    ...settings,
    "listen_addresses=127.0.0.1",
    `port=${port}`,
    `unix_socket_directories=${folder}`,
  ];
  const options = all.map((setting) => `-c ${setting}`).join(" ");
  const run = (program: string, ...args: string[]) => execute(join(bin, program), args, owner);
  const control = (...args: string[]) => run("pg_ctl", "-D", data, ...args);
  const log = join(folder, "log");
  const start = () => control("-l", log, "-w", "-o", options, "start");
  const crash = () => control("-m", "immediate", "stop");
  try {
    await run("initdb", "-D", data, "-E", "UTF8", "--locale=C", "-A", "trust", "-U", "postgres");
    if (tls) await offerTls(data, tls, owner);
    await start();
  } catch (error) {
    await Deno.remove(folder, { recursive: true });
    throw error;
  }
  return {
    address: (database) => `postgres://postgres@127.0.0.1:${port}/${database}`,
    crash,
    start,
    log: () => Deno.readTextFile(log),
    async remove() {
      // It may be stopped already.
      await crash().catch(() => {});
      await Deno.remove(folder, { recursive: true });
    },
  };
}

/** Gives a server a certificate, and one database that needs TLS. */
async function offerTls(
  data: string,
  { certificate, key }: ServerCertificate,
  { uid, gid }: Owner,
): Promise<void> {
  for (const [name, text] of [["server.crt", certificate], ["server.key", key]] as const) {
    const file = join(data, name);
    await Deno.writeTextFile(file, text, { mode: 0o600 });
    await Deno.chown(file, uid ?? null, gid ?? null);
  }
  await Deno.writeTextFile(join(data, "postgresql.conf"), "\nssl = on\n", { append: true });
  const rules = join(data, "pg_hba.conf");
  const usual = await Deno.readTextFile(rules);
  const own = `hostssl ${ONLY_TLS} all all trust\nhost ${ONLY_TLS} all all reject\n`;
  await Deno.writeTextFile(rules, own + usual);
}

/** Who the server runs as: not the administrator of the machine, whom it refuses. */
export async function ownerOf(folder: string): Promise<Owner> {
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
async function execute(program: string, args: string[], owner: Owner): Promise<void> {
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
export function freePort(): number {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  return listener.addr.port;
}
