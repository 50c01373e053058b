import { equal } from "node:assert/strict";
import { differences } from "../../../lib/scenario/file/match.ts";
import { readTree } from "../../../lib/scenario/file/read.ts";
import { openSearcher } from "../../../lib/scenario/file/regular.ts";

Deno.test("near includes its limit, however large the numbers are", async () => {
  const context = {
    value: () => undefined,
    vars: {},
    zone: "UTC",
    searcher: await openSearcher(),
  };
  const matches = async (actual: number, text: string) => {
    const { root } = await readTree(text);
    return root !== undefined && differences(actual, root, context).length === 0;
  };
  equal(await matches(0.3, "{ near: 0.2, within: 0.1 }"), true);
  equal(await matches(1_000_000.3, "{ near: 1000000.2, within: 0.1 }"), true);
  equal(await matches(1_000_000.31, "{ near: 1000000.2, within: 0.1 }"), false);
  equal(await matches(-4.005, "{ near: -4 }"), true);
  equal(await matches(-4.006, "{ near: -4 }"), false);
});
