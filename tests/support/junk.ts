/**
 * Absurd values.
 *
 * @module
 */

import { fc } from "./properties.ts";

/** Texts. */
export const junkText: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(
    ..."|\u0000|\ud800|😀|%|%00|../..|'|\"|$|{}|[]|null|0|-1|1e999|__proto__|constructor".split(
      "|",
    ),
    "x".repeat(256),
    "x".repeat(1501),
    "😀".repeat(2000),
  ),
  fc.string({ unit: "binary" }),
  fc.string({ unit: "grapheme" }),
);

/** JSON values. */
export const junk: fc.Arbitrary<unknown> = fc.oneof(
  junkText,
  fc.constantFrom(null, true, 0, -1, 1.5, 2 ** 53, -0, 1e300, {}, [], [[]], { a: { b: [null] } }),
  fc.jsonValue(),
);

/** Bodies. */
export const junkBody: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(
    "{",
    "[]",
    "null",
    "1",
    '"',
    "\ufeff{}",
    '{"a":1,"a":2}',
    '{"__proto__":{}}',
    "NaN",
  ),
  fc.json(),
  fc.string({ unit: "binary", minLength: 1 }).filter((text) => text.trim() !== ""),
);

/** How faults are strewn into a request: not at all, or here and there. */
export interface Strewing {
  /** Mostly the one, now and then the other. */
  often<A, B>(often: fc.Arbitrary<A>, rarely: fc.Arbitrary<B>): fc.Arbitrary<A | B>;
  /** Nearly always the one, once in a while the other. */
  mostly<A, B>(mostly: fc.Arbitrary<A>, rarely: fc.Arbitrary<B>): fc.Arbitrary<A | B>;
}

/** Only valid values. */
export const CLEAN: Strewing = { often: (right) => right, mostly: (right) => right };

/** Faults here and there. */
export const FAULTY: Strewing = {
  often: (right, wrong) => weighed(12, right, wrong),
  mostly: (right, wrong) => weighed(50, right, wrong),
};

function weighed<A, B>(
  weight: number,
  right: fc.Arbitrary<A>,
  wrong: fc.Arbitrary<B>,
): fc.Arbitrary<A | B> {
  return fc.oneof({ weight, arbitrary: right }, { weight: 1, arbitrary: wrong });
}
