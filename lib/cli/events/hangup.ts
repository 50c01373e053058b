/**
 * The end of the terminal, which closes while a command of the person's own runs.
 *
 * @module
 */

import { spawn } from "../../platform/spawn.ts";

let heeded: Promise<boolean> | undefined;

/**
 * Fires a signal when the terminal closes, until it is disposed. Not for a program started with
 * `nohup`, which is to go on then.
 */
export async function watchHangup(windows: boolean): Promise<Disposable & { signal: AbortSignal }> {
  heeded ??= windows ? Promise.resolve(true) : endsOnHangup();
  const hangup = new AbortController();
  const stop = () => hangup.abort();
  // With the last listener gone, the system's way is back: the program ends.
  const isHeeded = await heeded;
  if (isHeeded) Deno.addSignalListener("SIGHUP", stop);
  return {
    signal: hangup.signal,
    [Symbol.dispose]: () => {
      if (isHeeded) Deno.removeSignalListener("SIGHUP", stop);
    },
  };
}

/** Whether a program started by this one ends when the terminal closes: that is inherited. */
async function endsOnHangup(): Promise<boolean> {
  const quiet = { stdin: "null", stdout: "null", stderr: "null" } as const;
  try {
    const { signal } = await spawn("sh", { args: ["-c", "kill -s HUP $$"], ...quiet }).status;
    return signal === "SIGHUP";
  } catch {
    // Whoever starts the command will say why there is no shell.
    return true;
  }
}
