import { deepEqual } from "node:assert/strict";
import { sharedMode } from "../lib/file_mode.ts";

Deno.test("a mode is shared when it gives anybody but the owner a right", () => {
  const modes = [null, 0o600, 0o100700, 0o610, 0o604, 0o40755, 0o1];
  deepEqual(modes.map(sharedMode), [
    undefined,
    undefined,
    undefined,
    "mode 0610",
    "mode 0604",
    "mode 0755",
    "mode 0001",
  ]);
});
