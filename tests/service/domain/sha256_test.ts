import { equal } from "node:assert/strict";
import { createHash } from "node:crypto";
import { ownSha256, sha256Of } from "../../../lib/service/domain/sha256.ts";

/** What `node:crypto` makes of a text. */
function expected(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

Deno.test("own SHA-256 equals that of node:crypto for texts of every length", () => {
  for (let length = 0; length <= 1300; length++) {
    const ascii = "x".repeat(length);
    equal(ownSha256(ascii), expected(ascii), `${length} letters`);
    const wide = "aé€😀".repeat(length).slice(0, length);
    equal(ownSha256(wide), expected(wide), `${length} units of UTF-16`);
  }
});

Deno.test("own SHA-256 leaves nothing of a longer text in a shorter one", () => {
  for (const text of ["long".repeat(60), "s", "", "longer".repeat(300), "short"]) {
    equal(ownSha256(text), expected(text));
  }
});

Deno.test("derived ids are the same whoever hashes", () => {
  for (let i = 0; i < 400; i++) equal(sha256Of(`text ${i}`), expected(`text ${i}`));
});
