/**
 * Passes an event to the person's own command, through the shell.
 *
 * @module
 */

import { spawn } from "../../platform/spawn.ts";
import { Cancelled, ToolkitError } from "../../errors.ts";
import type { Context } from "../context.ts";
import { watchHangup } from "./hangup.ts";
import type { PulledEvent } from "../../simulator/listeners.ts";

/** The result of a command. */
export interface Execution {
  /** Its exit code, or null if a signal ended it. */
  exit_code: number | null;
  /** The reason of a failure, or null. */
  error: string | null;
  /** The duration, in milliseconds. */
  duration_ms: number;
}

/** The time limit for a command to stop, in milliseconds. */
const LONGEST_END_MS = 2000;

/** How long to wait for output of background processes, in milliseconds. */
const LAST_WORDS_MS = 200;

/** The longest line of output in one piece, in characters. */
const LONGEST_LINE = 65_536;

/**
 * Runs a command once, with the event's body on its standard input. Its output on both streams goes
 * to our standard error. Ctrl-C, and the end of the terminal, end it with its child processes, and
 * are thrown.
 */
export async function runForEvent(
  context: Context,
  command: string,
  event: PulledEvent,
  secret: string,
): Promise<Execution> {
  const { around, out } = context;
  const { signatureHeaders } = await import("../../service/events/signatures.ts");
  const started = around.now();
  const headers = signatureHeaders([secret], { id: event.id, body: event.payload, now: started });
  const windows = around.platform === "windows";
  const { env, left } = variables(event, headers, windows);
  if (left.length > 0) out.warn(`${left.join(", ")} of ${event.id} cannot be set: ${WHY_LEFT}`);
  using hangup = await watchHangup(windows);
  const signal = AbortSignal.any([context.signal, hangup.signal]);
  if (signal.aborted) throw new Cancelled("Stopped", { cause: signal.reason });
  const child = start(command, windows, env);
  let ending: Promise<void> | undefined;
  const stop = () => void (ending = endTree(child, windows));
  signal.addEventListener("abort", stop, { once: true });
  const outputs = [child.stdout, child.stderr].map((stream) => relay(stream, out.note));
  const input = feed(child.stdin, event.payload);
  try {
    const { code, signal: by } = await child.status;
    await within(LAST_WORDS_MS, Promise.all(outputs.map(({ done }) => done)));
    await ending;
    if (signal.aborted) throw new Cancelled("Stopped", { cause: signal.reason });
    return {
      exit_code: by === null ? code : null,
      error: by !== null ? `${by} ended it` : code === 0 ? null : `it exited with ${code}`,
      duration_ms: around.now() - started,
    };
  } finally {
    signal.removeEventListener("abort", stop);
    await Promise.all([input.close(), ...outputs.map(({ close }) => close())]);
  }
}

/** Starts the shell, on Unix as the head of a process group, so that all of it can be ended. */
function start(
  command: string,
  windows: boolean,
  env: Record<string, string>,
): Deno.ChildProcess {
  const [program, args] = windows
    ? ["cmd", ["/d", "/s", "/c", `"${command}"`]]
    : ["sh", ["-c", command]];
  try {
    return spawn(program, {
      args,
      env,
      stdin: "piped",
      stdout: "piped",
      stderr: "piped",
      detached: !windows,
      // Its quotes are for the shell, which has its own rules.
      windowsRawArguments: windows,
    });
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new ToolkitError(`Cannot run the command of --exec: ${why}`, {
      cause: error,
      hint: error instanceof Deno.errors.NotCapable
        ? "deno task cli and the compiled program may run sh and cmd; otherwise pass --allow-run=sh,cmd"
        : undefined,
    });
  }
}

/** The reason for an unset variable. */
const WHY_LEFT =
  "a shell could run part of it as a command. The body on standard input contains it";

/**
 * Characters that `cmd` may not treat as text: it puts a variable's value into the command line, or
 * into a batch file's, and parses it only then. No other shell does that.
 */
// deno-lint-ignore no-control-regex
const PARSED_BY_CMD = /[\x00-\x1f"&|<>^%!()]/;

/** The variables of a command's environment, besides ours. */
interface EventVariables {
  /** Their values. */
  env: Record<string, string>;
  /** The names of variables that cannot be set. */
  left: string[];
}

/** The variables of an event. Those that the system or its shell cannot carry are left out. */
export function variables(
  { id, type, customer_id }: Pick<PulledEvent, "id" | "type" | "customer_id">,
  headers: readonly (readonly [name: string, value: string])[],
  windows: boolean,
): EventVariables {
  const named: [name: string, value: string][] = [
    ["EVENT_ID", id],
    ["EVENT_TYPE", type],
    ["EVENT_CUSTOMER_ID", customer_id],
    ...headers.map(([name, value]): [string, string] => [
      name.toUpperCase().replaceAll("-", "_"),
      value,
    ]),
  ];
  const unusable = windows ? PARSED_BY_CMD : /\0/;
  const isUsable = (value: string) => !unusable.test(value);
  return {
    env: Object.fromEntries(named.filter(([, value]) => isUsable(value))),
    left: named.filter(([, value]) => !isUsable(value)).map(([name]) => name),
  };
}

/** Ends a command and its child processes, first with SIGTERM. */
async function endTree(child: Deno.ChildProcess, windows: boolean): Promise<void> {
  if (windows) return void await shell("cmd", ["/d", "/c", `taskkill /T /F /PID ${child.pid}`]);
  await shell("sh", ["-c", `kill -s TERM -- -${child.pid}`]);
  const late = new AbortController();
  if (await within(LONGEST_END_MS, groupEnd(child, late.signal))) return;
  late.abort();
  await shell("sh", ["-c", `kill -s KILL -- -${child.pid}`]);
}

/** The pause between two looks at a group of processes, in milliseconds. */
const LOOK_MS = 50;

/** Waits for the end of a command and of what it has started, which may take longer. */
async function groupEnd(child: Deno.ChildProcess, late: AbortSignal): Promise<void> {
  await child.status;
  while (!late.aborted && await shell("sh", ["-c", LIVES, "sh", `${child.pid}`])) {
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}

/**
 * Whether a group has a process that is no zombie. In a container nobody may collect those, and they get
 * signals like the others. Where there is no /proc, the system collects them.
 */
const LIVES = `kill -s 0 -- "-$1" || exit 1
[ -e /proc/self/stat ] || exit 0
group=$1
for stat in /proc/[0-9]*/stat; do
  read -r line < "$stat" || continue
  set -- \${line##*) }
  if [ "$3" = "$group" ] && [ "$1" != Z ] && [ "$1" != X ]; then exit 0; fi
done
exit 1`;

/** Runs a shell line. Returns whether it succeeded. It fails when there is nothing left to end. */
async function shell(program: string, args: string[]): Promise<boolean> {
  const quiet = { stdin: "null", stdout: "null", stderr: "null" } as const;
  return (await spawn(program, { args, ...quiet }).status).success;
}

/** Writes a text to a command, which need not read it. */
function feed(stream: WritableStream<Uint8Array>, text: string): { close(): Promise<void> } {
  const writer = stream.getWriter();
  const ignore = () => {};
  writer.write(new TextEncoder().encode(text)).then(() => writer.close()).catch(ignore);
  return { close: () => writer.abort().catch(ignore) };
}

/** Passes on a command's output, a line at a time. */
function relay(
  stream: ReadableStream<Uint8Array<ArrayBuffer>>,
  say: (line: string) => void,
): { done: Promise<void>; close(): Promise<void> } {
  const reader = stream.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  const read = async () => {
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      const lines = (rest + part.value).split(/\r?\n/);
      rest = lines.pop() ?? "";
      lines.forEach(say);
      if (rest.length < LONGEST_LINE) continue;
      say(rest);
      rest = "";
    }
  };
  const done = read().catch(() => {}).then(() => {
    if (rest !== "") say(rest);
    rest = "";
  });
  return { done, close: () => reader.cancel().catch(() => {}) };
}

/** Waits for something, up to a limit. Returns whether it has happened. */
async function within(ms: number, awaited: Promise<unknown>): Promise<boolean> {
  const late = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => late.resolve(false), ms);
  try {
    return await Promise.race([awaited.then(() => true), late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
