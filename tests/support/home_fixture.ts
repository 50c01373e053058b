/**
 * A person with a home folder, a working folder, a browser and a keyboard, in front of a service in
 * memory.
 *
 * @module
 */

import { ok, strictEqual } from "node:assert/strict";
import { join } from "node:path";
import { PassThrough, Writable } from "node:stream";
import { stripVTControlCharacters } from "node:util";
import { run } from "../../lib/cli/main.ts";
import type { Surroundings } from "../../lib/connect.ts";
import type { Service, ServiceOptions } from "../../lib/service/mod.ts";
import { openService } from "./engine.ts";

/** The service's address. Nothing listens there: requests go straight to the service. */
export const BASE_URL = "http://127.0.0.1:4010";

/** A person's reaction to an address to open. Returns whether a browser was available. */
export type Browser = (url: string, at: Home) => Promise<boolean>;

/** The result of a command line. */
export interface Ran {
  /** The exit code. */
  code: number;
  /** Standard output. */
  out: string;
  /** Standard error. */
  err: string;
  /** The questions on the terminal. */
  asked: string;
  /** Standard output as JSON. */
  json(): Record<string, unknown>;
}

/** How one command line is run. */
export interface RunOptions {
  /** The keys for each question. Without them there is no interactive terminal. */
  keys?: readonly (readonly string[])[];
  /**
   * Types the answers to questions without an answer in `keys`, with the text of standard error.
   */
  type?: (said: string) => Promise<string>;
  /** The person's actions in the browser. Default: no browser. */
  browser?: Browser;
  /** Whether no home folder is known. */
  homeless?: boolean;
  /** Files that the command line can read, by path. */
  files?: Record<string, string>;
  /** Fires on Ctrl-C. */
  signal?: AbortSignal;
  /** Stands between client and service. */
  intercept?: (request: Request) => Promise<Response | undefined>;
}

/** A user's machine. */
export interface Home extends AsyncDisposable {
  /** The home folder. */
  readonly home: string;
  /** The working folder. */
  cwd: string;
  /** The environment. */
  readonly env: Record<string, string>;
  /** The service. */
  readonly service: Service;
  /** Requests that were sent, as `GET /path`. */
  readonly sent: string[];
  /** The machine as the library sees it. */
  around(options?: RunOptions): Surroundings;
  /** Moves the time of machine and service. */
  pass(milliseconds: number): void;
  /** Runs a command line: words with spaces between them, or each by itself. */
  run(words: string | readonly string[], options?: RunOptions): Promise<Ran>;
  /** The paths in a folder, with the mode of each: `.cli/config.json 600`. */
  paths(folder: string): string[];
}

/** Sets a machine up. */
export async function openHome(options: Partial<ServiceOptions> = {}): Promise<Home> {
  const root = await Deno.realPath(await Deno.makeTempDir());
  const [home, cwd] = [join(root, "home"), join(root, "work")];
  await Promise.all([home, cwd].map((folder) => Deno.mkdir(folder)));
  let now = Date.now();
  const service = await openService({ clock: () => now, buyers: false, ...options });
  const at: Home = {
    home,
    cwd,
    env: {},
    service,
    sent: [],
    around: (runOptions = {}) => surroundings(at, () => now, () => {}, runOptions),
    pass: (milliseconds) => void (now += milliseconds),
    run: (words, runOptions = {}) => runWords(at, () => now, words, runOptions),
    paths: (folder) => [...walk(folder, "")].sort(),
    async [Symbol.asyncDispose]() {
      await Deno.remove(root, { recursive: true });
      await service[Symbol.asyncDispose]();
    },
  };
  return at;
}

function surroundings(
  at: Home,
  now: () => number,
  say: (text: string) => void,
  { browser, intercept, homeless }: RunOptions,
): Surroundings {
  return {
    env: (name) => at.env[name],
    cwd: at.cwd,
    home: homeless ? undefined : at.home,
    now,
    fetch: async (request) => {
      at.sent.push(`${request.method} ${new URL(request.url).pathname}`);
      return await intercept?.(request) ?? await at.service.fetch(request);
    },
    pause: () => Promise.resolve(),
    openBrowser: (url) => browser ? browser(url, at) : Promise.resolve(false),
    warn: (text) => say(`Warning: ${text}\n`),
    log: (text) => say(`${text}\n`),
  };
}

async function runWords(
  at: Home,
  now: () => number,
  words: string | readonly string[],
  options: RunOptions,
): Promise<Ran> {
  let [out, err] = ["", ""];
  const terminal = keyboard(options.keys ?? [], async () => await options.type?.(err));
  const code = await run(typeof words === "string" ? words.split(" ") : words, {
    terminal: {
      writeOut: (text) => void (out += text),
      writeErr: (text) => void (err += text),
      outColumns: undefined,
      outColor: false,
      errColor: false,
    },
    around: surroundings(at, now, (text) => void (err += text), options),
    files: {
      readFile: (path) => {
        const text = options.files?.[path];
        if (text === undefined) return Promise.reject(new Deno.errors.NotFound());
        return Promise.resolve(new Blob([text]).stream());
      },
      stdin: () => new Blob().stream(),
      stdinIsTerminal: false,
      say: () => {},
    },
    interactive: (options.keys ?? options.type) !== undefined,
    prompts: terminal,
    signal: options.signal ?? new AbortController().signal,
  });
  return { code, out, err, asked: terminal.written(), json: () => JSON.parse(out) };
}

/** A terminal on which the keys for a question are pressed once it is there. */
function keyboard(
  answers: readonly (readonly string[])[],
  type: () => Promise<string | undefined>,
) {
  const left = answers.map((keys) => [...keys]);
  const written: string[] = [];
  const press = (keys: string[]) => {
    const key = keys.shift();
    if (key === undefined) return;
    input.write(key);
    setImmediate(() => press(keys));
  };
  let isRaw = false;
  const setRawMode = (raw: boolean) => {
    // A question says twice that it wants single keys.
    const again = raw && isRaw;
    isRaw = raw;
    if (!raw || again) return;
    const keys = left.shift();
    if (keys) return void setImmediate(() => press(keys));
    void type().then((text) => press(text === undefined ? [] : [text, "\r"]));
  };
  const input = Object.assign(new PassThrough(), { isTTY: true, setRawMode });
  const write = (chunk: unknown, _encoding: string, done: () => void) => {
    written.push(String(chunk));
    done();
  };
  const output = Object.assign(new Writable({ write }), { columns: 80, rows: 24 });
  return { input, output, written: () => stripVTControlCharacters(written.join("")) };
}

function* walk(folder: string, prefix: string): Generator<string> {
  for (const { name, isDirectory } of Deno.readDirSync(folder)) {
    const mode = ((Deno.lstatSync(join(folder, name)).mode ?? 0) & 0o777).toString(8);
    yield `${prefix}${name} ${mode}`;
    if (isDirectory) yield* walk(join(folder, name), `${prefix}${name}/`);
  }
}

/** The page that asks for consent, answered by plain HTTP as a browser does. */
async function answer(
  url: string,
  { service }: Home,
  decision: "allow" | "deny",
): Promise<string> {
  const asked = await service.fetch(new Request(url));
  const html = await asked.text();
  strictEqual(asked.status, 200, html);
  const value = (name: string) => RegExp(`name="${name}" value="([^"]*)"`).exec(html)?.[1] ?? "";
  const cookie = asked.headers.get("Set-Cookie")?.split(";")[0] ?? "";
  const answered = await service.fetch(
    new Request(`${BASE_URL}/oauth2/authorize`, {
      method: "POST",
      headers: { Origin: BASE_URL, "Sec-Fetch-Site": "same-origin", Cookie: cookie },
      body: new URLSearchParams({ form: value("form"), account: value("account"), decision }),
    }),
  );
  const location = answered.headers.get("Location");
  ok(location, await answered.text());
  return location;
}

/** Allows the request, and checks the next page. */
export async function allow(url: string, at: Home): Promise<boolean> {
  const response = await fetch(await answer(url, at, "allow"));
  await response.body?.cancel();
  return true;
}

/** Denies the request. */
export async function deny(url: string, at: Home): Promise<boolean> {
  const response = await fetch(await answer(url, at, "deny"));
  await response.body?.cancel();
  return true;
}

/** The browser's redirect address after the request was allowed. */
export async function allowedAddress(url: string, at: Home): Promise<URL> {
  return new URL(await answer(url, at, "allow"));
}

/** The profile of a name in the file. */
export async function storedProfile(at: Home, name = "default"): Promise<Record<string, string>> {
  const text = await Deno.readTextFile(join(at.home, ".cli", "config.json"));
  return JSON.parse(text).profiles[name];
}

/** Signs in as the owner and stores that, without a browser. */
export async function signedIn(at: Home, name = "default"): Promise<void> {
  const { code, err } = await at.run(`auth login -n ${name}`, { browser: allow });
  strictEqual(code, 0, err);
  at.sent.length = 0;
}
