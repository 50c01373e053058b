/**
 * The end of the terminal, while the person's own command runs.
 *
 * @module
 */

import { spawn } from "../../platform/spawn.ts";

let heeded: Promise<boolean> | undefined;

/**
 * Fires a signal when the terminal closes, until it is disposed. Not for a program started with
 * `nohup`, which is meant to continue.
 */
export async function watchHangup(windows: boolean): Promise<Disposable & { signal: AbortSignal }> {
  heeded ??= windows ? Promise.resolve(true) : endsOnHangup();
  const hangup = new AbortController();
  const stop = () => hangup.abort();
  // Without a listener the system's default is back: the program ends.
  const isHeeded = await heeded;
  if (isHeeded) Deno.addSignalListener("SIGHUP", stop);
  return {
    signal: hangup.signal,
    [Symbol.dispose]: () => {
      if (isHeeded) Deno.removeSignalListener("SIGHUP", stop);
    },
  };
}

/** Whether a child process ends when the terminal closes: that is inherited. */
async function endsOnHangup(): Promise<boolean> {
  const quiet = { stdin: "null", stdout: "null", stderr: "null" } as const;
  try {
    const { signal } = await spawn("sh", { args: ["-c", "kill -s HUP $$"], ...quiet }).status;
    return signal === "SIGHUP";
  } catch {
    // The start of the command will report a missing shell.
    return true;
  }
}
