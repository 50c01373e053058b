import { equal, ok } from "node:assert/strict";
import { readWatch } from "../../../lib/cli/words/shape_flags.ts";
import { UsageError } from "../../../lib/errors.ts";

Deno.test("--watch alone looks again every two seconds, else after 1 to 86,400", () => {
  equal(readWatch(undefined), undefined);
  equal(readWatch(""), 2_000);
  for (const [text, ms] of [["1", 1_000], ["5s", 5_000], ["86400", 86_400_000]] as const) {
    equal(readWatch(text), ms);
  }
  const bounds = "it must be between 1 and 86400 seconds";
  const number = "it is not a number of seconds";
  for (const [text, why] of [["0", bounds], ["86401", bounds], ["5m", number], ["-1", number]]) {
    const error = readWatch(text);
    ok(error instanceof UsageError);
    equal(error.message, `Cannot use "${text}" for --watch: ${why}`);
    equal(error.hint, "Pass seconds, 1 to 86400: --watch 5");
  }
});
