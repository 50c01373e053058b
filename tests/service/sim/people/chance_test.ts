import { deepEqual } from "node:assert/strict";
import { chanceOf } from "../../../../lib/service/sim/people/chance.ts";

Deno.test("a key brings the same numbers in each version, so a seed makes the same customers", () => {
  const { next } = chanceOf(1);
  const numbers = [next(), next(), next()].map((number) => Math.floor(number * 1e6));
  deepEqual(numbers, [627_073, 2735, 527_447]);
});
