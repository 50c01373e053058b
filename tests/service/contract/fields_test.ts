import { deepEqual } from "node:assert/strict";
import type { z } from "zod";
import {
  listOf,
  lookupKey,
  metadata,
  text,
  wholeNumber,
} from "../../../lib/service/contract/fields.ts";

/** What a field says to a value: nothing when it takes it. */
function saidTo(field: z.ZodType, value: unknown): string[] {
  return (field.safeParse(value).error?.issues ?? []).map(({ message }) => message);
}

Deno.test("a text's length is counted in characters, and an emoji is one", () => {
  const said = ["must have 1 to 2 characters"];
  deepEqual(["😀😀", "ab", "a"].map((value) => saidTo(text(2), value)), [[], [], []]);
  deepEqual(["", "abc", "😀😀😀", "a".repeat(5)].map((value) => saidTo(text(2), value)), [
    said,
    said,
    said,
    said,
  ]);
  deepEqual(saidTo(text(2, 2), "a"), ["must have exactly 2 characters"]);
});

Deno.test("numbers and lists have their limits", () => {
  const outside = "must be a whole number from 2 to 4";
  deepEqual([1, 2, 4, 5].map((value) => saidTo(wholeNumber(2, 4), value)), [
    [outside],
    [],
    [],
    [outside],
  ]);
  const wrong = "must have 1 to 2 items";
  const lists = [[], ["a"], ["a", "b"], ["a", "b", "c"]];
  deepEqual(lists.map((value) => saidTo(listOf(text(1), 2), value)), [[wrong], [], [], [wrong]]);
});

Deno.test("a lookup key is valid in a path, and metadata has an end", () => {
  const dots = "must not be . or .., which have a special meaning in paths";
  deepEqual([".", "..", "...", ".a"].map((value) => saidTo(lookupKey, value)), [
    [dots],
    [dots],
    [],
    [],
  ]);
  // {"a":""} has eight characters.
  const filled = (count: number) => ({ a: "x".repeat(count - 8) });
  deepEqual(saidTo(metadata, filled(4000)), []);
  deepEqual(saidTo(metadata, filled(4001)), ["must have at most 4000 characters as JSON"]);
});
