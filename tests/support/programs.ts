/**
 * Programs that a test starts in name alone.
 *
 * @module
 */

import { withReplaced } from "./replaced.ts";

/** A program that was to be started. */
export interface Started {
  /** Its name. */
  program: string;
  /** How it is started. */
  options: Deno.CommandOptions;
}

/** Runs something in place of starting programs. Returns those that were started. */
export async function withPrograms(
  start: (program: Started) => unknown,
  run: () => Promise<void>,
): Promise<Started[]> {
  const started: Started[] = [];
  /** Starts a program. */
  function Command(program: string, options: Deno.CommandOptions) {
    return {
      spawn: () => {
        started.push({ program, options });
        return start({ program, options });
      },
    };
  }
  await withReplaced(Deno, { Command }, run);
  return started;
}
