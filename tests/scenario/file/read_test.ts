import { equal, match } from "node:assert/strict";
import { MOST_VALUES, readTree } from "../../../lib/scenario/file/read.ts";

/** What is wrong with a text, first. */
async function problemOf(text: string): Promise<string | undefined> {
  return (await readTree(text)).problems[0]?.message;
}

Deno.test("a file has as many values, and maps in each other, as is allowed", async () => {
  equal(await problemOf(`[${"1,".repeat(MOST_VALUES - 1)}]`), undefined);
  const deep = (levels: number) => `${"[".repeat(levels)}1${"]".repeat(levels)}`;
  equal(await problemOf(deep(40)), undefined);
  match(await problemOf(deep(41)) ?? "", /more than 40 maps and lists stand in each other$/);
});
