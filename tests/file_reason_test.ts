import { deepEqual, equal, match } from "node:assert/strict";
import { fileReason, isWithoutRoom } from "../lib/file_reason.ts";

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

/** A failure that the system reports with a code. */
function failure(code: string, message = "open 'x'"): Error {
  return Object.assign(new Error(message), { code });
}

Deno.test("the codes of the system have words", () => {
  const words = {
    "permission denied": ["EACCES", "EPERM"],
    "the file system is read-only": ["EROFS"],
    "there is no such file or folder": ["ENOENT"],
    "it is a folder": ["EISDIR"],
    "too many symbolic links": ["ELOOP"],
    "too many files are open": ["EMFILE", "ENFILE"],
    "the disk is full": ["ENOSPC"],
    "the disk quota is used up": ["EDQUOT"],
  };
  for (const [reason, codes] of Object.entries(words)) {
    for (const code of codes) equal(fileReason(failure(code)), reason, code);
  }
  equal(fileReason(failure("EOTHER", "Odd (os error 99): open 'x'\nmore")), "Odd");
  equal(fileReason("odd"), "odd");
});

Deno.test("the runtime refuses devices, whatever a program may do", () => {
  const denied = (message: string) =>
    fileReason(Object.assign(new Error(message), { name: "NotCapable" }));
  match(denied("Requires all access to /dev/x"), /^it is a device or another special file/);
  equal(denied("Requires read access to x"), "Requires read access to x");
});

Deno.test("a full disk and a used-up quota are a lack of room, nothing else is", () => {
  deepEqual(
    ["ENOSPC", "EDQUOT", "EACCES", "ENOENT"].map((code) => isWithoutRoom(failure(code))),
    [true, true, false, false],
  );
  equal(isWithoutRoom(new Error("full")), false);
});
