import { deepEqual, equal, ok, rejects, throws } from "node:assert/strict";
import { join } from "node:path";
import { denoPlatform } from "../../lib/platform/deno.ts";
import { spawn } from "../../lib/platform/spawn.ts";
import { withPrograms } from "../support/programs.ts";
import { withReplaced } from "../support/replaced.ts";

/** Runs something in a program that has only some permissions. */
async function permitted(
  may: (asked: Deno.PermissionDescriptor) => boolean,
  run: () => Promise<void>,
): Promise<void> {
  const querySync = (asked: Deno.PermissionDescriptor) => ({
    state: may(asked) ? "granted" : "prompt",
  });
  await withReplaced(Deno.permissions, { querySync }, run);
}

/** Runs something with a folder of its own. */
async function withFolder(run: (folder: string) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir();
  try {
    await run(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

Deno.test("Deno's platform reads the user's id with the permission for it alone", async () => {
  await withReplaced(Deno, { uid: () => 7 }, async () => {
    await permitted(() => false, async () => equal(denoPlatform.userId(), undefined));
    const forIds = (asked: Deno.PermissionDescriptor) =>
      asked.name === "sys" && asked.kind === "uid";
    await permitted(forIds, async () => equal(denoPlatform.userId(), 7));
  });
  await withReplaced(
    Deno,
    { uid: () => null },
    () => permitted(() => true, async () => equal(denoPlatform.userId(), undefined)),
  );
});

Deno.test("Deno's platform asks for one permission at a time, and for no more", async () => {
  const asked: Deno.PermissionDescriptor[] = [];
  await permitted((one) => asked.push(one) > 2, async () => {
    equal(denoPlatform.mayAccess("read", "/a"), false);
    equal(denoPlatform.mayAccess("write", "/b"), false);
    equal(denoPlatform.mayReadVariable("HOME"), true);
    equal(denoPlatform.mayRun("sh"), true);
  });
  deepEqual(asked, [
    { name: "read", path: "/a" },
    { name: "write", path: "/b" },
    { name: "env", variable: "HOME" },
    { name: "run", command: "sh" },
  ]);
});

Deno.test("a listener on Deno needs the permission for its port, and prints nothing", async () => {
  const handle = () => Promise.resolve(new Response());
  await permitted(({ name }) => name !== "net", () =>
    rejects(denoPlatform.serve(handle, 0), {
      name: "NotCapable",
      message: "no permission for it",
    }));
  const { serve } = Deno;
  let isQuiet = false;
  // Deno prints the address of each server that does not do so itself.
  const noting = (options: Deno.ServeTcpOptions, handler: Deno.ServeHandler) => {
    isQuiet = options.onListen !== undefined;
    return serve(options, handler);
  };
  await withReplaced(Deno, { serve: noting }, async () => {
    const server = await denoPlatform.serve(handle, 0);
    await server.close(1_000);
  });
  equal(isQuiet, true);
});

Deno.test("a lock is free as soon as its holder closes it, even if another process has its file", async () => {
  await withFolder(async (folder) => {
    const path = join(folder, "lock");
    const { open } = Deno;
    const files: Deno.FsFile[] = [];
    /** A file that stays open, as if a process that is just being started had it. */
    const shared = async (...args: Parameters<typeof open>) => {
      const file = await open(...args);
      files.push(file);
      const { tryLock, unlock } = file;
      return { tryLock: tryLock.bind(file), unlock: unlock.bind(file), close: () => {} };
    };
    const { openLock } = denoPlatform;
    ok(openLock);
    await withReplaced(Deno, { open: shared }, async () => {
      const first = await openLock(path);
      equal(await first.take(), true);
      await first.close();
    });
    const second = await openLock(path);
    equal(await second.take(), true);
    await second.close();
    for (const file of files) file.close();
  });
});

Deno.test("a lock's file is closed even if it cannot be unlocked", async () => {
  let closed = 0;
  const unlock = () => Promise.reject(new Error("no locks here"));
  const open = () => Promise.resolve({ unlock, close: () => void closed++ });
  await withReplaced(Deno, { open }, async () => {
    await (await denoPlatform.openLock?.("lock"))?.close();
  });
  equal(closed, 1);
});

Deno.test("a write that failed is reported, whether or not its file can be removed", async () => {
  await withFolder(async (folder) => {
    const path = join(folder, "file");
    const full = Object.assign(new Error("full"), { code: "ENOSPC" });
    let closed = 0;
    const open = () =>
      Promise.resolve({ write: () => Promise.reject(full), close: () => void closed++ });
    const remove = () => Promise.reject(new Error("no such file"));
    await withReplaced(
      Deno,
      { open, remove },
      () => rejects(denoPlatform.writeNewFile(path, new Uint8Array(1)), full),
    );
    equal(closed, 1);
  });
});

Deno.test("a program that runs apart keeps neither this one nor its terminal busy", async () => {
  let released = 0;
  const child = { unref: () => void released++, status: Promise.resolve({ success: true }) };
  const started = await withPrograms(() => child, async () => {
    equal(await denoPlatform.runApart("browser", ["url"]), true);
  });
  equal(released, 1);
  const silent = { stdin: "null", stdout: "null", stderr: "null" };
  deepEqual(started, [
    { program: "browser", options: { args: ["url"], ...silent, detached: true } },
  ]);
});

Deno.test("a program gets variables of the loader empty where Deno passes none on", async () => {
  const refusal = new Deno.errors.NotCapable(
    "Requires --allow-run permissions to spawn subprocess with LD_LIBRARY_PATH, DYLD_X environment " +
      "variables. Alternatively, spawn with the environment variable unset.",
  );
  const child = {};
  const started = await withPrograms(({ options }) => {
    if (options.env?.["LD_LIBRARY_PATH"] === undefined) throw refusal;
    return child;
  }, async () => {
    equal(spawn("git", { args: ["status"], env: { LANG: "C" } }), child);
  });
  deepEqual(started.map(({ options }) => options), [
    { args: ["status"], env: { LANG: "C" } },
    { args: ["status"], env: { LANG: "C", LD_LIBRARY_PATH: "", DYLD_X: "" } },
  ]);
  for (const other of [new Deno.errors.NotCapable("Requires run access"), new Error("LD_X")]) {
    const tries = await withPrograms(() => {
      throw other;
    }, async () => throws(() => spawn("git", {}), other));
    equal(tries.length, 1);
  }
});
