/**
 * Processes with a time limit: at the limit a process is stopped with its children.
 *
 * @module
 */

/** How a process has ended. */
export interface Ended {
  /** Whether it ended well. */
  readonly success: boolean;
  /** Whether it was stopped because it took too long. */
  readonly late: boolean;
  /** Its standard output, then its standard error. */
  readonly text: string;
  /** Its duration, in milliseconds. */
  readonly ms: number;
}

/** The options of a process. */
export interface Surroundings {
  /** Its folder. */
  readonly cwd: string;
  /** All variables that it sees. */
  readonly env: Readonly<Record<string, string>>;
  /** Stops it, and makes the call throw. */
  readonly signal: AbortSignal;
  /** It is stopped after so many milliseconds. */
  readonly limitMs?: number;
}

/** A process of a group of its own can be stopped with its children. Windows has no such groups. */
const HAS_GROUPS = Deno.build.os !== "windows";

/**
 * Runs Deno to its end.
 *
 * @throws the signal's reason when that fires.
 */
export async function runDeno(args: readonly string[], place: Surroundings): Promise<Ended> {
  place.signal.throwIfAborted();
  const began = performance.now();
  const child = spawnDeno(args, place, { stdin: "null", stderr: "piped" });
  const texts = Promise.all([child.stdout, child.stderr].map((one) => new Response(one).text()));
  const stop = () => void stopGroup(child);
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    stop();
  }, place.limitMs ?? 2 ** 31 - 1);
  place.signal.addEventListener("abort", stop);
  try {
    const { success } = await child.status;
    // Remaining children would keep the pipes open.
    if (!success) await stopGroup(child);
    const text = (await texts).join("");
    place.signal.throwIfAborted();
    return { success, late, text, ms: performance.now() - began };
  } finally {
    clearTimeout(timer);
    place.signal.removeEventListener("abort", stop);
  }
}

/** Starts Deno, in a group of its own. Its output is piped. */
export function spawnDeno(
  args: readonly string[],
  { cwd, env }: Surroundings,
  pipes: Pick<Deno.CommandOptions, "stdin" | "stderr">,
): Deno.ChildProcess {
  return new Deno.Command(Deno.execPath(), {
    args: [...args],
    cwd,
    env: { ...env },
    clearEnv: true,
    detached: HAS_GROUPS,
    stdout: "piped",
    ...pipes,
  }).spawn();
}

/** Stops a process and all that it has started. */
export async function stopGroup(child: Deno.ChildProcess): Promise<void> {
  try {
    if (!HAS_GROUPS) return child.kill("SIGKILL");
    // Deno.kill() needs the right to run anything.
    const kill = `kill -s KILL -- -${child.pid}`;
    await new Deno.Command("sh", { args: ["-c", kill], stderr: "null" }).output();
  } catch {
    // It has ended already.
  }
}
