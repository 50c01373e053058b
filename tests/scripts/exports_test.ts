import { deepEqual } from "node:assert/strict";
import { deadExports, exportsForTests } from "../../scripts/check/exports.ts";

/** The unused exports of a library file. */
function deadIn(text: string, ...importers: string[]): string[] {
  const others = importers.map((each, i) => ({ path: `tests/${i}_test.ts`, text: each }));
  return deadExports([{ path: "lib/a.ts", text }, ...others]).map(({ name }) => name);
}

Deno.test("an unused export of any kind is reported", () => {
  const text = [
    "export function one() {}",
    "export async function* two() {}",
    "export const three = 3;",
    "export interface Four {}",
    "export type Five = 5;",
    "export class Six {}",
    "const inner = 7;",
    "export { inner as seven };",
  ].join("\n");
  deepEqual(deadIn(text), ["one", "two", "three", "Four", "Five", "Six", "seven"]);
});

Deno.test("each form of import counts as a use", () => {
  const text = "export const one = 1;\nexport type Two = 2;";
  for (
    const importer of [
      'import { one, type Two } from "../lib/a.ts";',
      'import { one as other, type Two as Other } from "../lib/a.ts";',
      'import {\n  one,\n  type Two,\n} from "../lib/a.ts";',
      'export { one, type Two } from "../lib/a.ts";',
      'import * as all from "../lib/a.ts";',
      'export * from "../lib/a.ts";',
      'const { one, Two: two } = await import("../lib/a.ts");',
      'const all = await import("../lib/a.ts");',
    ]
  ) deepEqual(deadIn(text, importer), [], importer);
  deepEqual(deadIn(text, '(await import("../lib/a.ts")).one();'), ["Two"]);
  deepEqual(deadIn(text, 'let two: import("../lib/a.ts").Two;'), ["one"]);
  deepEqual(deadIn(text, 'import { one } from "../lib/b.ts";'), ["one", "Two"]);
});

Deno.test("exports outside of lib/, and those of the simulator's library, need no importer", () => {
  const text = "export const one = 1;";
  for (const path of ["tests/support/a.ts", "mod.ts", "lib/simulator/a.ts"]) {
    deepEqual(deadExports([{ path, text }]), [], path);
  }
});

Deno.test("an export that only tests use is reported, also one of the simulator's library", () => {
  const used = (text: string, importer: string, path = "lib/a.ts", by = "tests/a_test.ts") =>
    exportsForTests([{ path, text }, { path: by, text: importer }]).map(({ name }) => name);
  const one = "/** one() */\nexport function one() {}";
  const importer = 'import { one } from "../lib/a.ts";';
  deepEqual(used(one, importer), ["one"]);
  deepEqual(used(one, importer, "lib/a.ts", "scripts/a.ts"), []);
  deepEqual(used(`${one}\none();`, importer), []);
  deepEqual(used('export { one } from "./b.ts";', importer), []);
  deepEqual(used(one, "", "lib/simulator/a.ts"), ["one"]);
  deepEqual(used(one, "", "scripts/a.ts"), []);
  const listed = "export function listBalances() {}";
  deepEqual(used(listed, "", "lib/simulator/customers.ts"), []);
});
