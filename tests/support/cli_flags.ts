/**
 * The flags of programs that tests start.
 *
 * @module
 */

import config from "../../deno.json" with { type: "json" };

/**
 * The flags of the task `cli`, without its permissions. Like the task, a program loads only what it
 * uses: without them Deno reads the whole product at each start.
 */
export const CLI_FLAGS: readonly string[] = config.tasks.cli.command.split(" ")
  .filter((word) => /^--(?!allow-|ignore-)/.test(word));
