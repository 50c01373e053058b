import { deepEqual } from "node:assert/strict";
import { join } from "node:path";
import { removeFaketime } from "../../scripts/soak/postgres/fleet.ts";
import { inFolder } from "../support/store_fixture.ts";

Deno.test("the shared memory of a killed process's faketime is removed, and no other", () =>
  inFolder(async (folder) => {
    for (const name of ["faketime_shm_12", "sem.faketime_sem_12", "faketime_shm_123", "other_12"]) {
      await Deno.writeTextFile(join(folder, name), "");
    }
    await removeFaketime(12, folder);
    // It may have removed them itself.
    await removeFaketime(12, folder);
    const left = await Array.fromAsync(Deno.readDir(folder), ({ name }) => name);
    deepEqual(left.toSorted(), ["faketime_shm_123", "other_12"]);
  }));
