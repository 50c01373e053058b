import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { fc } from "../../support/properties.ts";
import { findJsonFault } from "../../../lib/cli/input/check_json.ts";

/** The fault of a text as `line:column: what`. */
function faultIn(text: string): string | undefined {
  const fault = findJsonFault(text);
  return fault && `${fault.line}:${fault.column}: ${fault.what}`;
}

Deno.test("a mistake in JSON is shown by line and column", () => {
  const cases: [string, string][] = [
    ['{"a": 1,}', "1:9: expected a name in double quotes"],
    ['{\n  "a": 1\n  "b": 2\n}', '3:3: expected "," or "}"'],
    ['{\r\n"a": [1 2]}', '2:9: expected "," or "]"'],
    ["{'a': 1}", '1:2: expected a name in double quotes or "}"'],
    ['{"a" 1}', '1:6: expected ":"'],
    ['{"a": }', "1:7: expected a value"],
    ['{"a": [,]}', '1:8: expected a value or "]"'],
    ['{"😀": nul}', "1:7: expected a value"],
    ['{"a": 1} x', "1:10: expected the end of the text"],
    ['{"a": 1', '1:8: the text ends; expected "," or "}"'],
    ['{"a": "b', "1:7: the string that starts here has no end"],
    ['{"a": "b\nc"}', "1:9: a string holds a raw line break or control character"],
    ['{"a": "b\\x"}', "1:9: this is not an escape of JSON"],
    ['{"a": 01}', "1:7: this is not a number of JSON"],
    ['{"a": 1.}', "1:7: this is not a number of JSON"],
    ['{"a": [1}', '1:9: expected "," or "]"'],
  ];
  for (const [text, message] of cases) strictEqual(faultIn(text), message, text);
});

Deno.test("every number written by JavaScript is accepted", () => {
  // Its last digit is a tie, which the shortest form rounds down and `toPrecision` up.
  strictEqual(findJsonFault("-172358636468365.62"), undefined);
  fc.assert(fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (number) => {
    strictEqual(findJsonFault(JSON.stringify(number)), undefined);
    strictEqual(findJsonFault(number.toExponential()), undefined);
  }));
  fc.assert(fc.property(fc.bigInt(), (number) => {
    const kept = BigInt(Number(number)) === number && Number.isSafeInteger(Number(number));
    if (kept) strictEqual(findJsonFault(`${number}`), undefined);
    if (BigInt(Number(number)) !== number) ok(findJsonFault(`${number}`));
  }));
});

Deno.test("accepted text is accepted by JSON.parse", () => {
  const piece = fc.constantFrom(
    ..."{}[],:",
    '"a"',
    '"\\u00e9"',
    '"\\u0',
    '"\\"',
    "1",
    "-1.5e3",
    "-",
    "0",
    ".",
    "e",
    "true",
    "nul",
    " ",
    "\n",
    "\u00a0",
  );
  const text = fc.oneof(
    fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join("")),
    fc.json(),
    fc.json().chain((json) =>
      fc.nat(json.length).map((at) => json.slice(0, at) + json.slice(at + 1))
    ),
  );
  fc.assert(
    fc.property(text, (json) => {
      const fault = findJsonFault(json);
      if (/would be sent as|appears twice/.test(fault?.what ?? "")) return;
      let valid = true;
      try {
        JSON.parse(json);
      } catch {
        valid = false;
      }
      strictEqual(fault === undefined, valid, `${json}: ${JSON.stringify(fault)}`);
    }),
    { numRuns: 2000 },
  );
});

Deno.test("a repeated name in one object is a fault, the same name in another is not", () => {
  const what = 'the name "a" appears twice';
  const [line, column] = [1, 9];
  deepStrictEqual(findJsonFault('{"a": 1,"a": 1}'), { line, column, what });
  const inner = '{"a": {"b": [{"a": 1}, {"a": 1}], "a": 2}}';
  strictEqual(findJsonFault(inner), undefined);
  strictEqual(findJsonFault(inner.replace('"b"', '"a"'))?.what, what);
  // Written otherwise it is the same name.
  strictEqual(findJsonFault('{"a": 1, "\\u0061": 2}')?.what, 'the name "\\u0061" appears twice');
  strictEqual(findJsonFault('{"__proto__": 1, "constructor": 2, "": 3}'), undefined);
});
