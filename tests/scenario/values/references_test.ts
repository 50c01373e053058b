import { deepEqual, ok } from "node:assert/strict";
import { readTree } from "../../../lib/scenario/file/read.ts";
import { plainWith } from "../../../lib/scenario/values/references.ts";

Deno.test("variables are replaced in the keys and texts of maps and lists, at any depth", async () => {
  const { root } = await readTree(
    '"${A}": ["${B}", 1, null, { list: [true, "x${A}y"] }]\nother: "$${A}"\n',
  );
  ok(root);
  deepEqual(plainWith(root, { A: "a", B: "b" }), {
    a: ["b", 1, null, { list: [true, "xay"] }],
    other: "${A}",
  });
});
