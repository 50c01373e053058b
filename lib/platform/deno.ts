/**
 * The library on Deno. It uses Deno's own functions, since the modules `node:` take milliseconds to
 * load at the start of every command.
 *
 * @module
 */

import type { FileState, KernelLock, LocalServer, Platform } from "./types.ts";
import { NotPermitted } from "./types.ts";

/** The size of one read from a file, in bytes. */
const CHUNK_BYTES = 16_384;

/** The library's platform on Deno. */
export const denoPlatform: Platform = {
  get os() {
    return Deno.build.os;
  },
  userId: () => isGranted({ name: "sys", kind: "uid" }) ? Deno.uid() ?? undefined : undefined,

  mayAccess: (kind, path) => isGranted({ name: kind, path }),
  mayReadVariable: (variable) => isGranted({ name: "env", variable }),
  mayRun: (command) => isGranted({ name: "run", command }),

  variable: (name) => Deno.env.get(name),
  workingFolder: () => Deno.cwd(),

  // To ask another thread would take several times as long.
  stat: async (path) => stateOf(Deno.statSync(path)),
  lstat: async (path) => stateOf(Deno.lstatSync(path)),
  isThere(path) {
    try {
      Deno.lstatSync(path);
      return true;
    } catch {
      return false;
    }
  },
  realPath: (path) => Deno.realPath(path),
  names: (folder) => Array.fromAsync(Deno.readDir(folder), ({ name }) => name),
  readFile: (path) => Deno.readFile(path),
  readStart,
  async writeNewFile(path, bytes, { mode, sync } = {}) {
    const modes = mode === undefined ? {} : { mode };
    const file = await Deno.open(path, { write: true, createNew: true, ...modes });
    try {
      for (let rest = bytes; rest.length > 0;) rest = rest.subarray(await file.write(rest));
      if (sync) await file.sync();
    } catch (error) {
      await Deno.remove(path).catch(() => {});
      throw error;
    } finally {
      file.close();
    }
  },
  chmod: (path, mode) => Deno.chmod(path, mode),
  rename: (from, to) => Deno.rename(from, to),
  remove: (path, options = { recursive: false }) => Deno.remove(path, options),
  makeFolder: (path, mode) => Deno.mkdir(path, { mode }),
  async syncFolder(path) {
    try {
      const folder = await Deno.open(path);
      await folder.sync().finally(() => folder.close());
    } catch {
      // Windows cannot open a folder, and some network file systems cannot sync one.
    }
  },
  touch: (path) => Deno.utime(path, new Date(), new Date()),
  openLock,

  async runApart(program, args) {
    // Detached, so that a Ctrl-C for us does not close it.
    const { spawn } = await import("./spawn.ts");
    const child = spawn(program, {
      args: [...args],
      stdin: "null",
      stdout: "null",
      stderr: "null",
      detached: true,
    });
    child.unref();
    return (await child.status).success;
  },
  serve,
};

/** Whether Deno allows something without asking. */
function isGranted(descriptor: Deno.PermissionDescriptor): boolean {
  return Deno.permissions.querySync(descriptor).state === "granted";
}

function stateOf(info: Deno.FileInfo): FileState {
  const { isFile, isDirectory, isSymlink, size, mode, uid, mtime } = info;
  const writtenMs = mtime?.getTime() ?? null;
  return { isFile, isDirectory, isSymlink, size, mode, owner: uid, writtenMs };
}

async function readStart(path: string, most: number): Promise<Uint8Array<ArrayBuffer>> {
  const file = await Deno.open(path);
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  try {
    for (let left = most; left > 0;) {
      const chunk = new Uint8Array(Math.min(left, CHUNK_BYTES));
      const count = await file.read(chunk);
      if (count === null) break;
      chunks.push(chunk.subarray(0, count));
      left -= count;
    }
  } finally {
    file.close();
  }
  // Most files are one chunk, and the first Blob of a program takes half a millisecond.
  const [first = new Uint8Array(), ...more] = chunks;
  return more.length === 0 ? first : new Uint8Array(await new Blob(chunks).arrayBuffer());
}

async function openLock(path: string): Promise<KernelLock> {
  const file = await Deno.open(path, { write: true, create: true, mode: 0o600 });
  return {
    take: () => file.tryLock(true),
    async close() {
      // Closing would be enough, except for a process that is just being started and shares the
      // open file.
      await file.unlock().catch(() => {});
      file.close();
    },
  };
}

async function serve(
  handle: (request: Request) => Promise<Response>,
  port: number,
): Promise<LocalServer> {
  if (!isGranted({ name: "net", host: `127.0.0.1:${port}` })) {
    throw new NotPermitted("no permission for it");
  }
  const stop = new AbortController();
  const address = { hostname: "127.0.0.1", port };
  const server = Deno.serve({ ...address, signal: stop.signal, onListen: () => {} }, handle);
  return {
    port: server.addr.port,
    async close(patienceMs) {
      const timer = setTimeout(() => stop.abort(), patienceMs);
      // It rejects when it is interrupted; the other promise reports the end.
      await server.shutdown().catch(() => {});
      clearTimeout(timer);
      await server.finished;
    },
  };
}
