/**
 * Faults for tests of `deno task mutate`.
 *
 * @module
 */

import type { Fault } from "../../scripts/mutate/places.ts";

/** A fault of a kind with nothing special about it. */
export function faultOf(kind: string, line = 1, file = "lib/a.ts"): Fault {
  return {
    file,
    line,
    text: "",
    start: line,
    end: line,
    kind,
    inner: true,
    before: "a",
    after: "b",
  };
}
