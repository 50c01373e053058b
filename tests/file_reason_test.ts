import { equal, match } from "node:assert/strict";
import { fileReason } from "../lib/file_reason.ts";

/** The reason of a failed operation on a file. */
async function reasonOf(run: () => Promise<unknown>): Promise<string> {
  return await run().then(() => "none", fileReason);
}

Deno.test("the reason for a failed file operation is in words, without the system's call", async () => {
  const folder = await Deno.makeTempDir();
  try {
    equal(
      await reasonOf(() => Deno.stat(`${folder}/nothing`)),
      "there is no such file or folder",
    );
    equal(await reasonOf(() => Deno.readTextFile(folder)), "it is a folder");
    const inFile = await reasonOf(async () => {
      await Deno.writeTextFile(`${folder}/file`, "");
      await Deno.stat(`${folder}/file/below`);
    });
    match(inFile, /^Not a directory$/i);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
