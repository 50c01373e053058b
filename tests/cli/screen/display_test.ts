import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { fc } from "../../support/properties.ts";
import stringWidth from "string-width";
import {
  date,
  fit,
  padEnd,
  padStart,
  time,
  visible,
  width,
  wrap,
  wrapWords,
} from "../../../lib/cli/screen/display.ts";
import { anyText } from "../../support/any_text.ts";

Deno.test("width agrees with string-width on every character and on any text", () => {
  for (let point = 0x20; point < 0x20000; point++) {
    const character = String.fromCodePoint(point);
    if (/\p{C}/u.test(character)) continue;
    strictEqual(width(character), stringWidth(character), `U+${point.toString(16)}`);
  }
  fc.assert(
    fc.property(anyText.map(visible), (text) => strictEqual(width(text), stringWidth(text))),
  );
  strictEqual(width("y".repeat(5_000_000)), 5_000_000);
});

/** Characters that change the width of those beside them, and some that they change. */
const JOINING =
  ("a # ☀ ⌚ © 👩 🤝 🏽 🇩 🏴 \u{E0067} \ufe0e \ufe0f \u20e3 \u200d \u200b \u0301 日 ｶ \uff9e " +
    "한 ᄀ ᅡ \u115f \ud7cb \ua960 \u0600 \u{110BD} ١ ् ष \u{16D63} \u{16D67} ำ \u00ad").split(" ");

Deno.test("width agrees with string-width on characters that join", () => {
  const check = (text: string) => {
    if (width(text) !== stringWidth(text)) strictEqual(width(text), stringWidth(text), text);
  };
  for (const a of JOINING) {
    for (const b of JOINING) for (const c of JOINING) check(a + b + c);
  }
  ["©\u200d☀🏽", "\u0600©\u200d☀🏽", "\u0600\u0301©\u200d👩", "日\ud800日"].forEach(check);
  const parts = fc.array(fc.constantFrom(...JOINING), { minLength: 4, maxLength: 12 });
  fc.assert(fc.property(parts, (some) => check(some.join(""))), { numRuns: 1000 });
});

Deno.test("fit cuts between visible characters, never inside one", () => {
  const cases: [string, number, string][] = [
    ["plain", 5, "plain"],
    ["plain", 4, "pla…"],
    ["two words", 5, "two…"],
    ["日本語", 6, "日本語"],
    ["日本語", 5, "日本…"],
    ["日本語", 4, "日…"],
    ["👨‍👩‍👧‍👦👨‍👩‍👧‍👦", 3, "👨‍👩‍👧‍👦…"],
    ["👨‍👩‍👧‍👦👨‍👩‍👧‍👦", 2, "…"],
    ["🇩🇪🇫🇷", 3, "🇩🇪…"],
    ["e\u0301e\u0301e\u0301", 2, "e\u0301…"],
    ["שלום עולם", 5, "שלום…"],
    ["abc", 1, "…"],
    ["abc", 0, ""],
    ["", 0, ""],
  ];
  for (const [text, room, expected] of cases) strictEqual(fit(text, room), expected, text);
});

Deno.test("fit keeps the beginning of any text, as much as fits", () => {
  fc.assert(fc.property(anyText.map(visible), fc.nat(50), (text, room) => {
    const cut = fit(text, room);
    ok(stringWidth(cut) <= room);
    if (stringWidth(text) <= room) return strictEqual(cut, text);
    if (room === 0) return strictEqual(cut, "");
    const ends = [...new Intl.Segmenter().segment(text)].map(({ index }) => index);
    const end = ends.findLast((one) => stringWidth(text.slice(0, one)) < room);
    strictEqual(cut, `${text.slice(0, end).trimEnd()}…`);
  }));
});

Deno.test("wrap drops only spaces, and breaks words only when necessary", () => {
  deepStrictEqual(wrap("one two three", 8), ["one two", "three"]);
  deepStrictEqual(wrap("one twothreefour", 5), ["one", "twoth", "reefo", "ur"]);
  deepStrictEqual(wrap("日本語日本語", 5), ["日本", "語日", "本語"]);
  deepStrictEqual(wrap("exactly", 7), ["exactly"]);
  fc.assert(fc.property(anyText.map(visible), fc.integer({ min: 6, max: 50 }), (text, room) => {
    const lines = wrap(text, room);
    ok(lines.every((line) => stringWidth(line) <= room), JSON.stringify(lines));
    strictEqual(lines.join("").replaceAll(/\s/g, ""), text.replaceAll(/\s/g, ""));
  }));
});

Deno.test("padding counts columns, not characters", () => {
  strictEqual(padEnd("日本", 6), "日本  ");
  strictEqual(padStart("👨‍👩‍👧‍👦", 4), "  👨‍👩‍👧‍👦");
  strictEqual(padEnd("longer", 3), "longer");
});

Deno.test("dates and times are UTC, and numbers past the calendar stay numbers", () => {
  strictEqual(date(1722556799999), "2024-08-01");
  strictEqual(time(1722556799999), "2024-08-01 23:59:59Z");
  strictEqual(date(null), "-");
  strictEqual(time(undefined), "-");
  strictEqual(date(-1), "1969-12-31");
  strictEqual(date(Date.UTC(12024, 0, 31)), "+012024-01-31");
  strictEqual(time(8.64e15 + 1), "8640000000000001");
  strictEqual(date(NaN), "NaN");
});

Deno.test("text is broken between words, and what is copied stays in one piece", () => {
  const lines = (text: string) => wrapWords(text, 20);
  deepStrictEqual(lines("one two three four five six"), ["one two three four", "five six"]);
  deepStrictEqual(lines("Look at it with: cli offerings view default; or wait"), [
    "Look at it with:",
    "cli offerings view default;",
    "or wait",
  ]);
  const script = "  cli events listen --forward-to http://localhost:3000";
  deepStrictEqual(lines(script), [script], "a line of a script stays as it is");
  deepStrictEqual(lines("words that end with two spaces  "), [
    "words that end with",
    "two spaces",
  ]);
});
