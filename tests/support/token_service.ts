/**
 * A token endpoint as small as can be, and a machine to use it from: a home folder, a working folder,
 * variables and a clock that belong to one test.
 *
 * @module
 */

import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Profile, saveProfile } from "../../lib/auth/store.ts";
import type { Client } from "../../lib/client.ts";
import type { Surroundings } from "../../lib/config/surroundings.ts";
import { connect, type ConnectOptions } from "../../lib/connect.ts";
import { path } from "../../lib/path.ts";

const CONFIG = fileURLToPath(new URL("../../deno.json", import.meta.url));
const CONNECT = new URL("../../lib/connect.ts", import.meta.url).href;
const PATH = new URL("../../lib/path.ts", import.meta.url).href;

/** When the tests happen, in milliseconds since 1970. */
export const NOW = 1_800_000_000_000;

/** A token endpoint and one resource that needs a token. */
export interface TokenService {
  /** Answers a request. */
  fetch(request: Request): Promise<Response>;
  /** Starts a sign-in: its refresh token. */
  issue(): string;
  /** Whether a refresh replaces the refresh token. Default: true. */
  rotates: boolean;
  /** Whether a refresh answer names the refresh token if it did not change. Default: true. */
  namesUnchanged: boolean;
  /** The time. */
  now: number;
  /** How many pairs were issued. */
  pairs: number;
  /** The forms received by the token endpoint. */
  readonly forms: URLSearchParams[];
  /** The requests received otherwise. */
  readonly requests: Request[];
  /** Runs before an answer of the token endpoint is sent, after the tokens were replaced. */
  beforeAnswer: (() => Promise<void>) | undefined;
  /** Answers in place of the token endpoint, as long as it returns something. */
  instead: (() => Response | Promise<Response> | undefined) | undefined;
}

/** What became of a refresh token. */
interface Grant {
  /** When it was replaced. */
  replacedAt?: number;
  /** What answered the request that replaced it. */
  successor?: object;
}

/** Starts a token endpoint that rotates, with 30 seconds' grace. */
export function tokenService(): TokenService {
  const grants = new Map<string, Grant>();
  const access = new Set<string>();
  let serial = 0;
  const service: TokenService = {
    rotates: true,
    namesUnchanged: true,
    now: NOW,
    pairs: 0,
    forms: [],
    requests: [],
    beforeAnswer: undefined,
    instead: undefined,
    issue: () => {
      const token = `rtk_test_number_${++serial}`;
      grants.set(token, {});
      return token;
    },
    fetch: async (request) => {
      if (new URL(request.url).pathname !== "/oauth2/token") {
        service.requests.push(request);
        const token = request.headers.get("Authorization")?.replace("Bearer ", "") ?? "";
        if (access.has(token)) return Response.json({ token });
        return Response.json({ type: "authentication_error", message: "No" }, { status: 401 });
      }
      const form = new URLSearchParams(await request.text());
      service.forms.push(form);
      const other = await service.instead?.();
      if (other) return other;
      const answer = exchange(form.get("refresh_token") ?? "");
      await service.beforeAnswer?.();
      return answer;
    },
  };
  function exchange(token: string): Response {
    const grant = grants.get(token);
    const late = grant?.replacedAt !== undefined && service.now - grant.replacedAt > 30_000;
    if (!grant || late) {
      const error_description = late ? "The token was replaced" : "The token is unknown";
      return Response.json({ error: "invalid_grant", error_description }, { status: 400 });
    }
    if (grant.successor) return Response.json(grant.successor);
    service.pairs++;
    const access_token = `atk_test_number_${++serial}`;
    access.add(access_token);
    const pair = { access_token, token_type: "Bearer", expires_in: 3600, scope: "a:b:read" };
    if (!service.rotates) {
      return Response.json(service.namesUnchanged ? { ...pair, refresh_token: token } : pair);
    }
    grant.successor = { ...pair, refresh_token: service.issue() };
    grant.replacedAt = service.now;
    return Response.json(grant.successor);
  }
  return service;
}

/** A machine of one test. */
export interface TestMachine extends Surroundings, AsyncDisposable {
  /** The folder that holds everything. */
  readonly root: string;
  /** The home folder. */
  readonly home: string;
  /** The working folder. */
  cwd: string;
  /** The variables. */
  readonly variables: Record<string, string>;
  /** What the person was warned of. */
  readonly warnings: string[];
}

/** Sets up a machine whose requests go to a service. */
export async function testMachine(service: TokenService = tokenService()): Promise<TestMachine> {
  const root = await Deno.realPath(await Deno.makeTempDir());
  const home = join(root, "home");
  const cwd = join(root, "work", "deep", "er");
  await Deno.mkdir(home);
  await Deno.mkdir(cwd, { recursive: true });
  const variables: Record<string, string> = {};
  const warnings: string[] = [];
  return {
    root,
    home,
    cwd,
    variables,
    warnings,
    env: (name) => variables[name],
    now: () => service.now,
    fetch: (request) => service.fetch(request),
    warn: (text) => void warnings.push(text),
    [Symbol.asyncDispose]: () => Deno.remove(root, { recursive: true }),
  };
}

/** A profile that is valid for an hour, issued by the local service. */
export function profileNamed(name: string, changes: Partial<Profile> = {}): Profile {
  return {
    name,
    access_token: `atk_of_profile_${name}`,
    refresh_token: `rtk_of_profile_${name}`,
    expires_at_ms: NOW + 3_600_000,
    ...changes,
  };
}

/** Writes a private file with its folder. */
export async function putPrivate(path: string, content: object | string): Promise<void> {
  await Deno.mkdir(join(path, ".."), { recursive: true, mode: 0o700 });
  const text = typeof content === "string" ? content : JSON.stringify(content);
  await Deno.writeTextFile(path, text, { mode: 0o600 });
}

/** The permission bits of a path, in octal. */
export async function modeOf(path: string): Promise<string> {
  return (((await Deno.lstat(path)).mode ?? 0) & 0o777).toString(8);
}

/** A machine, its service and a profile that a request must refresh first. */
export async function expired(): Promise<[TestMachine, TokenService, string]> {
  const service = tokenService();
  const machine = await testMachine(service);
  const refresh_token = service.issue();
  await saveProfile(machine, profileNamed("default", { refresh_token, expires_at_ms: NOW - 1 }));
  return [machine, service, refresh_token];
}

/** Connects on a machine, without waits between tries. */
export async function client(machine: TestMachine, options: ConnectOptions = {}): Promise<Client> {
  const surroundings = { ...machine, cwd: machine.cwd, pause: () => Promise.resolve() };
  return await connect({ surroundings, ...options });
}

/** Sends a request and gives the access token that it carried. */
export async function tokenSent(connected: Client): Promise<string> {
  return (await connected.get<{ token: string }>(path`/v2/projects`)).token;
}

/** The default profile as the file holds it. */
export async function onDisk(machine: TestMachine): Promise<Record<string, unknown>> {
  const text = await Deno.readTextFile(join(machine.home, ".cli", "config.json"));
  return JSON.parse(text).profiles.default;
}

/** Runs a program in processes of their own, all at once, and gives their exit codes and output. */
export async function runPrograms(
  source: string,
  count: number,
  options: { args?: string[]; env?: Record<string, string>; cwd?: string; shell?: string } = {},
): Promise<{ code: number; out: string }[]> {
  const folder = await Deno.makeTempDir();
  try {
    const file = join(folder, "program.ts");
    await Deno.writeTextFile(file, source);
    // With other settings a child would compile the library anew, over what this process cached.
    const flags = ["--quiet", "--no-prompt", "--no-check", "--no-lock", `--config=${CONFIG}`];
    const args = options.args ?? ["--allow-net=127.0.0.1", "--allow-env", "--allow-read"];
    const command = [Deno.execPath(), "run", ...flags, ...args, file];
    // A developer's settings must not count, nor a killed child spoil the report of coverage.
    const inherited = Object.fromEntries(
      Object.entries(Deno.env.toObject()).filter(([name]) => !/^(CLI_|DENO_COVERAGE)/.test(name)),
    );
    // A shell can set limits that its command inherits.
    const line = options.shell && ["sh", "-c", `${options.shell}; exec "$@"`, "sh", ...command];
    const run = async () => {
      const [name = "", ...rest] = line || command;
      const { code, stdout, stderr } = await new Deno.Command(name, {
        args: rest,
        cwd: options.cwd ?? folder,
        clearEnv: true,
        env: { ...inherited, NO_COLOR: "1", ...options.env },
        stdin: "null",
      }).output();
      const decoder = new TextDecoder();
      return { code, out: decoder.decode(stdout) + decoder.decode(stderr) };
    };
    return await Promise.all(Array.from({ length: count }, run));
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** The program that children run: one request, and the token that it carried. */
export function program(body = ""): string {
  return `
    import { connect } from ${JSON.stringify(CONNECT)};
    import { path } from ${JSON.stringify(PATH)};
    ${body}
    const client = await connect();
    console.log((await client.get(path\`/v2/projects\`)).token);`;
}

/** Serves a token service to other processes. */
export function serve(service: TokenService): Deno.HttpServer<Deno.NetAddr> {
  service.now = Date.now();
  return Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, service.fetch);
}

/** The permissions of a program that uses stored sign-ins. */
export const CHILD = [
  "--allow-net=127.0.0.1",
  "--allow-env=CLI_*,HOME",
  "--allow-read",
  "--allow-write",
];
