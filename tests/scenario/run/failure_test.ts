import { deepEqual, equal } from "node:assert/strict";
import { failuresFrom } from "../../../lib/scenario/run/failure.ts";
import type { Json } from "../../../lib/scenario/values/tree.ts";

const STEP = {
  at: { line: 1, column: 1 },
  number: 3,
  title: "cancel s",
  action: undefined,
  refused: undefined,
  checks: [],
};

/** The failure for a value that differs. */
function failureFor(expected: Json, actual: Json | undefined, more: object = {}) {
  const place = { line: 4, column: 5, route: [], where: "", exact: true };
  const difference = { ...place, expected, actual, ...more };
  const [failure] = failuresFrom(STEP, [difference], "The subscription differs", []);
  return failure;
}

Deno.test("a failure shows both values, a moment as people write it, and what is not there", () => {
  const moment = failureFor("2026-01-31", Date.UTC(2026, 1, 1));
  deepEqual(moment?.diff, ['- "2026-01-31"', '+ "2026-02-01T00:00:00Z"']);
  equal(moment?.update?.value, "2026-02-01T00:00:00Z");
  const missing = failureFor(1, undefined, { where: "price", meant: "prize" });
  deepEqual(missing?.diff, ["- 1", "+ (nothing)"]);
  equal(missing?.update, undefined);
  equal(
    missing?.message,
    'The subscription differs in price; did you mean "prize"?',
  );
});

Deno.test("a value of more than 80 characters is shown over several lines, up to 4000", () => {
  const short = { a: "x".repeat(72) };
  deepEqual(failureFor(short, 1)?.diff, [`- {"a":"${short.a}"}`, "+ 1"]);
  const long = { a: "x".repeat(73) };
  deepEqual(failureFor(long, 1)?.diff, ["- {", `-   "a": "${long.a}"`, "- }", "+ 1"]);
  const [first = ""] = failureFor("x".repeat(5_000), 1)?.diff ?? [];
  equal(first, `- "${"x".repeat(3_999)}…`);
});
