/**
 * The whole product in one process: words in; text, rows and requests out. Every answer of the
 * service that a test sees, and every request that the service accepts, is held against the served
 * OpenAPI document by an independent validator.
 *
 * @module
 */

import { type Client, createClient } from "../../lib/client.ts";
import type { Files } from "../../lib/cli/input/input.ts";
import { run } from "../../lib/cli/main.ts";
import { withLiveLine } from "../../lib/cli/screen/live_line.ts";
import type { Surroundings } from "../../lib/connect.ts";
import type { Service, ServiceOptions } from "../../lib/service/mod.ts";
import { openService } from "./engine.ts";
import { checkedFetch } from "./openapi.ts";

/** The result of a command line. */
export interface Ran {
  /** The exit code. */
  code: number;
  /** Standard output. */
  out: string;
  /** Standard error. */
  err: string;
  /** Standard output as JSON. */
  json(): unknown;
}

/** A request as it was sent and answered. */
export interface Sent {
  /** The request's method. */
  method: string;
  /** The request's path and query. */
  path: string;
  /** The status of the answer. */
  status: number;
}

/** A desk with everything on it: a service, a client, and a command line that uses them. */
export interface Desk extends AsyncDisposable {
  /** The service. */
  readonly service: Service;
  /** A client signed in as the owner, in the demonstration project. */
  readonly client: Client;
  /** The demonstration project. */
  readonly projectId: string;
  /** The environment of the command line. Change it at will. */
  readonly env: Record<string, string>;
  /** Every request sent so far, by client and command line. */
  readonly sent: Sent[];
  /** Runs a command line. */
  run(...words: string[]): Promise<Ran>;
  /** Sends a request as it is, signed in. */
  send(method: string, path: string, body?: unknown, headers?: HeadersInit): Promise<Response>;
}

/** How a desk may differ. */
export interface DeskOptions extends Partial<ServiceOptions> {
  /** The standard input of the command line. */
  stdin?: string;
  /** Files that the command line can read, by path. */
  files?: Record<string, string>;
  /** Columns of the terminal; without them standard output is a pipe. A test may change them. */
  columns?: number;
  /** Columns of the terminal that shows standard error; without them it is a pipe. */
  errColumns?: number;
  /** Stands between client and service. */
  intercept?: (
    request: Request,
    pass: (request: Request) => Promise<Response>,
  ) => Promise<Response>;
  /** How the command line waits, in milliseconds. Default: not at all. */
  pause?: (ms: number) => Promise<void>;
  /** The permissions of the token. */
  scope?: string;
  /** Whether the command line has the administrator's secret. Default: no. */
  isAdmin?: boolean;
  /** Ctrl-C for the command line. */
  interrupt?: AbortSignal;
}

/** The desk's address. Nothing listens there: requests go straight to the service. */
export const BASE_URL = "http://127.0.0.1:4010";

/** Sets up a desk on a database in memory. */
export async function openDesk(options: DeskOptions = {}): Promise<Desk> {
  const service = await openService({ buyers: false, ...options });
  const pair = await service.oauth.issueToken({ scope: options.scope });
  const projectId = service.projectId ?? "none";
  const sent: Sent[] = [];
  const checked = await checkedFetch((request) => service.fetch(request));
  const pass = async (request: Request): Promise<Response> => {
    const { pathname, search } = new URL(request.url);
    const response = await checked(request);
    sent.push({ method: request.method, path: pathname + search, status: response.status });
    return response;
  };
  const { intercept } = options;
  const fetch = intercept ? (request: Request) => intercept(request, pass) : pass;
  const env: Record<string, string> = {
    CLI_REFRESH_TOKEN: pair.refresh_token ?? "",
    CLI_PROJECT_ID: projectId,
    CLI_BASE_URL: BASE_URL,
    ...options.isAdmin && { CLI_SERVICE_ADMIN_SECRET: service.adminSecret },
  };
  const pause = () => Promise.resolve();
  const closing = new AbortController();
  const signal = AbortSignal.any([closing.signal, ...options.interrupt ? [options.interrupt] : []]);
  return {
    service,
    projectId,
    env,
    sent,
    client: createClient({
      baseUrl: BASE_URL,
      credential: pair.access_token,
      projectId,
      fetch,
      pause,
    }),
    run: (...words) => runWords(words, env, fetch, { ...options, signal }),
    async send(method, path, body, headers) {
      const text = typeof body === "string"
        ? body
        : body === undefined
        ? null
        : JSON.stringify(body);
      const all = new Headers({ Authorization: `Bearer ${pair.access_token}` });
      if (text !== null) all.set("Content-Type", "application/json");
      new Headers(headers).forEach((value, name) => all.set(name, value));
      return await fetch(new Request(BASE_URL + path, { method, headers: all, body: text }));
    },
    async [Symbol.asyncDispose]() {
      // A command that still runs after a failed test would retry for ever.
      closing.abort();
      await service[Symbol.asyncDispose]();
    },
  };
}

/** Runs a command line against a fetch function, with nothing of the real machine. */
async function runWords(
  words: string[],
  env: Record<string, string>,
  fetch: (request: Request) => Promise<Response>,
  options: DeskOptions & { signal: AbortSignal },
): Promise<Ran> {
  let out = "";
  let err = "";
  const around: Surroundings = {
    env: (name) => env[name],
    cwd: undefined,
    home: undefined,
    now: options.clock ?? (() => Date.now()),
    fetch,
    pause: options.pause ?? (() => Promise.resolve()),
    warn: (text) => void (err += `Warning: ${text}\n`),
    log: (text) => void (err += `${text}\n`),
  };
  const code = await run(words, {
    terminal: withLiveLine({
      writeOut: (text) => void (out += text),
      writeErr: (text) => void (err += text),
      outColumns: options.columns,
      errColumns: options.errColumns,
      outColor: false,
      errColor: false,
    }),
    around,
    files: filesOf(options),
    interactive: false,
    signal: options.signal,
  });
  return { code, out, err, json: () => JSON.parse(out) };
}

/** The files of a test. */
function filesOf(options: DeskOptions): Files {
  const stream = (text: string) => new Blob([text]).stream();
  return {
    readFile(path) {
      const text = options.files?.[path];
      if (text === undefined) return Promise.reject(new Deno.errors.NotFound(`no file ${path}`));
      return Promise.resolve(stream(text));
    },
    stdin: () => stream(options.stdin ?? ""),
    stdinIsTerminal: false,
    say: () => {},
  };
}
