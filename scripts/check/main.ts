/**
 * Prints the missing steps of operations and commands, and unused exports. Fails if there are any.
 * The first part of `deno task check`.
 *
 * @module
 */

import { deadExports, exportsForTests } from "./exports.ts";
import { findForgotten } from "./forgotten.ts";
import { readHoldings, sources } from "./holdings.ts";

if (import.meta.main) {
  const files = await sources();
  const dead = deadExports(files).map(({ path, name }) =>
    `${path} exports ${name}, which no file imports: remove the export`
  );
  const tested = exportsForTests(files).map(({ path, name }) =>
    `${path} exports ${name}, which only tests use: remove it, or name the reason in exports.ts`
  );
  const lacking = [...findForgotten(await readHoldings()), ...dead, ...tested];
  for (const line of lacking) console.error(line);
  if (lacking.length > 0) Deno.exitCode = 1;
  else console.log("Every operation and command is complete");
}
