/**
 * The runtime and the machine under the library: files, locks, variables, a browser. Everything in
 * the library beyond `fetch` goes through this one value, so it runs on Deno, Node and Bun.
 *
 * @module
 */

import { denoPlatform } from "./deno.ts";
import { nodePlatform } from "./node.ts";
import type { Platform } from "./types.ts";

export type { FileState, KernelLock, LocalServer } from "./types.ts";

/** The platform of the current runtime. */
export const platform: Platform = "Deno" in globalThis ? denoPlatform : nodePlatform;
