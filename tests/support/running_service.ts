/**
 * The service in a process of its own, as `cli service start` runs it, to be killed.
 *
 * @module
 */

import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { isOnServer } from "../../lib/service/store/mod.ts";
import { type Lasting, SHARED_SECRET } from "./lasting.ts";
import { childLines } from "./store_fixture.ts";
import { CLI_FLAGS } from "./cli_flags.ts";

/** A service in a process of its own. */
export interface RunningService {
  /** Its address. */
  readonly baseUrl: string;
  /** Its demonstration project. */
  readonly projectId: string;
  /** An access token of the owner. */
  readonly token: string;
  /** Its data folder. Undefined for a database on a server. */
  readonly data: string | undefined;
  /** The secret of its administrator. */
  readonly adminSecret: string;
  /** Kills the process at once, and waits for its end. */
  kill(): Promise<void>;
  /** Ends the process as Ctrl-C does, and waits until it is gone. */
  stop(): Promise<void>;
}

/** Starts the service on a database, with more flags, and waits until it answers. */
export async function startOn(
  { database, folder }: Pick<Lasting, "database" | "folder">,
  ...flags: string[]
): Promise<RunningService> {
  if (!isOnServer(database)) return await startWith(folder, "--data", folder, ...flags);
  const env = { CLI_SERVICE_DATABASE: database, CLI_SERVICE_ADMIN_SECRET: SHARED_SECRET };
  return await start(folder, ["--sign-in", "password", ...flags], env);
}

/** Starts the service with a home folder and flags, and waits until it answers. */
export function startWith(home: string, ...flags: string[]): Promise<RunningService> {
  return start(home, flags, {});
}

async function start(
  home: string,
  flags: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<RunningService> {
  const script = fileURLToPath(import.meta.resolve("../../cli.ts"));
  const words = ["service", "start", "--port", "0", ...flags, "--output", "json"];
  const allowed = ["--allow-net=127.0.0.1", "--allow-env", "--allow-read", "--allow-write"];
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", ...CLI_FLAGS, ...allowed, script, ...words],
    env: { HOME: home, ...env },
    stdin: "null",
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  const lines = childLines(child);
  const { value: line } = await lines.next();
  if (line === undefined) throw new Error("the service has ended before it said where it is");
  const { base_url: baseUrl, project_id: projectId, data } = JSON.parse(line);
  const adminSecret = env.CLI_SERVICE_ADMIN_SECRET ??
    (await Deno.readTextFile(join(data, "admin.secret"))).trim();
  const end = async (signal: Deno.Signal) => {
    child.kill(signal);
    for await (const _ of lines);
    await child.status;
  };
  return {
    baseUrl,
    projectId,
    data,
    adminSecret,
    token: await issueToken(adminSecret, baseUrl),
    kill: () => end("SIGKILL"),
    stop: () => end("SIGINT"),
  };
}

/** Asks for a token with the administrator's secret. */
async function issueToken(secret: string, baseUrl: string): Promise<string> {
  const response = await fetch(`${baseUrl}/_sim/tokens`, {
    method: "POST",
    headers: { Authorization: `Bearer ${secret}`, "Content-Type": "application/json" },
    body: "{}",
  });
  const { access_token } = await response.json();
  if (!response.ok) throw new Error(`no token: ${response.status}`);
  return access_token;
}
