import { deepEqual, equal, throws } from "node:assert/strict";
import { fileURLToPath } from "node:url";
import type { Process } from "../cli.ts";
import { VERSION } from "../lib/version.ts";
import { CLI_FLAGS } from "./support/cli_flags.ts";

/** A process that a test sends signals to. */
interface SignalProcess extends Process {
  /** Sends a signal: true when something listens to it. */
  send(signal: Deno.Signal): boolean;
  /** The number of functions that listen. */
  listeners(): number;
  /** What was written to standard output. */
  readonly written: string[];
  /** The exit codes. */
  readonly exits: number[];
}

/** The program. It is loaded in each test: a program that ran as soon as it is loaded would fail it. */
async function loadProgram(): Promise<typeof import("../cli.ts")> {
  return await import("../cli.ts");
}

/** Makes a process on a system. */
function processOn(os: typeof Deno.build.os, ...args: string[]): SignalProcess {
  const listening: [Deno.Signal, () => void][] = [];
  const [written, exits]: [string[], number[]] = [[], []];
  return {
    args,
    build: { os },
    stdout: { writeSync: (bytes) => written.push(new TextDecoder().decode(bytes)) },
    addSignalListener: (signal, stop) => void listening.push([signal, stop]),
    removeSignalListener(signal, stop) {
      const at = listening.findIndex(([one, other]) => one === signal && other === stop);
      if (at >= 0) listening.splice(at, 1);
    },
    exit: (code) => void exits.push(code),
    send(signal) {
      const called = listening.filter(([one]) => one === signal);
      for (const [, stop] of called) stop();
      return called.length > 0;
    },
    listeners: () => listening.length,
    written,
    exits,
  };
}

/** Runs something with a timer that a test lets ring, and the time for which it was set. */
function withTimer(run: (ring: () => void, times: readonly number[]) => void): void {
  const { setTimeout } = globalThis;
  const [rings, times]: [(() => void)[], number[]] = [[], []];
  const later = (ring: () => void, ms: number) => {
    times.push(ms);
    return rings.push(ring);
  };
  Object.assign(globalThis, { setTimeout: later });
  try {
    run(() => rings.forEach((ring) => ring()), times);
  } finally {
    Object.assign(globalThis, { setTimeout });
  }
}

Deno.test("--version prints the version, and starts nothing", async () => {
  const { start } = await loadProgram();
  for (const flag of ["--version", "-V"]) {
    const process = processOn("linux", flag);
    equal(await start(process), 0);
    deepEqual(process.written, [`cli ${VERSION}\n`]);
    equal(process.listeners(), 0);
  }
});

Deno.test("the program runs when it is started, and needs no permission for --version", async () => {
  const program = fileURLToPath(new URL("../cli.ts", import.meta.url));
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", ...CLI_FLAGS, program, "--version"],
    stdin: "null",
  }).output();
  const [out, err] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes));
  deepEqual([code, out, err], [0, `cli ${VERSION}\n`, ""]);
});

Deno.test("the flag for the version stands alone", async () => {
  const { isVersionOnly } = await loadProgram();
  for (const line of ["--version", "-V"]) equal(isVersionOnly([line]), true);
  for (const line of ["", "version", "--versions", "-V --json", "list --version"]) {
    equal(isVersionOnly(line.split(" ")), false, line);
  }
});

Deno.test("the first signal stops the work, a later one ends the process with its code", async () => {
  const { listenForStop } = await loadProgram();
  for (const [signal, code] of [["SIGINT", 130], ["SIGTERM", 143]] as const) {
    const process = processOn("linux");
    const interrupt = new AbortController();
    listenForStop(interrupt, process);
    equal(interrupt.signal.aborted, false);
    withTimer((ring, times) => {
      equal(process.send(signal), true);
      equal(interrupt.signal.reason, signal);
      // Programs that run others pass a Ctrl-C on: it arrives twice.
      process.send("SIGINT");
      process.send("SIGTERM");
      deepEqual(process.exits, []);
      deepEqual(times, [500]);
      ring();
    });
    process.send(signal);
    deepEqual(process.exits, [code]);
  }
});

Deno.test("Windows has no SIGTERM to listen to", async () => {
  const { listenForStop } = await loadProgram();
  const process = processOn("windows");
  listenForStop(new AbortController(), process);
  deepEqual([process.send("SIGTERM"), process.send("SIGINT")], [false, true]);
});

Deno.test("signals end the process themselves during work that nothing else can stop", async () => {
  const { listenForStop } = await loadProgram();
  const process = processOn("linux");
  const stoppable = listenForStop(new AbortController(), process);
  equal(stoppable(() => process.listeners()), 0);
  equal(process.listeners(), 2);
  throws(() =>
    stoppable(() => {
      throw new RangeError("failed");
    }), RangeError);
  equal(process.listeners(), 2);
});
