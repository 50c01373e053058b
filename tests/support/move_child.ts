/**
 * A process for the tests to kill: it moves the data of one place to another, and prints a line for
 * each page.
 *
 * @module
 */

import { move } from "./move_fixture.ts";

if (import.meta.main) {
  const [from = "", to = ""] = Deno.args;
  const encoder = new TextEncoder();
  await move(from, to, ({ phase, rows }) => {
    Deno.stdout.writeSync(encoder.encode(`${phase} ${rows}\n`));
  });
}
