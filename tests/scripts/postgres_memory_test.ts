import { equal } from "node:assert/strict";
import { findMemory } from "../../scripts/postgres/memory.ts";

Deno.test("a folder in memory is used where there is one with room", async () => {
  const folder = await Deno.makeTempDir();
  try {
    equal(await findMemory(folder, 1), folder);
    equal(await findMemory(folder, 2 ** 70), undefined);
    equal(await findMemory(`${folder}/absent`, 1), undefined);
  } finally {
    await Deno.remove(folder);
  }
});
