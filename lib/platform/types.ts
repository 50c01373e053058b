/**
 * The library's requirements of the runtime and the machine: one interface with one implementation
 * for Deno and one for Node and Bun.
 *
 * @module
 */

/** The entry at a path. */
export interface FileState {
  /** Whether it is a regular file. */
  readonly isFile: boolean;
  /** Whether it is a folder. */
  readonly isDirectory: boolean;
  /** Whether it is a symbolic link. Always false where links are followed. */
  readonly isSymlink: boolean;
  /** Its size in bytes. */
  readonly size: number;
  /** Its permissions, or null on systems without them. */
  readonly mode: number | null;
  /** The number of its owner, or null on systems without one. */
  readonly owner: number | null;
  /** When it was last written, in milliseconds since 1970. Null if unknown. */
  readonly writtenMs: number | null;
}

/** The options of a new file. */
interface NewFileOptions {
  /** Its permissions from the first byte on. Default: the system's for new files. */
  mode?: number;
  /** Whether the bytes are on the disk when this returns. Default: false. */
  sync?: boolean;
}

/** A lock of the kernel on an open file. It ends with its process. */
export interface KernelLock {
  /** Takes the lock if it is free, and returns whether this holds it now. */
  take(): Promise<boolean>;
  /** Releases the lock, if this holds it, and closes the file. */
  close(): Promise<void>;
}

/** A server on this machine. */
export interface LocalServer {
  /** The port that it listens on. */
  readonly port: number;
  /** Finishes the current answers, then closes. After this many milliseconds it disconnects. */
  close(patienceMs: number): Promise<void>;
}

/** The functions of a runtime for the library. None of them asks a person for a permission. */
export interface Platform {
  /** The operating system, as Deno names it: `linux`, `darwin`, `windows`, and so on. */
  readonly os: string;
  /** The number of the current user. Undefined if there is none or it may not be read. */
  userId(): number | undefined;

  /** Whether this program may read or write a path. */
  mayAccess(kind: "read" | "write", path: string): boolean;
  /** Whether this program may read a variable of the environment. */
  mayReadVariable(name: string): boolean;
  /** Whether this program may start another one. */
  mayRun(program: string): boolean;

  /** A variable of the environment, or undefined when it is not set. */
  variable(name: string): string | undefined;
  /** The working folder. Throws when it no longer exists or may not be read. */
  workingFolder(): string;

  /** The entry at a path, following links. */
  stat(path: string): Promise<FileState>;
  /** The entry at a path, without following links. */
  lstat(path: string): Promise<FileState>;
  /** Whether there is an entry at a path, without following links. */
  isThere(path: string): boolean;
  /** A path with its links resolved. */
  realPath(path: string): Promise<string>;
  /** The names in a folder, unordered. */
  names(folder: string): Promise<string[]>;
  /** The bytes of a file. */
  readFile(path: string): Promise<Uint8Array<ArrayBuffer>>;
  /** The bytes at the start of a file, up to a number. */
  readStart(path: string, most: number): Promise<Uint8Array<ArrayBuffer>>;
  /**
   * Writes a new file. Fails with the code `EEXIST` when it exists. An incompletely written file is
   * removed again.
   */
  writeNewFile(path: string, bytes: Uint8Array, options?: NewFileOptions): Promise<void>;
  /** Sets the permissions of a file. */
  chmod(path: string, mode: number): Promise<void>;
  /** Renames a file, replacing a file of the new name. */
  rename(from: string, to: string): Promise<void>;
  /** Removes a file, an empty folder or, with `recursive`, a folder with its content. */
  remove(path: string, options?: { recursive: boolean }): Promise<void>;
  /** Makes a folder with these permissions. Fails with the code `EEXIST` when it exists. */
  makeFolder(path: string, mode: number): Promise<void>;
  /** Syncs the names in a folder to the disk, if the system can do that. */
  syncFolder(path: string): Promise<void>;
  /** Sets the modification time of a file to now. */
  touch(path: string): Promise<void>;
  /**
   * Opens a file for a lock of the kernel, and creates it. Undefined if the runtime has no such
   * lock.
   */
  openLock?(path: string): Promise<KernelLock>;

  /**
   * Runs a program detached from this one, without a terminal, and returns whether it succeeded.
   */
  runApart(program: string, args: readonly string[]): Promise<boolean>;
  /** Serves HTTP on a port of 127.0.0.1; 0 means any free one. */
  serve(handle: (request: Request) => Promise<Response>, port: number): Promise<LocalServer>;
}

/** The error for a missing permission of the program. */
export class NotPermitted extends Error {
  /** `fileError()` recognises this name, which is Deno's own. */
  override readonly name = "NotCapable";
}
