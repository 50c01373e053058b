/**
 * A machine whose functions a test replaces, for failures that a real one does not show on demand.
 *
 * @module
 */

import { platform } from "../../lib/platform/mod.ts";
import type { Platform } from "../../lib/platform/types.ts";

/** Runs something while some functions of the platform are other ones. */
export async function withPlatform(
  functions: Partial<Omit<Platform, "os">>,
  run: () => Promise<void>,
): Promise<void> {
  const before = Object.entries(platform).filter(([name]) => name !== "os");
  Object.assign(platform, functions);
  try {
    await run();
  } finally {
    Object.assign(platform, Object.fromEntries(before));
  }
}
