/**
 * The library's access to the machine. Everything that reads a variable, a folder or the clock uses
 * this one value, so a test or a program can pass its own.
 *
 * @module
 */

import { platform } from "../platform/mod.ts";
import { join } from "./paths.ts";

/** The machine as the library sees it. `systemSurroundings()` in machine.ts makes the real one. */
export interface Surroundings {
  /** A variable of the environment. Undefined when it is unset or may not be read. */
  env(name: string): string | undefined;
  /** The folder where the search for `.cli/config.json` and `cli.toml` starts, upwards. */
  readonly cwd: string | undefined;
  /** The home folder, which contains `.cli`. Undefined when unknown. */
  readonly home: string | undefined;
  /** The time in milliseconds since 1970. */
  now(): number;
  /** Sends a request. Default: the global `fetch`. */
  readonly fetch?: ((request: Request) => Promise<Response>) | undefined;
  /** Waits. Default: a timer. It rejects when the signal fires. */
  readonly pause?: ((ms: number, signal: AbortSignal | undefined) => Promise<void>) | undefined;
  /**
   * Opens an address in the person's browser, and returns whether that worked. Default: with the
   * system's own program.
   */
  readonly openBrowser?: ((url: string) => Promise<boolean>) | undefined;
  /**
   * Asks whether the sign-in of a folder from another machine may be used, and rejects if not.
   * Default: it may not.
   */
  readonly confirmFolder?: ((folder: string, baseUrl: string) => Promise<void>) | undefined;
  /** The operating system as Deno names it: `linux`, `darwin`, `windows`. Default: the real one. */
  readonly platform?: string | undefined;
  /** The number of the user. Default: from the system, if readable. */
  readonly userId?: number | undefined;
  /** Whether sign-ins may only be read: then none is renewed, and no lock is made. Default: false. */
  readonly readOnly?: boolean | undefined;
  /** Shows a warning that does not stop the work. */
  warn(text: string): void;
  /**
   * Announces the next `pause`. `wording` makes the text from the seconds left. Default: one
   * warning.
   */
  readonly announceWait?: ((wording: (seconds: number) => string) => void) | undefined;
  /** Shows a part of the log for `CLI_DEBUG`. Default: as a warning. */
  readonly log?: ((text: string) => void) | undefined;
}

/**
 * The value of a variable without surrounding white space, which a CI system's form or a `$(cat
 * file)` easily adds. An empty variable counts as unset.
 */
export function setting(around: Surroundings, name: string): string | undefined {
  return around.env(name)?.trim() || undefined;
}

/** A path in `~/.cli`, or undefined when the home folder is unknown. */
export function homeFile(around: Surroundings, ...names: string[]): string | undefined {
  return around.home === undefined ? undefined : join(around.home, ".cli", ...names);
}

/** Whether to check file modes and symbolic links: not on Windows, which has neither. */
export function hasModes(around: Surroundings): boolean {
  return (around.platform ?? platform.os) !== "windows";
}

/**
 * Whether this program may read or write a path. This check prevents a permission prompt for an
 * optional file: an unreadable file counts as missing.
 */
export function mayAccess(kind: "read" | "write", path: string): boolean {
  return platform.mayAccess(kind, path);
}
