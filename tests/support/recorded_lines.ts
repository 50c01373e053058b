/**
 * Command lines with the answers that the service gave to them, so that a line can be run again on
 * answers that differ in one place.
 *
 * @module
 */

import { run } from "../../lib/cli/main.ts";
import { createClient } from "../../lib/client.ts";
import type { Service } from "../../lib/service/mod.ts";
import { openService } from "./engine.ts";
import { LINES, OTHER_LINES } from "../../scripts/docs/lines.ts";
import { layInStock } from "../../scripts/docs/stock.ts";

/** An answer to one request. */
export interface Answer {
  /** The method, path and query of the request. */
  readonly request: string;
  /** The status. */
  readonly status: number;
  /** The body. */
  readonly text: string;
}

/** A command line and all that was answered to it. */
export interface RecordedLine {
  /** The line, with short names for ids. */
  readonly line: string;
  /** Its words. */
  readonly words: readonly string[];
  /** The answers, in the order in which they came. */
  readonly answers: readonly Answer[];
}

/** What a line left behind. */
export interface Shown {
  /** The exit code. */
  readonly code: number;
  /** Standard output. */
  readonly out: string;
  /** Standard error. */
  readonly err: string;
}

const BASE_URL = "http://127.0.0.1:4010";
const PRODUCT = '{"app_id":"$app","store_identifier":"new","type":"subscription"}';

/** The project of the recording, and the time that the command line sees. */
interface Scene {
  /** Values by the names that stand for them in the lines. */
  readonly values: Record<string, string>;
  /** The environment. */
  readonly env: Record<string, string>;
}

/** Lines and the way to run them again. */
export interface Recording {
  /** The lines, in order. */
  readonly lines: readonly RecordedLine[];
  /** Runs a line on other answers. A request that none of them fits is answered with 404. */
  replay(words: readonly string[], answers: readonly Answer[]): Promise<Shown>;
}

/** Runs every line of the table against a service in memory, as a table and as JSON. */
export async function recordLines(): Promise<Recording> {
  using receiver = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const service = await openService({ webhookTargets: "loopback" });
  try {
    const { access_token, refresh_token = "" } = await service.oauth.issueToken();
    const projectId = service.projectId ?? "";
    const fetch = (request: Request) => service.fetch(request);
    const client = createClient({ baseUrl: BASE_URL, credential: access_token, projectId, fetch });
    const stock = await layInStock(client, (path, body) => simulate(service, path, body));
    const scene: Scene = {
      values: { ...stock, $receiver: `http://127.0.0.1:${receiver.addr.port}/` },
      env: {
        CLI_BASE_URL: BASE_URL,
        CLI_PROJECT_ID: projectId,
        CLI_REFRESH_TOKEN: refresh_token,
      },
    };
    const lines: RecordedLine[] = [];
    for (const line of [...LINES.flatMap(withList), ...OTHER_LINES]) {
      lines.push(await record(service, scene, line));
    }
    return {
      lines,
      replay: (words, answers) => runWords(words, scene, answering(answers)),
    };
  } finally {
    await service.close();
  }
}

/** A line that makes something, and the list that then shows it. */
function withList(line: string): string[] {
  const [, group] = /^(\S+) create\b/.exec(line) ?? [];
  return group === undefined ? [line] : [line, `${group} list`];
}

/** Runs one line and notes what is answered. */
async function record(service: Service, scene: Scene, line: string): Promise<RecordedLine> {
  const words = line.split(" ").map((word) => filled(word, scene.values));
  const answers: Answer[] = [];
  const noting = async (request: Request) => {
    const key = keyOf(request);
    const response = await service.fetch(request);
    const text = await response.clone().text();
    answers.push({ request: key, status: response.status, text });
    return response;
  };
  const shown = await runWords(words, scene, noting);
  if (shown.code !== 0) throw new Error(`Cannot record cli ${line}: ${shown.err}`);
  // JSON may be asked for in another way than the table is.
  if (answers.every(({ request }) => !/^\S+ \/v2/.test(request) || request.startsWith("GET "))) {
    await runWords([...words, "--output", "json"], scene, noting);
  }
  if (/^\S+ create\b/.test(line)) scene.values["$new"] = newIdIn(answers);
  return { line, words, answers };
}

/** The id of what the last change made. */
function newIdIn(answers: readonly Answer[]): string {
  const made = answers.findLast(({ request }) => request.startsWith("POST /v2/"));
  return JSON.parse(made?.text ?? "{}").id ?? "";
}

/** Answers each request with the next one of its answers; the last one as often as it is asked. */
function answering(answers: readonly Answer[]): (request: Request) => Promise<Response> {
  const left = Map.groupBy(answers, ({ request }) => request);
  return (request) => {
    const waiting = left.get(keyOf(request)) ?? [];
    const answer = waiting.length > 1 ? waiting.shift() : waiting[0];
    const missing = '{"object":"error","type":"resource_missing","message":"Not recorded"}';
    return Promise.resolve(
      new Response(answer?.text ?? missing, { status: answer?.status ?? 404 }),
    );
  };
}

/** What tells a request from others. Values that change with the time do not. */
function keyOf(request: Request): string {
  const { pathname, search } = new URL(request.url);
  return `${request.method} ${pathname}${search}`;
}

/** A text with values in the places of their names. */
function filled(text: string, values: Record<string, string>): string {
  return text.replaceAll(/\$[a-z_]+/g, (name) => values[name] ?? name);
}

/** Runs a command line with nothing of the real machine. */
async function runWords(
  words: readonly string[],
  { env, values }: Scene,
  fetch: (request: Request) => Promise<Response>,
): Promise<Shown> {
  let out = "";
  let err = "";
  const stream = (text: string) => new Blob([text]).stream();
  const files: Record<string, string> = {
    "product.json": filled(PRODUCT, values),
    "paywall.json": '{"title":"New"}',
  };
  const code = await run(words, {
    terminal: {
      writeOut: (text) => void (out += text),
      writeErr: (text) => void (err += text),
      outColumns: undefined,
      outColor: false,
      errColor: false,
    },
    around: {
      env: (name) => env[name],
      cwd: undefined,
      home: undefined,
      now: () => Date.now(),
      fetch,
      pause: () => Promise.resolve(),
      warn: (text) => void (err += `Warning: ${text}\n`),
      log: () => {},
    },
    files: {
      readFile: (path) => Promise.resolve(stream(files[path] ?? "")),
      stdin: () => stream(""),
      stdinIsTerminal: false,
      say: () => {},
    },
    interactive: false,
    signal: new AbortController().signal,
  });
  return { code, out, err };
}

/** Has a store tell the service something. */
async function simulate(service: Service, path: string, body: object): Promise<unknown> {
  const response = await service.fetch(
    new Request(`${BASE_URL}/_sim/projects/${service.projectId}${path}`, {
      method: "POST",
      headers: {
        "Authorization": `Bearer ${service.adminSecret}`,
        "Content-Type": "application/json",
      },
      body: JSON.stringify(body),
    }),
  );
  if (!response.ok) throw new Error(`Cannot ${path}: ${await response.text()}`);
  return await response.json();
}
