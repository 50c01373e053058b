/**
 * Locks between processes. The kernel holds them, so one that its holder did not live to give back
 * is free again at once.
 *
 * @module
 */

import { ConfigError } from "../errors.ts";
import { pause } from "../retry.ts";
import { fileError } from "./files.ts";
import type { Surroundings } from "./surroundings.ts";

/** How long a process waits for another one's lock, in milliseconds. */
const LONGEST_LOCK_WAIT_MS = 30_000;

/**
 * Runs something while no other process and no other caller of this one runs anything under the
 * same lock file. The file stays: removing it would let two processes lock two files of one name.
 *
 * @throws {ConfigError} when the lock file cannot be made, or is held for more than 30 seconds.
 * @throws {Cancelled} when the signal fires during the wait. It does not stop what runs.
 */
export async function withLock<T>(
  path: string,
  around: Surroundings,
  signal: AbortSignal | undefined,
  run: () => Promise<T>,
): Promise<T> {
  using file = await openLockFile(path);
  await acquire(file, path, around, signal);
  try {
    return await run();
  } finally {
    // Closing would do, but for a process that is being started just now and shares the open file.
    await file.unlock().catch(() => {});
  }
}

/** Opens the lock file, or makes it. */
async function openLockFile(path: string): Promise<Deno.FsFile> {
  try {
    return await Deno.open(path, { write: true, create: true, mode: 0o600 });
  } catch (error) {
    throw fileError("lock", path, error);
  }
}

/** Tries until the lock is there. Waiting in the kernel instead could be neither timed nor ended. */
async function acquire(
  file: Deno.FsFile,
  path: string,
  around: Surroundings,
  signal: AbortSignal | undefined,
): Promise<void> {
  for (let waited = 0;;) {
    if (await tryLock(file, path)) return;
    if (waited >= LONGEST_LOCK_WAIT_MS) break;
    const wait = Math.min(10 + waited / 10, 50) * (0.5 + Math.random() / 2);
    await (around.pause ?? pause)(wait, signal);
    waited += wait;
  }
  throw new ConfigError(
    `Cannot lock ${JSON.stringify(path)}: another process has held it for 30 seconds`,
    { hint: "Wait for the other cli process or end it, then try again." },
  );
}

/** Takes the lock if it is free. */
async function tryLock(file: Deno.FsFile, path: string): Promise<boolean> {
  try {
    return await file.tryLock(true);
  } catch (error) {
    throw fileError("lock", path, error);
  }
}
