/**
 * The library on Node and Bun, through modules that both have. They are loaded when needed, so a
 * bundle for another runtime can contain this file.
 *
 * @module
 */

import type { Stats } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { FileState, LocalServer, Platform } from "./types.ts";
import { NotPermitted } from "./types.ts";

/** Asks for a permission of a program that was started with `node --permission`. */
type Ask = (scope: string, reference?: string) => boolean;

/** The library's platform on Node and Bun. */
export const nodePlatform: Platform = {
  get os() {
    return runtime().platform === "win32" ? "windows" : runtime().platform;
  },
  userId: () => runtime().geteuid?.(),

  mayAccess: (kind, path) => isGranted(`fs.${kind}`, path),
  mayReadVariable: () => true,
  mayRun: () => isGranted("child"),

  variable: (name) => runtime().env[name],
  workingFolder: () => runtime().cwd(),

  stat: async (path) => stateOf(await files().stat(path)),
  lstat: async (path) => stateOf(await files().lstat(path)),
  isThere(path) {
    try {
      runtime().getBuiltinModule("node:fs").lstatSync(path);
      return true;
    } catch {
      return false;
    }
  },
  realPath: (path) => files().realpath(path),
  names: (folder) => files().readdir(folder),
  readFile: async (path) => new Uint8Array(await files().readFile(path)),
  async readStart(path, most) {
    const stream = (await files().open(path, "r")).createReadStream({ end: most - 1 });
    const chunks: Uint8Array<ArrayBuffer>[] = [];
    for await (const chunk of stream) chunks.push(new Uint8Array(chunk));
    return new Uint8Array(await new Blob(chunks).arrayBuffer());
  },
  async writeNewFile(path, bytes, { mode, sync } = {}) {
    const file = await files().open(path, "wx", mode);
    try {
      await file.writeFile(bytes);
      if (sync) await file.sync();
    } catch (error) {
      await files().unlink(path).catch(() => {});
      throw error;
    } finally {
      await file.close();
    }
  },
  chmod: (path, mode) => files().chmod(path, mode),
  rename: (from, to) => files().rename(from, to),
  async remove(path, options = { recursive: false }) {
    if (options.recursive) return await files().rm(path, options);
    const isFolder = (await files().lstat(path)).isDirectory();
    await (isFolder ? files().rmdir(path) : files().unlink(path));
  },
  makeFolder: (path, mode) => files().mkdir(path, { mode }).then(() => {}),
  async syncFolder(path) {
    try {
      const folder = await files().open(path, "r");
      await folder.sync().finally(() => folder.close());
    } catch {
      // Windows cannot open a folder, and some network file systems cannot sync one.
    }
  },
  touch: (path) => files().utimes(path, new Date(), new Date()),

  runApart(program, args) {
    const { spawn } = runtime().getBuiltinModule("node:child_process");
    const child = spawn(program, args, { stdio: "ignore", detached: true });
    child.unref();
    return new Promise((resolve, reject) => {
      child.once("error", reject);
      child.once("exit", (code) => resolve(code === 0));
    });
  },
  serve,
};

/**
 * The process, which gives access to all built-in modules. Deno has one, too, but need not load it.
 */
function runtime(): typeof globalThis.process {
  return globalThis.process;
}

/** The functions for files. */
function files(): typeof import("node:fs/promises") {
  return runtime().getBuiltinModule("node:fs/promises");
}

/**
 * Whether the program may do something. Everything is allowed, unless Node runs with
 * `--permission`.
 */
function isGranted(scope: string, reference?: string): boolean {
  const permission: { has: Ask } | undefined = runtime().permission;
  return permission?.has(scope, reference) ?? true;
}

function stateOf(info: Stats): FileState {
  return {
    isFile: info.isFile(),
    isDirectory: info.isDirectory(),
    isSymlink: info.isSymbolicLink(),
    size: info.size,
    mode: info.mode,
    owner: nodePlatform.os === "windows" ? null : info.uid,
    writtenMs: info.mtimeMs,
  };
}

/** Serves requests without a body: a browser sends no others here. */
async function serve(
  handle: (request: Request) => Promise<Response>,
  port: number,
): Promise<LocalServer> {
  if (!isGranted("net")) throw new NotPermitted("no permission for it");
  const { createServer } = runtime().getBuiltinModule("node:http");
  const server = createServer((request, response) => void answer(handle, request, response));
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", resolve);
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new NotPermitted("it has no port");
  return {
    port: address.port,
    close: (patienceMs) =>
      new Promise((resolve) => {
        const timer = setTimeout(() => server.closeAllConnections(), patienceMs);
        server.close(() => {
          clearTimeout(timer);
          resolve();
        });
        server.closeIdleConnections();
      }),
  };
}

/** Answers one request of a browser. */
async function answer(
  handle: (request: Request) => Promise<Response>,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  try {
    const url = new URL(incoming.url ?? "/", "http://127.0.0.1");
    const response = await handle(new Request(url, { method: incoming.method ?? "GET" }));
    outgoing.writeHead(response.status, Object.fromEntries(response.headers));
    outgoing.end(new Uint8Array(await response.arrayBuffer()));
  } catch {
    outgoing.writeHead(400).end();
  }
}
