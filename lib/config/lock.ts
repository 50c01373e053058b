/**
 * Locks between processes. On Deno the kernel holds them, so the lock of a dead process is free at
 * once. Node and Bun have no such lock; they use a file that only one process can create
 * (`lib/config/claim.ts`). Deno creates that file, too, so that a script on Node and a command on
 * Deno exclude each other.
 *
 * @module
 */

import { ConfigError } from "../errors.ts";
import { type KernelLock, platform } from "../platform/mod.ts";
import { pause } from "../retry.ts";
import { createClaim } from "./claim.ts";
import { fileError } from "./file_errors.ts";
import type { Surroundings } from "./surroundings.ts";

/** How long a process waits for another process's lock, in milliseconds. */
const LONGEST_LOCK_WAIT_MS = 30_000;

/**
 * Runs a function while no other process and no other caller in this process runs one under the
 * same lock file. The file stays: removing it would let two processes lock two files of one name.
 *
 * @throws {ConfigError} when the lock file cannot be created, or is held for more than 30 seconds.
 * @throws {Cancelled} when the signal fires during the wait. It does not stop the function.
 */
export async function withLock<T>(
  path: string,
  around: Surroundings,
  signal: AbortSignal | undefined,
  run: () => Promise<T>,
): Promise<T> {
  const lock = await openLock(path);
  try {
    // A wait in the kernel could be neither timed nor ended.
    for (let waited = 0; !await lock.take(waited);) {
      if (waited >= LONGEST_LOCK_WAIT_MS) throw heldTooLong(path);
      const wait = Math.min(10 + waited / 10, 50) * (0.5 + Math.random() / 2);
      await (around.pause ?? pause)(wait, signal);
      waited += wait;
    }
    return await run();
  } finally {
    await lock.close();
  }
}

/**
 * Runs a function under a lock file, like `withLock`, or does nothing while another process holds
 * it.
 */
export async function withLockIfFree(path: string, run: () => Promise<void>): Promise<void> {
  const lock = await openLock(path);
  try {
    if (await lock.take(0)) await run();
  } finally {
    await lock.close();
  }
}

/** An opened lock file. */
interface OpenLock {
  /** Takes the lock if it is free, and returns whether this holds it. */
  take(waitedMs: number): Promise<boolean>;
  /** Releases the lock, if this holds it, and closes its file. */
  close(): Promise<void>;
}

async function openLock(path: string): Promise<OpenLock> {
  const failed = (error: unknown) => {
    throw fileError("lock", path, error);
  };
  const kernel: KernelLock | undefined = await platform.openLock?.(path).catch(failed);
  const claim = createClaim(`${path}.held`, kernel !== undefined);
  return {
    take: async (waitedMs) => {
      if (kernel && !await kernel.take().catch(failed)) return false;
      return await claim.take(waitedMs).catch(failed);
    },
    async close() {
      await claim.release();
      await kernel?.close();
    },
  };
}

function heldTooLong(path: string): ConfigError {
  return new ConfigError(
    `Cannot lock ${JSON.stringify(path)}: another process has held it for 30 seconds`,
    { hint: "Wait for the other cli process or stop it, then try again." },
  );
}
