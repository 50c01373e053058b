import { deepEqual, equal, throws } from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { listenForStop, type Process } from "../lib/cli/main.ts";
import { VERSION } from "../lib/version.ts";
import { CLI_FLAGS } from "./support/cli_flags.ts";

/** A process that a test sends signals to. */
interface SignalProcess extends Process {
  /** Sends a signal: true when something listens to it. */
  send(signal: Deno.Signal): boolean;
  /** The number of functions that listen. */
  listeners(): number;
  /** The exit codes. */
  readonly exits: number[];
}

/** Makes a process on a system. */
function processOn(os: typeof Deno.build.os): SignalProcess {
  const listening: [Deno.Signal, () => void][] = [];
  const exits: number[] = [];
  return {
    args: [],
    build: { os },
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

Deno.test("--version and -V print the version without any permission or code", async () => {
  for (const flag of ["--version", "-V"]) {
    deepEqual(await runProgram(CLI_FLAGS, flag), [0, `cli ${VERSION}\n`, ""]);
  }
});

Deno.test("the flag for the version stands alone, and the program sets the exit code", async () => {
  const [code, out, err] = await runProgram(
    ["--allow-all", ...CLI_FLAGS],
    "-V",
    "--output",
    "json",
  );
  deepEqual([code, JSON.parse(out).version, err], [0, VERSION, ""]);
  const [wrong] = await runProgram(["--allow-all", ...CLI_FLAGS], "--versions");
  equal(wrong, 2);
});

Deno.test("the program exports nothing, and does nothing when it is imported", async () => {
  deepEqual(Object.keys(await import("../cli.ts")), []);
});

/** Runs the program with flags of Deno. Returns its exit code and what it wrote. */
async function runProgram(
  flags: readonly string[],
  ...words: readonly string[]
): Promise<[code: number, out: string, err: string]> {
  const program = fileURLToPath(new URL("../cli.ts", import.meta.url));
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      "--no-prompt",
      ...flags.filter((flag) => flag !== "--no-prompt"),
      program,
      ...words,
    ],
    stdin: "null",
  }).output();
  const [out = "", err = ""] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes));
  return [code, out, err];
}

Deno.test("the first signal stops the work, a later one ends the process with its code", async () => {
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
  const process = processOn("windows");
  listenForStop(new AbortController(), process);
  deepEqual([process.send("SIGTERM"), process.send("SIGINT")], [false, true]);
});

Deno.test("signals end the process themselves during work that nothing else can stop", async () => {
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
