/**
 * Handing an event to a command of the person's own, through the shell.
 *
 * @module
 */

import { ToolkitError } from "../../errors.ts";
import type { Context } from "../context.ts";
import type { ForwardedEvent } from "./forward.ts";

/** What came of a command. */
export interface Execution {
  /** Its exit code, or null where a signal ended it. */
  exit_code: number | null;
  /** Why that is no success, or null. */
  error: string | null;
  /** How long it took, in milliseconds. */
  duration_ms: number;
}

/** How long a command that is told to stop may take for it, in milliseconds. */
const LONGEST_END_MS = 2000;

/** How long output is waited for that something in the background may still write. */
const LAST_WORDS_MS = 200;

/** The longest line of output that is shown in one piece, in characters. */
const LONGEST_LINE = 65_536;

/**
 * Runs a command once, with the event's body on its standard input. What it writes, on either stream,
 * goes to our standard error. Ctrl-C ends it and all that it has started, and is thrown.
 */
export async function runForEvent(
  context: Context,
  command: string,
  event: ForwardedEvent,
  secret: string,
): Promise<Execution> {
  const { around, signal, out } = context;
  const { signatureHeaders } = await import("../../service/events/signatures.ts");
  const started = around.now();
  const headers = signatureHeaders([secret], { id: event.id, body: event.payload, now: started });
  const windows = around.platform === "windows";
  signal.throwIfAborted();
  const child = start(command, windows, variables(event, headers));
  let ending: Promise<void> | undefined;
  const stop = () => void (ending = endTree(child, windows));
  signal.addEventListener("abort", stop, { once: true });
  const outputs = [child.stdout, child.stderr].map((stream) => relay(stream, out.note));
  const input = feed(child.stdin, event.payload);
  try {
    const { code, signal: by } = await child.status;
    await within(LAST_WORDS_MS, Promise.all(outputs.map(({ done }) => done)));
    await ending;
    signal.throwIfAborted();
    return {
      exit_code: by === null ? code : null,
      error: by !== null ? `${by} ends it` : code === 0 ? null : `it exits with ${code}`,
      duration_ms: around.now() - started,
    };
  } finally {
    signal.removeEventListener("abort", stop);
    await Promise.all([input.close(), ...outputs.map(({ close }) => close())]);
  }
}

/** Starts the shell, on Unix as the head of a group, so that all of it can be ended. */
function start(
  command: string,
  windows: boolean,
  env: Record<string, string>,
): Deno.ChildProcess {
  const [program, args] = windows
    ? ["cmd", ["/d", "/s", "/c", `"${command}"`]]
    : ["sh", ["-c", command]];
  try {
    return new Deno.Command(program, {
      args,
      env,
      stdin: "piped",
      stdout: "piped",
      stderr: "piped",
      detached: !windows,
      // Its quotes are for the shell, which has rules of its own.
      windowsRawArguments: windows,
    }).spawn();
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

/** What the command finds in its environment, besides ours. */
function variables(
  { id, type, customer_id }: ForwardedEvent,
  headers: readonly (readonly [name: string, value: string])[],
): Record<string, string> {
  const named: [name: string, value: string][] = [
    ["EVENT_ID", id],
    ["EVENT_TYPE", type],
    ["EVENT_CUSTOMER_ID", customer_id],
    ...headers.map(([name, value]): [string, string] => [
      name.toUpperCase().replaceAll("-", "_"),
      value,
    ]),
  ];
  // No environment can hold such a value; the body can.
  return Object.fromEntries(named.filter(([, value]) => !value.includes("\0")));
}

/** Ends a command and what it has started, first politely. */
async function endTree(child: Deno.ChildProcess, windows: boolean): Promise<void> {
  if (windows) return await shell("cmd", ["/d", "/c", `taskkill /T /F /PID ${child.pid}`]);
  await shell("sh", ["-c", `kill -s TERM -- -${child.pid}`]);
  if (await within(LONGEST_END_MS, child.status)) return;
  await shell("sh", ["-c", `kill -s KILL -- -${child.pid}`]);
}

/** Runs a line of the shell's. It fails when there is nothing left to end. */
async function shell(program: string, args: string[]): Promise<void> {
  const quiet = { stdin: "null", stdout: "null", stderr: "null" } as const;
  await new Deno.Command(program, { args, ...quiet }).output();
}

/** Writes a text to a command, which need not read it. */
function feed(stream: WritableStream<Uint8Array>, text: string): { close(): Promise<void> } {
  const writer = stream.getWriter();
  const ignore = () => {};
  writer.write(new TextEncoder().encode(text)).then(() => writer.close()).catch(ignore);
  return { close: () => writer.abort().catch(ignore) };
}

/** Hands on what a command writes, a line at a time. */
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

/** Waits for something, but not for longer than that. Tells whether it has come. */
async function within(ms: number, awaited: Promise<unknown>): Promise<boolean> {
  const late = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => late.resolve(false), ms);
  try {
    return await Promise.race([awaited.then(() => true), late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
