import { deepEqual, equal, rejects } from "node:assert/strict";
import * as files from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { nodePlatform } from "../../lib/platform/node.ts";
import { withReplaced } from "../support/replaced.ts";

/** Runs something on a Node whose functions for files are other ones. */
async function withFiles(changes: object, run: () => Promise<void>): Promise<void> {
  const { getBuiltinModule } = process;
  const changed = (name: string) =>
    name === "node:fs/promises"
      ? { ...files, ...changes }
      : Reflect.apply(getBuiltinModule, process, [name]);
  await withReplaced(process, { getBuiltinModule: changed }, run);
}

/** Whether a path is a folder. */
const isFolder = async (path: string) => (await Deno.lstat(path)).isDirectory;

/** Functions that remove as those of Node do: one only files, the other only folders. */
const NODES = {
  unlink: async (path: string) => {
    if (await isFolder(path)) throw Object.assign(new Error("unlink"), { code: "EISDIR" });
    await Deno.remove(path);
  },
  rmdir: async (path: string) => {
    if (!await isFolder(path)) throw Object.assign(new Error("rmdir"), { code: "ENOTDIR" });
    await Deno.remove(path);
  },
};

Deno.test("Node's platform removes files and empty folders", async () => {
  const folder = await Deno.makeTempDir();
  await Deno.writeTextFile(join(folder, "file"), "");
  await Deno.mkdir(join(folder, "inner"));
  await withFiles(NODES, async () => {
    await nodePlatform.remove(join(folder, "file"));
    await nodePlatform.remove(join(folder, "inner"));
  });
  deepEqual([...Deno.readDirSync(folder)], []);
  await Deno.remove(folder);
});

Deno.test("Node's platform leaves no file open, and reports the first failure of a write", async () => {
  const full = Object.assign(new Error("full"), { code: "ENOSPC" });
  let [open, removed] = [0, 0];
  const openFile = (fails: boolean) => () => {
    open++;
    const step = () => fails ? Promise.reject(full) : Promise.resolve();
    return Promise.resolve({ writeFile: step, sync: step, close: async () => void open-- });
  };
  const unlink = () => {
    removed++;
    return Promise.reject(new Error("no such file"));
  };
  await withFiles({ open: openFile(false), unlink }, async () => {
    await nodePlatform.writeNewFile("file", new Uint8Array(1), { sync: true });
    await nodePlatform.syncFolder("folder");
  });
  deepEqual([open, removed], [0, 0]);
  await withFiles({ open: openFile(true), unlink }, async () => {
    await rejects(nodePlatform.writeNewFile("file", new Uint8Array(1)), full);
    // Not all systems can sync a folder.
    await nodePlatform.syncFolder("folder");
  });
  deepEqual([open, removed], [0, 1]);
});

Deno.test("a listener on Node needs the permission for the network", async () => {
  await withReplaced(
    process,
    { permission: { has: () => false } },
    () =>
      rejects(nodePlatform.serve(() => Promise.resolve(new Response()), 0), {
        name: "NotCapable",
        message: "no permission for it",
      }),
  );
});

Deno.test("a request that fails gets 400 on Node", async () => {
  const handle = () => Promise.reject(new Error("failed"));
  const server = await nodePlatform.serve(handle, 0);
  const answer = await fetch(`http://127.0.0.1:${server.port}/`);
  await answer.body?.cancel();
  equal(answer.status, 400);
  await server.close(0);
});

Deno.test("the library takes Node's platform where there is no Deno", async () => {
  const { Deno: deno } = globalThis;
  const loading = new URL("../../lib/platform/mod.ts?node", import.meta.url).href;
  Reflect.deleteProperty(globalThis, "Deno");
  try {
    const { platform } = await import(loading);
    equal(platform, nodePlatform);
  } finally {
    Object.defineProperty(globalThis, "Deno", { value: deno, configurable: true });
  }
});
