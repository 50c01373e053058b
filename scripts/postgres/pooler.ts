/**
 * A PgBouncer in front of a server, which shares the server's connections between transactions.
 *
 * @module
 */

import { join } from "node:path";
import { freePort, ownerOf } from "./server.ts";

/** A pooler. */
export interface Pooler {
  /** The address of a database behind it. */
  address(database: string): string;
  /** Ends it, and deletes its files. */
  remove(): Promise<void>;
}

/** What a pooler does. */
interface PoolerOptions {
  /** How many connections of the server all programs share, for each database. */
  size: number;
  /** Whether it ignores the settings with which programs connect, in place of refusing them. */
  ignoresSettings: boolean;
  /** How soon it asks again for a server that did not answer, in seconds. Default: its own, 15. */
  retryS?: number;
}

/** How long it may take until the pooler answers, in milliseconds. */
const START_MS = 10_000;

/** The pooler's program, if it is installed. */
export async function findPooler(): Promise<string | undefined> {
  for (const path of ["/usr/sbin/pgbouncer", "/usr/bin/pgbouncer"]) {
    if (await Deno.stat(path).catch(() => undefined)) return path;
  }
  return undefined;
}

/** Starts a pooler in front of a server. Resolves when it answers. */
export async function startPooler(
  program: string,
  server: string,
  { size, ignoresSettings, retryS }: PoolerOptions,
): Promise<Pooler> {
  const folder = await Deno.makeTempDir({ prefix: "pooler" });
  const owner = await ownerOf(folder);
  const port = freePort();
  const { hostname, port: serverPort, username } = new URL(server);
  const settings = [
    "[databases]",
    `* = host=${hostname} port=${serverPort} user=${username}`,
    "[pgbouncer]",
    "listen_addr = 127.0.0.1",
    `listen_port = ${port}`,
    "unix_socket_dir =",
    "auth_type = any",
    "pool_mode = transaction",
    "max_client_conn = 5000",
    `default_pool_size = ${size}`,
    "server_idle_timeout = 5",
    ...retryS === undefined ? [] : [`server_login_retry = ${retryS}`],
    ...ignoresSettings ? ["ignore_startup_parameters = options"] : [],
  ];
  const file = join(folder, "pooler.ini");
  await Deno.writeTextFile(file, settings.join("\n") + "\n");
  const child = new Deno.Command(program, {
    args: ["-q", file],
    ...owner,
    cwd: "/",
    stdin: "null",
    stdout: "null",
    stderr: "null",
  }).spawn();
  const remove = async () => {
    try {
      child.kill("SIGKILL");
    } catch {
      // It has ended by itself.
    }
    await child.status;
    await Deno.remove(folder, { recursive: true });
  };
  try {
    await answering(port);
  } catch (error) {
    await remove();
    throw error;
  }
  return { address: (database) => `postgres://postgres@127.0.0.1:${port}/${database}`, remove };
}

/** Waits until something listens on a port. */
async function answering(port: number): Promise<void> {
  for (const end = Date.now() + START_MS;;) {
    try {
      (await Deno.connect({ hostname: "127.0.0.1", port })).close();
      return;
    } catch (error) {
      if (Date.now() > end) throw error;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
}
