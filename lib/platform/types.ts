/**
 * What the library needs of the runtime and the machine: one interface, which Deno fills in one way
 * and Node and Bun in another.
 *
 * @module
 */

/** What is at a path. */
export interface FileState {
  /** Whether it is a regular file. */
  readonly isFile: boolean;
  /** Whether it is a folder. */
  readonly isDirectory: boolean;
  /** Whether it is a symbolic link. Always false where links are followed. */
  readonly isSymlink: boolean;
  /** Its size in bytes. */
  readonly size: number;
  /** Its permissions, or null on systems that have none. */
  readonly mode: number | null;
  /** The number of the user that it belongs to, or null on systems that have none. */
  readonly owner: number | null;
  /** When it was last written, in milliseconds since 1970. Null where that is not known. */
  readonly writtenMs: number | null;
}

/** How a new file is written. */
interface NewFileOptions {
  /** Its permissions from the first byte on. Default: what the system gives to new files. */
  mode?: number;
  /** Whether the bytes are on the disk when this returns. Default: false. */
  sync?: boolean;
}

/** A lock of the kernel on an open file. It ends with its process. */
export interface KernelLock {
  /** Takes the lock if it is free, and tells whether this has it now. */
  take(): Promise<boolean>;
  /** Gives the lock back, if this has it, and closes the file. */
  close(): Promise<void>;
}

/** A server on this machine. */
export interface LocalServer {
  /** The port that it listens on. */
  readonly port: number;
  /** Sends what is being sent, then closes. What takes longer than these milliseconds is cut. */
  close(patienceMs: number): Promise<void>;
}

/** What a runtime can do for the library. Nothing here asks a person for a permission. */
export interface Platform {
  /** The operating system, as Deno names it: `linux`, `darwin`, `windows`, and so on. */
  readonly os: string;
  /** The number of the user that this runs as. Undefined where there is none or it may not be asked. */
  userId(): number | undefined;

  /** Whether this program may read or write a path. */
  mayAccess(kind: "read" | "write", path: string): boolean;
  /** Whether this program may read a variable of the environment. */
  mayReadVariable(name: string): boolean;
  /** Whether this program may start another one. */
  mayRun(program: string): boolean;

  /** A variable of the environment, or undefined when it is not set. */
  variable(name: string): string | undefined;
  /** The working folder. Throws when it is gone or may not be known. */
  workingFolder(): string;

  /** What is at a path, links followed. */
  stat(path: string): Promise<FileState>;
  /** What is at a path, links not followed. */
  lstat(path: string): Promise<FileState>;
  /** Whether anything is at a path, links not followed. */
  isThere(path: string): boolean;
  /** A path with its links resolved. */
  realPath(path: string): Promise<string>;
  /** The names in a folder, in no order. */
  names(folder: string): Promise<string[]>;
  /** The bytes of a file. */
  readFile(path: string): Promise<Uint8Array<ArrayBuffer>>;
  /** The bytes at the start of a file, no more than that many. */
  readStart(path: string, most: number): Promise<Uint8Array<ArrayBuffer>>;
  /**
   * Writes a file that is not there yet. Fails with the code `EEXIST` when it is. A file that could
   * not be written whole is removed again.
   */
  writeNewFile(path: string, bytes: Uint8Array, options?: NewFileOptions): Promise<void>;
  /** Sets the permissions of a file. */
  chmod(path: string, mode: number): Promise<void>;
  /** Moves a file to another name, in place of what has that name. */
  rename(from: string, to: string): Promise<void>;
  /** Removes a file, an empty folder or, with `recursive`, a folder with all that is in it. */
  remove(path: string, options?: { recursive: boolean }): Promise<void>;
  /** Makes a folder with these permissions. Fails with the code `EEXIST` when it is there. */
  makeFolder(path: string, mode: number): Promise<void>;
  /** Brings the names in a folder to the disk, where the system can do that. */
  syncFolder(path: string): Promise<void>;
  /** Sets the time at which a file was last written to now. */
  touch(path: string): Promise<void>;
  /** Opens a file for a lock of the kernel, and makes it. Undefined where the runtime has none. */
  openLock?(path: string): Promise<KernelLock>;

  /** Runs a program apart from this one, with no terminal, and tells whether it succeeded. */
  runApart(program: string, args: readonly string[]): Promise<boolean>;
  /** Serves HTTP on a port of 127.0.0.1; 0 stands for any free one. */
  serve(handle: (request: Request) => Promise<Response>, port: number): Promise<LocalServer>;
}

/** The error for something that the program has no permission for. */
export class NotPermitted extends Error {
  /** By this name, which is Deno's own, `fileError()` knows it. */
  override readonly name = "NotCapable";
}
