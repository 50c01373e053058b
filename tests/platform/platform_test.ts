import { deepEqual, equal, ok, rejects } from "node:assert/strict";
import { join } from "node:path";
import process from "node:process";
import { denoPlatform } from "../../lib/platform/deno.ts";
import { platform } from "../../lib/platform/mod.ts";
import { nodePlatform } from "../../lib/platform/node.ts";
import { NotPermitted, type Platform } from "../../lib/platform/types.ts";

/** Runs one test against each platform: Deno has the modules that Node has. */
function onBoth(name: string, run: (on: Platform, folder: string) => Promise<void>): void {
  for (const [runtime, on] of [["Deno", denoPlatform], ["Node", nodePlatform]] as const) {
    Deno.test(`${runtime}'s platform ${name}`, async () => {
      const folder = await Deno.realPath(await Deno.makeTempDir());
      try {
        await run(on, folder);
      } finally {
        await Deno.remove(folder, { recursive: true });
      }
    });
  }
}

const bytes = new TextEncoder().encode("text");

onBoth("writes a new file, reads it, and writes over nothing", async (on, folder) => {
  const path = join(folder, "file");
  await on.writeNewFile(path, bytes, { mode: 0o600, sync: true });
  deepEqual(await on.readFile(path), bytes);
  await rejects(on.writeNewFile(path, bytes), { code: "EEXIST" });
  const state = await on.stat(path);
  equal(state.size, 4);
  ok(state.isFile && !state.isDirectory && !state.isSymlink);
  if (Deno.build.os !== "windows") {
    equal((state.mode ?? 0) & 0o777, 0o600);
    await on.chmod(path, 0o640);
    equal(((await on.lstat(path)).mode ?? 0) & 0o777, 0o640);
  }
  await Deno.utime(path, 1, 1);
  equal((await on.stat(path)).writtenMs, 1_000);
  await on.touch(path);
  ok(((await on.stat(path)).writtenMs ?? 0) > 1_000_000);
});

onBoth("moves, lists and removes files and folders", async (on, folder) => {
  const inner = join(folder, "inner");
  await on.makeFolder(inner, 0o700);
  await rejects(on.makeFolder(inner, 0o700), { code: "EEXIST" });
  await on.writeNewFile(join(inner, "a"), bytes);
  await on.rename(join(inner, "a"), join(inner, "b"));
  await on.syncFolder(inner);
  deepEqual(await on.names(inner), ["b"]);
  equal(on.isThere(join(inner, "a")), false);
  equal(on.isThere(join(inner, "b")), true);
  await rejects(on.remove(inner), { code: "ENOTEMPTY" });
  await on.remove(inner, { recursive: true });
  await on.makeFolder(inner, 0o700);
  await on.remove(inner);
  for (const path of [inner, join(folder, "gone")]) {
    await rejects(on.remove(path), { code: "ENOENT" });
    await rejects(on.lstat(path), { code: "ENOENT" });
    await rejects(on.readFile(path), { code: "ENOENT" });
  }
});

onBoth("tells links from files", async (on, folder) => {
  if (Deno.build.os === "windows") return;
  const [file, link] = [join(folder, "file"), join(folder, "link")];
  await on.writeNewFile(file, bytes);
  await Deno.symlink(file, link);
  equal((await on.lstat(link)).isSymlink, true);
  equal((await on.stat(link)).isFile, true);
  equal(await on.realPath(link), file);
});

onBoth("serves on a port of this machine and closes", async (on) => {
  const server = await on.serve((request) => {
    const { pathname, search } = new URL(request.url);
    const headers = { "Content-Type": "text/plain", Connection: "close" };
    return Promise.resolve(new Response(`${request.method} ${pathname}${search}`, { headers }));
  }, 0);
  const answer = await fetch(`http://127.0.0.1:${server.port}/callback?code=a%20b`);
  equal(answer.headers.get("Content-Type"), "text/plain");
  equal(await answer.text(), "GET /callback?code=a%20b");
  const idle = await Deno.connect({ hostname: "127.0.0.1", port: server.port });
  await server.close(50);
  idle.close();
  await rejects(fetch(`http://127.0.0.1:${server.port}/`));
});

onBoth("runs a program apart and tells whether it succeeded", async (on) => {
  if (Deno.build.os === "windows") return;
  // The program does not keep this one alive; what waits for it has to.
  const alive = setInterval(() => {}, 1_000);
  equal(await on.runApart("sh", ["-c", "exit 0"]), true);
  equal(await on.runApart("sh", ["-c", "exit 3"]), false);
  clearInterval(alive);
});

onBoth("reads so many bytes from the start of a file", async (on, folder) => {
  const path = join(folder, "file");
  const content = Uint8Array.from({ length: 40_000 }, (_, i) => i % 251);
  await on.writeNewFile(path, content);
  for (const most of [1, 2, 16_384, 20_000, 40_000, 100_000]) {
    deepEqual(await on.readStart(path, most), content.subarray(0, most), String(most));
  }
});

onBoth("leaves no file that it could not write", async (on, folder) => {
  const path = join(folder, "file");
  await rejects(on.writeNewFile(path, { length: 1 } as never), TypeError);
  equal(on.isThere(path), false);
});

onBoth("runs a program that no Ctrl-C for this one stops", async (on) => {
  if (Deno.build.os !== "linux") return;
  const alive = setInterval(() => {}, 1_000);
  // The fifth field is the group of processes, here its own.
  const isLeader = 'read -r _ _ _ _ group _ < /proc/$$/stat; test "$group" = "$$"';
  equal(await on.runApart("sh", ["-c", isLeader]), true);
  clearInterval(alive);
});

/** Changes a property of `process` while a function runs. */
async function withProcess(
  name: "platform" | "permission",
  value: unknown,
  run: () => Promise<void>,
): Promise<void> {
  const before = Object.getOwnPropertyDescriptor(process, name);
  Object.defineProperty(process, name, { value, configurable: true });
  try {
    await run();
  } finally {
    Reflect.deleteProperty(process, name);
    if (before) Object.defineProperty(process, name, before);
  }
}

Deno.test("Node's platform asks for the permissions of node --permission", async () => {
  const asked: (string | undefined)[][] = [];
  const has = (...what: (string | undefined)[]) => asked.push(what) > 3;
  await withProcess("permission", { has }, async () => {
    equal(nodePlatform.mayAccess("read", "/a"), false);
    equal(nodePlatform.mayRun("sh"), false);
    await rejects(nodePlatform.serve(() => Promise.resolve(new Response()), 0), NotPermitted);
    equal(nodePlatform.mayAccess("write", "/b"), true);
  });
  deepEqual(asked.map(([scope, path]) => [scope, path]), [
    ["fs.read", "/a"],
    ["child", undefined],
    ["net", undefined],
    ["fs.write", "/b"],
  ]);
});

Deno.test("Node's platform knows no owners on Windows", async () => {
  const path = import.meta.filename ?? "";
  const { uid } = await Deno.stat(path);
  equal((await nodePlatform.stat(path)).owner, uid);
  await withProcess("platform", "win32", async () => {
    equal(nodePlatform.os, "windows");
    equal((await nodePlatform.stat(path)).owner, null);
  });
});

Deno.test("a lock is a file of its owner that one opener has at a time", async () => {
  const { openLock } = denoPlatform;
  ok(openLock);
  const folder = await Deno.makeTempDir();
  const path = join(folder, "lock");
  const [one, other] = [await openLock(path), await openLock(path)];
  if (Deno.build.os !== "windows") equal(((await Deno.stat(path)).mode ?? 0) & 0o777, 0o600);
  equal(await one.take(), true);
  equal(await other.take(), false);
  await one.close();
  equal(await other.take(), true);
  await other.close();
  await Deno.remove(folder, { recursive: true });
});

onBoth("knows the system, the variables and the working folder", async (on) => {
  equal(on.os, Deno.build.os);
  equal(on.workingFolder(), Deno.cwd());
  equal(on.variable("PATH"), Deno.env.get("PATH"));
  equal(on.variable("NO_SUCH_VARIABLE_OF_OURS"), undefined);
  await Promise.resolve();
});

Deno.test("the library takes Deno's platform on Deno", () => {
  equal(platform, denoPlatform);
});
