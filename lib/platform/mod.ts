/**
 * The runtime and the machine under the library: files, locks, variables, a browser. Everything of
 * the library that is more than `fetch` goes through this one value, so it runs on Deno, Node and Bun.
 *
 * @module
 */

import { denoPlatform } from "./deno.ts";
import { nodePlatform } from "./node.ts";
import type { Platform } from "./types.ts";

export type { FileState, KernelLock, LocalServer } from "./types.ts";

/** The platform of the runtime that this is running on. */
export const platform: Platform = "Deno" in globalThis ? denoPlatform : nodePlatform;
