import { equal } from "node:assert/strict";
import { findMemory } from "../../scripts/postgres/memory.ts";

Deno.test("a folder in memory is used where there is one with room", async () => {
  const folderWith = (bavail: number) => findMemory(() => Promise.resolve({ bavail, bsize: 4096 }));
  equal(await folderWith(3 * 2 ** 18), "/dev/shm");
  equal(await folderWith(3 * 2 ** 18 - 1), undefined);
  equal(await findMemory(() => Promise.reject(new Deno.errors.NotFound())), undefined);
});
