/**
 * The program: takes the real environment and sets the exit code. Only this file ends the process.
 *
 * @module
 */

// Nothing else is loaded for `--version`: each further file takes a third of a millisecond.
import "./lib/cli/packages.ts";
import { VERSION } from "./lib/version.ts";

/** What the program uses of its process before it has a world. */
export interface Process {
  /** The command line. */
  readonly args: readonly string[];
  /** Standard output. */
  readonly stdout: Pick<typeof Deno.stdout, "writeSync">;
  /** The operating system. */
  readonly build: Pick<typeof Deno.build, "os">;
  /** Calls a function for each signal of a kind. */
  addSignalListener(signal: Deno.Signal, stop: () => void): void;
  /** Ends that. */
  removeSignalListener(signal: Deno.Signal, stop: () => void): void;
  /** Ends the process. */
  exit(code: number): void;
}

/** Runs the command line of a process, and returns its exit code. */
export async function start(process: Process): Promise<number> {
  // Nothing else runs for this: scripts call it often.
  if (isVersionOnly(process.args)) {
    process.stdout.writeSync(new TextEncoder().encode(`cli ${VERSION}\n`));
    return 0;
  }
  const interrupt = new AbortController();
  const stoppable = listenForStop(interrupt, process);
  const { run, systemWorld } = await import("./lib/cli/main.ts");
  return await run(process.args, await systemWorld(interrupt.signal, stoppable));
}

/** Whether a command line consists of the flag for the version. */
export function isVersionOnly(args: readonly string[]): boolean {
  return /^(--version|-V)$/.test(args.join(" "));
}

/**
 * How long signals may belong to the same Ctrl-C, in milliseconds: a terminal sends it to all
 * programs of a command line, and those that run others (`npx`, `deno task`) pass it on.
 */
const SAME_STOP_MS = 500;

/**
 * The first Ctrl-C stops the work; a second one does not wait for it. Returns a function that runs
 * work in which no signal is heard, with signals as they are by themselves: they end the process.
 */
export function listenForStop(
  interrupt: AbortController,
  process: Omit<Process, "args" | "stdout">,
): <T>(work: () => T) => T {
  let isAnother = false;
  const stop = (signal: Deno.Signal, code: number) => {
    if (isAnother) process.exit(code);
    if (interrupt.signal.aborted) return;
    Deno.unrefTimer(setTimeout(() => isAnother = true, SAME_STOP_MS));
    interrupt.abort(signal);
  };
  const stops: [signal: Deno.Signal, stop: () => void][] = [["SIGINT", () => stop("SIGINT", 130)]];
  if (process.build.os !== "windows") stops.push(["SIGTERM", () => stop("SIGTERM", 143)]);
  const listen = () => stops.forEach(([signal, stop]) => process.addSignalListener(signal, stop));
  listen();
  return (work) => {
    stops.forEach(([signal, stop]) => process.removeSignalListener(signal, stop));
    try {
      return work();
    } finally {
      listen();
    }
  };
}

if (import.meta.main) Deno.exit(await start(Deno));
