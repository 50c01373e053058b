/**
 * The context: a command's only access to the outside. Only this part of the command line uses the
 * terminal, the clock and the environment.
 *
 * @module
 */

import type { Client } from "../client.ts";
import { systemSurroundings } from "../config/machine.ts";
import type { Connection, Surroundings } from "../connect.ts";
import { ToolkitError } from "../errors.ts";
import type { Ask, AskSettings } from "./screen/ask.ts";
import { denoFiles, type Files } from "./input/input.ts";
import { announcing, countingDown, type Waits } from "./screen/waiting.ts";
import { withLiveLine } from "./screen/live_line.ts";
import type { DataWriter } from "./data/writer.ts";
import type { Shape } from "./data/shape.ts";
import { createOutput, type Output, type Terminal } from "./screen/output.ts";

/** Everything that a command may use. */
export interface Context {
  /** Writes the command's output. */
  readonly out: Output;
  /** Asks the person at the terminal. */
  readonly ask: Ask;
  /** Whether a person can answer. */
  readonly interactive: boolean;
  /** Reads files and standard input. */
  readonly files: Files;
  /** The machine: environment, folders, clock. */
  readonly around: Surroundings;
  /** Fires when the person presses Ctrl-C. */
  readonly signal: AbortSignal;
  /** Whether slow requests are announced. */
  readonly waits: Waits;
  /** The flags that every command takes. */
  readonly globals: Globals;
  /** The settings in effect, with their sources: service, project and sign-in. */
  connection(): Promise<Connection>;
  /** A signed-in client. */
  client(): Promise<Client>;
}

/** The flags that every command takes. */
export interface Globals extends Shape {
  /** `--watch`: milliseconds until a command is run again. */
  watchMs?: number | undefined;
  /** `--profile`: the profile to use. */
  profile: string | undefined;
  /** `--project-id`: the project to use. */
  projectId: string | undefined;
  /** `--allow-insecure-host`: whether tokens may go over plain HTTP to another machine. */
  allowInsecureHost: boolean;
  /** `--timeout`: the time limit of the whole command, in milliseconds. */
  timeoutMs?: number | undefined;
}

/** The environment of a context. Tests pass their own. */
export interface World {
  /** The destination of output. */
  readonly terminal: Terminal;
  /** The machine. */
  readonly around: Surroundings;
  /** Files and standard input. */
  readonly files: Files;
  /** Whether a person can answer a question. */
  readonly interactive: boolean;
  /** The destination of questions. Default: standard error and standard input. */
  readonly prompts?: Pick<AskSettings, "input" | "output"> | undefined;
  /** Fires when the person presses Ctrl-C. */
  readonly signal: AbortSignal;
  /** Runs work that only the end of the process can stop, and lets Ctrl-C end it. */
  stoppable?<T>(work: () => T): T;
}

/** Makes the context of one command. */
export function createContext(world: World, globals: Globals, data?: DataWriter): Context {
  const { files } = world;
  const signal = limited(world.signal, globals.timeoutMs);
  const out = createOutput(world.terminal, globals.output === "table" ? "table" : "json", data);
  const ask = askLater({ ...world.prompts, interactive: world.interactive, signal });
  const waits = { announced: true };
  const announced = withAnnouncements(world, out, waits, world.interactive ? ask : undefined);
  const around = globals.allowInsecureHost ? allowingInsecure(announced) : announced;
  const { profile, projectId } = globals;
  const options = { profile, projectId, signal };
  let connection: Promise<Connection> | undefined;
  const resolve = async () => (await import("../connect.ts")).resolveConnection(around, options);
  let client: Promise<Client> | undefined;
  // Most commands need no more than this, and it skips overridden settings.
  const connect = async () =>
    await (await import("../connect.ts")).connect({ ...options, surroundings: around });
  const { interactive } = world;
  return {
    out,
    ask,
    interactive,
    files,
    around,
    signal,
    waits,
    globals,
    connection: () => connection ??= resolve(),
    client: () => client ??= connect(),
  };
}

/** Asks the person. The code for it is loaded with the first question: most commands have none. */
function askLater(settings: AskSettings): Ask {
  const load = async () => (await import("./screen/ask.ts")).createAsk(settings);
  return {
    confirm: async (question, options) => {
      if (!options.yes) await (await load()).confirm(question, options);
    },
    text: async (question, options) => await (await load()).text(question, options),
    choose: async (question, choices, options) =>
      await (await load()).choose(question, choices, options),
    chooseMany: async (question, choices, options) =>
      await (await load()).chooseMany(question, choices, options),
  };
}

/** The machine with the variable that stands for `--allow-insecure-host`. */
function allowingInsecure(around: Surroundings): Surroundings {
  const env = (name: string) => name === "CLI_ALLOW_INSECURE_HOST" ? "1" : around.env(name);
  return { ...around, env };
}

/** The signal of a command: Ctrl-C, or its time limit. */
function limited(signal: AbortSignal, timeoutMs: number | undefined): AbortSignal {
  return timeoutMs === undefined
    ? signal
    : AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
}

/**
 * The machine, with a line on standard error for each slow request, and with a person to ask
 * whether a folder's sign-in from elsewhere may be used.
 */
function withAnnouncements(
  { around, terminal }: World,
  out: Output,
  waits: Waits,
  ask: Ask | undefined,
): Surroundings {
  const send = around.fetch ?? ((request: Request) => fetch(request));
  const watched = terminal.errColumns !== undefined;
  // Getters stay getters: they are read when used.
  const confirmFolder = async (folder: string, baseUrl: string) => {
    out.note(`The sign-in of the folder ${folder} was not made on this machine.`);
    await ask?.confirm(`Use it, and send commands here to ${baseUrl}?`, {
      flag: '-y with "cli auth trust"',
      yes: false,
    });
  };
  return Object.create(Object.prototype, {
    ...Object.getOwnPropertyDescriptors(around),
    fetch: { value: announcing(send, { say: out.note, watched, waits }), enumerable: true },
    ...terminal.live && countdown(terminal.live, around),
    ...ask && { confirmFolder: { value: confirmFolder, enumerable: true } },
  });
}

/** The properties of a machine that shows the seconds left of a wait. */
function countdown(live: (text: string) => void, around: Surroundings): PropertyDescriptorMap {
  const { announceWait, pause } = countingDown(live, around.pause ?? timer);
  return {
    announceWait: { value: announceWait, enumerable: true },
    pause: { value: pause, enumerable: true },
  };
}

/** Waits in real time. */
async function timer(ms: number, signal: AbortSignal | undefined): Promise<void> {
  const { pause } = await import("../retry.ts");
  await pause(ms, signal);
}

/** The real environment. `signal` fires on Ctrl-C. */
export async function systemWorld(
  signal: AbortSignal,
  stoppable?: <T>(work: () => T) => T,
): Promise<World> {
  const surroundings = systemSurroundings();
  await returnToCaller(surroundings);
  passProxyBy(surroundings);
  const terminal = systemTerminal(surroundings);
  const say = (text: string) => terminal.writeErr(`${text}\n`);
  const around: Surroundings = {
    ...machine(surroundings),
    warn: (text) => createOutput(terminal, "table").warn(text),
    log: (text) => terminal.writeErr(`${text}\n`),
  };
  return {
    terminal,
    around,
    files: denoFiles(say, signal),
    interactive: Deno.stdin.isTerminal() && Deno.stderr.isTerminal() && !surroundings.env("CI"),
    signal,
    ...stoppable && { stoppable },
  };
}

/** Returns to the person's folder: `deno task` starts the program in its own. */
async function returnToCaller({ cwd, env }: Surroundings): Promise<void> {
  const noted = env("INIT_CWD");
  const own = import.meta.dirname?.replace(/[\\/]lib[\\/]cli$/, "");
  if (!noted || cwd !== own) return;
  const { callerFolder } = await import("./caller.ts");
  Deno.chdir(await callerFolder(noted, Deno.build.os === "windows", Deno.ppid));
}

/**
 * Keeps requests to this machine away from a proxy, where this address would mean another machine.
 */
function passProxyBy({ env }: Surroundings): void {
  const names = ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"];
  if (!names.some((name) => env(name) || env(name.toLowerCase()))) return;
  const exempt = env("NO_PROXY") || env("no_proxy");
  const all = [...exempt ? [exempt] : [], "localhost", "127.0.0.1", "::1"];
  // Deno reads it before the first request. If it may not be set, its value was intended.
  try {
    Deno.env.set("NO_PROXY", all.join(","));
  } catch (error) {
    if (!(error instanceof Deno.errors.NotCapable)) throw error;
  }
}

/** The parts of the surroundings that are read when they are used. */
function machine(surroundings: Surroundings): Omit<Surroundings, "warn"> {
  return {
    env: (name) => surroundings.env(name),
    get cwd() {
      return surroundings.cwd;
    },
    get home() {
      return surroundings.home;
    },
    now: () => surroundings.now(),
    platform: surroundings.platform,
  };
}

/** The real terminal. */
function systemTerminal({ env }: Surroundings): Terminal {
  const plain = Boolean(env("NO_COLOR")) || env("TERM") === "dumb";
  const unread = new AbortController();
  return withLiveLine({
    writeOut: writerTo(Deno.stdout, (why) => {
      throw new ToolkitError(`Cannot write to standard output: ${why}`);
    }, () => unread.abort()),
    unread: unread.signal,
    // There is nowhere left to report it; the exit code shows it.
    writeErr: writerTo(Deno.stderr, () => {}),
    outColumns: Deno.stdout.isTerminal() ? columnsIn(env("COLUMNS")) ?? ownColumns() : undefined,
    outRows: ownRows,
    errColumns: Deno.stderr.isTerminal() ? columnsIn(env("COLUMNS")) ?? ownColumns() : undefined,
    pictureColumns: columnsIn(env("COLUMNS")),
    outColor: Deno.stdout.isTerminal() && !plain,
    errColor: Deno.stderr.isTerminal() && !plain,
  });
}

/** The width from `COLUMNS`, if it is a number. */
function columnsIn(variable: string | undefined): number | undefined {
  const asked = Number(variable);
  return Number.isInteger(asked) && asked > 0 ? asked : undefined;
}

/** The width of the terminal. */
function ownColumns(): number {
  try {
    return Deno.consoleSize().columns;
  } catch {
    return 80;
  }
}

/** The height of the terminal. */
function ownRows(): number | undefined {
  try {
    return Deno.consoleSize().rows || undefined;
  } catch {
    return undefined;
  }
}

/**
 * Writes everything at once. After the reader has ended (`| head`), the rest is dropped silently.
 */
function writerTo(
  stream: { writeSync(bytes: Uint8Array): number },
  fail: (why: string) => void,
  left: () => void = () => {},
): (text: string) => void {
  const encoder = new TextEncoder();
  let closed = false;
  return (text) => {
    try {
      for (let rest = encoder.encode(text); rest.length > 0 && !closed;) {
        rest = rest.subarray(stream.writeSync(rest));
      }
    } catch (error) {
      closed = true;
      if (error instanceof Deno.errors.BrokenPipe) return left();
      fail(error instanceof Error ? error.message : String(error));
    }
  };
}
