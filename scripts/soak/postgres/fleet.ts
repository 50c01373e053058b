/**
 * Several processes of the service on one PostgreSQL database, and requests to any of them.
 *
 * @module
 */

import { fileURLToPath } from "node:url";

/** What a process does. */
export type Role = "api" | "worker" | "all";

/** One process, which can be killed and started again. */
export interface Member {
  /** What it does. */
  readonly role: Role;
  /** Its address while it runs. */
  baseUrl: string | undefined;
  /** Starts it. Resolves when it listens. */
  start(): Promise<void>;
  /** Ends it at once. */
  kill(): Promise<void>;
  /** How often it ended without being killed, after it listened. */
  ended(): number;
  /** The last lines of its log. */
  log(): string;
}

/** The answer to a request that was sent until it got through. */
export interface Reply {
  /** The status. */
  status: number;
  /** The body, parsed. */
  body: Record<string, unknown>;
  /** Whether an earlier try may have had an effect: its connection was lost. */
  repeated: boolean;
}

/** A request. */
export interface Ask {
  /** The method. */
  method: string;
  /** The path, from the root. */
  path: string;
  /** The body. */
  body?: unknown;
  /** The idempotency key. */
  key?: string;
  /** The process to ask. Default: any. */
  member?: Member;
}

/** The processes. */
export interface Fleet {
  /** All of them. */
  readonly members: readonly Member[];
  /** The number of answers by status; 0 for connections that were lost. */
  readonly statuses: Map<number, number>;
  /** What answers lacked that must not be lacking. */
  readonly wrong: string[];
  /** Sends a request once. Undefined when the connection was lost or nobody listens. */
  once(ask: Ask): Promise<Omit<Reply, "repeated"> | undefined>;
  /** Sends a request again and again until it is answered with another status than 503. */
  ask(ask: Ask): Promise<Reply>;
  /** Kills all. */
  close(): Promise<void>;
}

/** How the processes are to run. */
interface FleetOptions {
  /** The database. */
  database: string;
  /** What each process does. */
  roles: readonly Role[];
  /** How far each one's clock is ahead, in milliseconds, where faketime is installed. */
  aheadMs?: readonly number[];
  /** A number from 0 to 1. */
  random(): number;
}

const CLI = fileURLToPath(new URL("../../../cli.ts", import.meta.url));

/** The secret of the administrator, for all processes. */
const SECRET = "adm_soak_of_all_processes";

/** How long a request is tried, in milliseconds. */
const PATIENCE_MS = 120_000;

/** Debian's library that shifts a process's clock. */
export const FAKETIME = "/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1";

/** Starts the processes. */
export async function startFleet(options: FleetOptions): Promise<Fleet> {
  const { roles, random } = options;
  const members = roles.map((role, i) =>
    createMember(role, { ...options, ahead: options.aheadMs?.[i] ?? 0 })
  );
  await Promise.all(members.map((member) => member.start()));
  const statuses = new Map<number, number>();
  const wrong: string[] = [];
  const answering = () => members.filter(({ role, baseUrl }) => role !== "worker" && baseUrl);
  let token = "";
  const once: Fleet["once"] = async ({ method, path, body, key, member }) => {
    const ready = answering();
    const { baseUrl } = member ?? ready[Math.floor(random() * ready.length)] ?? {};
    if (baseUrl === undefined) return undefined;
    const reply = await send(`${baseUrl}${path}`, {
      method,
      headers: {
        Authorization: `Bearer ${path.startsWith("/_sim/") ? SECRET : token}`,
        "Content-Type": "application/json",
        ...key !== undefined && { "Idempotency-Key": key },
      },
      ...body !== undefined && { body: JSON.stringify(body) },
    });
    const status = reply?.status ?? 0;
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
    if (status >= 500) noteRefusal(wrong, `${method} ${path}`, status, reply?.body ?? {});
    return reply;
  };
  const ask = (wanted: Ask) => untilAnswered(() => once(wanted), wanted);
  const issued = await ask({ method: "POST", path: "/_sim/tokens", body: {} });
  token = String(issued.body.access_token);
  return {
    members,
    statuses,
    wrong,
    once,
    ask,
    close: async () => void await Promise.all(members.map((member) => member.kill())),
  };
}

/** Sends a request. Undefined when there is no whole answer. */
async function send(
  url: string,
  init: RequestInit,
): Promise<Omit<Reply, "repeated"> | undefined> {
  try {
    const response = await fetch(url, { ...init, signal: AbortSignal.timeout(30_000) });
    const text = await response.text();
    return { status: response.status, body: text === "" ? {} : JSON.parse(text) };
  } catch {
    return undefined;
  }
}

/** Notes a failure of the server other than a refusal that says when to try again. */
function noteRefusal(
  wrong: string[],
  what: string,
  status: number,
  body: Record<string, unknown>,
): void {
  const { retryable, backoff_ms } = body;
  if (status === 503 && retryable === true && typeof backoff_ms === "number") return;
  wrong.push(`${what} was answered with ${status}: ${JSON.stringify(body).slice(0, 300)}`);
}

/** Sends something again and again until it is answered with another status than 503. */
async function untilAnswered(
  once: () => Promise<Omit<Reply, "repeated"> | undefined>,
  { method, path }: Ask,
): Promise<Reply> {
  let repeated = false;
  for (const end = Date.now() + PATIENCE_MS; Date.now() < end;) {
    const reply = await once();
    if (reply && reply.status !== 503) return { ...reply, repeated };
    // A connection that is lost during a commit leaves open whether there was one.
    repeated = true;
    await pause(30 + Math.random() * 70);
  }
  throw new Error(`nobody answered ${method} ${path} for ${PATIENCE_MS / 1000} s`);
}

/** Makes a process, without starting it. */
function createMember(
  role: Role,
  { database, ahead }: FleetOptions & { ahead: number },
): Member {
  let child: Deno.ChildProcess | undefined;
  let ended = 0;
  let lines = "";
  let wanted = true;
  let tidied: Promise<void> | undefined;
  const startOnce = async (): Promise<boolean> => {
    const own = child = spawn(role, database, ahead);
    if (ahead !== 0) tidied = own.status.then(() => removeFaketime(own.pid));
    void (async () => {
      for await (const text of own.stderr.pipeThrough(new TextDecoderStream())) {
        lines = (lines + text).slice(-20_000);
      }
    })().catch(() => {});
    const reader = own.stdout.pipeThrough(new TextDecoderStream()).getReader();
    const { value } = await reader.read();
    if (value === undefined) return false;
    own.status.then(() => {
      if (child === own) ended++;
    });
    const { base_url } = JSON.parse(value);
    if (child === own) member.baseUrl = base_url;
    return true;
  };
  const member: Member = {
    role,
    baseUrl: undefined,
    ended: () => ended,
    log: () => lines,
    async start() {
      wanted = true;
      // As whatever watches over processes does: a start fails while there is no server.
      while (wanted && !await startOnce()) await pause(200);
    },
    async kill() {
      wanted = false;
      const own = child;
      child = undefined;
      member.baseUrl = undefined;
      try {
        own?.kill("SIGKILL");
      } catch {
        // It has ended by itself.
      }
      await own?.status;
      await tidied;
    },
  };
  return member;
}

/**
 * Removes the shared memory that faketime has for a process. It does so itself, but not when the process
 * is killed.
 */
export async function removeFaketime(pid: number, folder = "/dev/shm"): Promise<void> {
  for (const name of [`faketime_shm_${pid}`, `sem.faketime_sem_${pid}`]) {
    await Deno.remove(`${folder}/${name}`).catch((error: unknown) => {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
    });
  }
}

function spawn(role: Role, database: string, ahead: number): Deno.ChildProcess {
  const words = ["service", "start", "--empty", "--port", "0", "--output", "json", "--role", role];
  const allowed = ["--allow-net", "--allow-env", "--allow-read", "--allow-write", "--allow-sys"];
  return new Deno.Command(Deno.execPath(), {
    args: [
      ...["run", "--quiet", "--no-check", "--no-prompt", ...allowed, CLI, ...words],
      ...["--webhook-targets", "loopback", "--webhook-schedule", "dev", "--sign-in", "password"],
    ],
    env: {
      CLI_SERVICE_DATABASE: database,
      CLI_SERVICE_ADMIN_SECRET: SECRET,
      ...ahead !== 0 && {
        LD_PRELOAD: FAKETIME,
        FAKETIME: `${ahead < 0 ? "" : "+"}${ahead / 1000}s`,
        FAKETIME_DONT_FAKE_MONOTONIC: "1",
        DONT_FAKE_MONOTONIC: "1",
      },
    },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
}

/** Waits. */
export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
