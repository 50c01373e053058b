/**
 * The service in a process of its own, for attacks and measurements.
 *
 * @module
 */

import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** A running service. */
export interface Service {
  /** Its data folder. */
  readonly folder: string;
  /** Its address. */
  readonly baseUrl: string;
  /** Its port. */
  readonly port: number;
  /** The head of a signed-in request that announces a body of so many bytes. */
  promise(path: string, bytes: number): string;
  /** Sends a request as the owner of the project; the path is below the project. */
  send(method: string, path: string, body?: unknown): Promise<Response>;
  /** Sends a request to the simulator; the path is below the project. */
  simulate(path: string, body: unknown): Promise<Response>;
  /** Sends a signal. */
  signal(name: Deno.Signal): void;
  /** The peak memory of the process, in MB. 0 if the system does not report it. */
  peak(): number;
  /** Ends the process at once. */
  kill(): Promise<void>;
}

const CLI = fileURLToPath(new URL("../../cli.ts", import.meta.url));

/** The limits of a service. */
export interface Conditions {
  /** The largest file that it can write, in blocks of 512 bytes, to simulate a full disk. */
  fileBlocks?: number;
  /** The file for its recorded writes, syncs and answers. It needs strace. */
  trace?: string;
}

/**
 * The options of the record: file paths, all bytes in hexadecimal, and the calls of all threads.
 */
const TRACED = "strace -D -f -q -y -xx -s 200000 -e trace=pwrite64,fsync,fdatasync,ftruncate," +
  "write,writev,sendto -e signal=none";

/**
 * Starts a service. Undefined when it ends before it listens.
 *
 * @throws {Error} when it runs but gives no access token.
 */
export async function startService(
  folder: string,
  { fileBlocks, trace }: Conditions = {},
): Promise<Service | undefined> {
  const words = ["service", "start", "--port", "0", "--data", folder, "--output", "json"];
  const allowed = ["--allow-net", "--allow-env", "--allow-read", "--allow-write"];
  const args = ["run", "--quiet", "--no-check", "--no-prompt", ...allowed, CLI, ...words];
  const options = {
    args: [...args, "--webhook-targets", "loopback", "--webhook-schedule", "dev"],
    stdin: "null",
    stdout: "piped",
    stderr: "null",
  } satisfies Deno.CommandOptions;
  // 25 is SIGXFSZ: a write fails and does not end the process.
  const shell = trace === undefined
    ? `trap '' 25; ulimit -f ${fileBlocks}; exec "$0" "$@"`
    : `exec ${TRACED} -o '${trace}' "$0" "$@"`;
  const isPlain = fileBlocks === undefined && trace === undefined;
  const child = isPlain
    ? new Deno.Command(Deno.execPath(), options).spawn()
    : new Deno.Command("sh", { ...options, args: ["-c", shell, Deno.execPath(), ...options.args] })
      .spawn();
  const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  const { value } = await reader.read();
  const kill = async () => {
    try {
      child.kill("SIGKILL");
    } catch {
      // It has ended by itself.
    }
    await reader.cancel();
    await child.status;
  };
  if (value === undefined) {
    await kill();
    return undefined;
  }
  const { base_url: baseUrl, project_id: project } = JSON.parse(value);
  const secret = (await Deno.readTextFile(join(folder, "admin.secret"))).trim();
  const post = (path: string, token: string, body: unknown) =>
    request(`${baseUrl}${path}`, "POST", token, body);
  const address = (path: string) => `${baseUrl}/v2/projects/${project}${path}`;
  const answer = await post("/_sim/tokens", secret, {}).catch(() => undefined);
  const { access_token } = await answer?.json().catch(() => ({})) ?? {};
  if (!access_token) {
    await kill();
    throw new Error(`The service on ${folder} gives no access token`);
  }
  return {
    folder,
    baseUrl,
    port: Number(new URL(baseUrl).port),
    promise: (path, bytes) => headOf(address(path), access_token, bytes),
    send: (method, path, body) => request(address(path), method, access_token, body),
    simulate: (path, body) => post(`/_sim/projects/${project}${path}`, secret, body),
    signal: (name) => child.kill(name),
    peak: () => peakOf(child.pid),
    kill,
  };
}

/** The head of a request, and the first byte of its body. */
function headOf(url: string, token: string, bytes: number): string {
  const { host, pathname } = new URL(url);
  return [
    `POST ${pathname} HTTP/1.1`,
    `Host: ${host}`,
    `Authorization: Bearer ${token}`,
    "Content-Type: application/json",
    `Content-Length: ${bytes}\r\n\r\n{`,
  ].join("\r\n");
}

/** Sends a request with a limit of ten seconds. */
async function request(
  url: string,
  method: string,
  token: string,
  body?: unknown,
): Promise<Response> {
  return await fetch(url, {
    method,
    headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
    ...body !== undefined && { body: JSON.stringify(body) },
    signal: AbortSignal.timeout(10_000),
  });
}

/** Whether a command is installed. */
export async function commandExists(name: string): Promise<boolean> {
  const args = ["-c", `command -v ${name}`];
  const { success } = await new Deno.Command("sh", { args, stdout: "null", stderr: "null" })
    .output();
  return success;
}

/** The peak memory of a process, in MB, if /proc has it. */
function peakOf(pid: number): number {
  if (Deno.build.os !== "linux") return 0;
  // Reading there with Deno would need all permissions, so cat does it.
  const { stdout } = new Deno.Command("cat", { args: [`/proc/${pid}/status`], stderr: "null" })
    .outputSync();
  const [, kilobytes] = /VmHWM:\s+(\d+)/.exec(new TextDecoder().decode(stdout)) ?? [];
  return Math.round(Number(kilobytes ?? 0) / 1024);
}
