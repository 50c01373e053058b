/**
 * The program: takes the real environment and sets the exit code. Only this file ends the process.
 *
 * @module
 */

// Nothing else is loaded for `--version`: each further file takes a third of a millisecond.
import "./lib/cli/packages.ts";
import { VERSION } from "./lib/version.ts";

/** Runs the command line of this process. */
async function start(): Promise<number> {
  // Nothing else runs for this: scripts call it often.
  const [only, ...rest] = Deno.args;
  if ((only === "--version" || only === "-V") && rest.length === 0) {
    Deno.stdout.writeSync(new TextEncoder().encode(`cli ${VERSION}\n`));
    return 0;
  }
  const interrupt = new AbortController();
  const stoppable = listenForStop(interrupt);
  const { run, systemWorld } = await import("./lib/cli/main.ts");
  return await run(Deno.args, await systemWorld(interrupt.signal, stoppable));
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
function listenForStop(interrupt: AbortController): <T>(work: () => T) => T {
  let isAnother = false;
  const stop = (signal: Deno.Signal, code: number) => {
    if (isAnother) Deno.exit(code);
    if (interrupt.signal.aborted) return;
    Deno.unrefTimer(setTimeout(() => isAnother = true, SAME_STOP_MS));
    interrupt.abort(signal);
  };
  const stops: [signal: Deno.Signal, stop: () => void][] = [["SIGINT", () => stop("SIGINT", 130)]];
  if (Deno.build.os !== "windows") stops.push(["SIGTERM", () => stop("SIGTERM", 143)]);
  const listen = () => stops.forEach(([signal, stop]) => Deno.addSignalListener(signal, stop));
  listen();
  return (work) => {
    stops.forEach(([signal, stop]) => Deno.removeSignalListener(signal, stop));
    try {
      return work();
    } finally {
      listen();
    }
  };
}

if (import.meta.main) Deno.exit(await start());
