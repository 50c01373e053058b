/**
 * A time limit for tests, so that a test that never ends fails by name.
 *
 * @module
 */

/** The time from the first signal to the second, in milliseconds. */
const GRACE_MS = 10_000;

/**
 * Waits for the end of `deno test`. After `limitMs` milliseconds it gets SIGINT, on which it prints the
 * tests that have not ended, and SIGKILL when it still runs `graceMs` milliseconds later.
 *
 * @returns its exit code, and whether it was stopped.
 */
export async function endWithin(
  tests: Pick<Deno.ChildProcess, "status" | "kill">,
  limitMs: number,
  graceMs = GRACE_MS,
): Promise<{ code: number; stopped: boolean }> {
  let stopped = false;
  let killing: ReturnType<typeof setTimeout> | undefined;
  const stopping = setTimeout(() => {
    stopped = true;
    tests.kill("SIGINT");
    killing = setTimeout(() => tests.kill("SIGKILL"), graceMs);
  }, limitMs);
  const { code } = await tests.status;
  clearTimeout(stopping);
  clearTimeout(killing);
  return { code, stopped };
}

/**
 * Takes the time limit out of arguments such as `--limit=15`, in minutes. Without it there is none:
 * `limitMs` is the longest time that a timer can wait, 24 days.
 *
 * @throws {RangeError} for a limit that is no positive number of minutes, or too large.
 */
export function takeLimit(args: readonly string[]): { limitMs: number; rest: string[] } {
  const flag = "--limit=";
  const rest = args.filter((one) => !one.startsWith(flag));
  const given = args.findLast((one) => one.startsWith(flag));
  if (given === undefined) return { limitMs: LONGEST_MS, rest };
  const limitMs = Number(given.slice(flag.length)) * 60_000;
  if (!(limitMs > 0 && limitMs <= LONGEST_MS)) {
    throw new RangeError(`Cannot read ${given}: it must be a number of minutes`);
  }
  return { limitMs, rest };
}

/** The longest time that a timer can wait, in milliseconds. */
const LONGEST_MS = 2 ** 31 - 1;
