/**
 * What the library may touch of the machine it runs on. Everything that reads a variable, a folder
 * or the clock gets it through this one value, so a test or a program can hand in its own.
 *
 * @module
 */

import { platform } from "../platform/mod.ts";
import { join } from "./paths.ts";

/** The machine as the library sees it. `systemSurroundings()` in connect.ts makes the real one. */
export interface Surroundings {
  /** A variable of the environment. Undefined when it is unset or may not be read. */
  env(name: string): string | undefined;
  /** The folder from which `.cli/config.json` and `cli.toml` are looked for upwards. */
  readonly cwd: string | undefined;
  /** The person's own folder, which holds `.cli`. Undefined when none is known. */
  readonly home: string | undefined;
  /** The time in milliseconds since 1970. */
  now(): number;
  /** Sends a request. Default: the global `fetch`. */
  readonly fetch?: ((request: Request) => Promise<Response>) | undefined;
  /** Waits. Default: a timer. It rejects when the signal fires. */
  readonly pause?: ((ms: number, signal: AbortSignal | undefined) => Promise<void>) | undefined;
  /**
   * Opens an address in the person's browser, and tells whether that could be done. Default: with
   * the system's own program for it.
   */
  readonly openBrowser?: ((url: string) => Promise<boolean>) | undefined;
  /**
   * Asks whether the sign-in of a folder that was not made on this machine may be used, and rejects
   * when it may not. Default: it may not.
   */
  readonly confirmFolder?: ((folder: string, baseUrl: string) => Promise<void>) | undefined;
  /** The operating system as Deno names it: `linux`, `darwin`, `windows`. Default: that. */
  readonly platform?: string | undefined;
  /** The number of the person's user. Default: the system's word, where it may be asked. */
  readonly userId?: number | undefined;
  /** Tells the person something that does not stop the work. */
  warn(text: string): void;
  /**
   * Says what the next `pause` waits for. `wording` makes the text out of the seconds left. Default:
   * one warning.
   */
  readonly announceWait?: ((wording: (seconds: number) => string) => void) | undefined;
  /** Shows a part of the log that `CLI_DEBUG` asks for. Default: as a warning. */
  readonly log?: ((text: string) => void) | undefined;
}

/**
 * The value of a variable without the white space around it, which a CI system's form or a
 * `$(cat file)` easily adds. An empty variable counts as unset.
 */
export function setting(around: Surroundings, name: string): string | undefined {
  return around.env(name)?.trim() || undefined;
}

/** A path in `~/.cli`, or undefined when no home folder is known. */
export function homeFile(around: Surroundings, ...names: string[]): string | undefined {
  return around.home === undefined ? undefined : join(around.home, ".cli", ...names);
}

/** Whether file modes and symbolic links are to be checked: not on Windows, which has neither. */
export function hasModes(around: Surroundings): boolean {
  return (around.platform ?? platform.os) !== "windows";
}

/**
 * Whether this program may read or write a path. Asking first keeps an optional file from
 * stopping a script with a prompt: what may not be read counts as not there.
 */
export function mayAccess(kind: "read" | "write", path: string): boolean {
  return platform.mayAccess(kind, path);
}
