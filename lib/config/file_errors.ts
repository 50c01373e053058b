/**
 * What is wrong with a file, in words: the path, the reason and the fix.
 *
 * @module
 */

import { ConfigError } from "../errors.ts";
import { dirname } from "./paths.ts";

/** Whether an error says that a file cannot be reached or written, as opposed to a wrong content. */
export function isFileError(error: unknown): boolean {
  return error instanceof ConfigError && error.cause !== undefined;
}

/** Whether an error says that there is no such file. */
export function isMissing(error: unknown): boolean {
  const code = codeOf(error);
  return code === "ENOENT" || code === "ENOTDIR";
}

/** The system's own name for what went wrong, where an error has one: `ENOENT` and the like. */
export function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("code" in error)) return undefined;
  return typeof error.code === "string" ? error.code : undefined;
}

/** The error for an operation on a file that failed: the path, the reason and the fix. */
export function fileError(action: string, path: string, error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof ConfigError) return error;
  const [reason, hint] = REASONS[codeOf(error) ?? error.name] ?? [error.message, undefined];
  return new ConfigError(`Cannot ${action} ${JSON.stringify(path)}: ${reason}`, {
    hint: hint?.replace(
      /PATH|FOLDER/g,
      (word) => shellWord(word === "PATH" ? path : dirname(path)),
    ),
    cause: error,
  });
}

/** A path as a shell takes it. */
export function shellWord(path: string): string {
  return /^[\w/.,:@%+=\\-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`;
}

const NOT_A_FOLDER = [
  "a part of its path is a file, not a folder",
  "Move that file away, then try again.",
] as const;
const NOT_ALLOWED = [
  "permission denied",
  "Make it yours: chown -R $(id -u) FOLDER",
] as const;

const REASONS: Record<string, readonly [reason: string, hint: string]> = {
  EACCES: NOT_ALLOWED,
  EPERM: NOT_ALLOWED,
  EROFS: ["the file system is read-only", "Set HOME to a folder that can be written."],
  ENOSPC: ["the disk is full", "Free some space, then try again."],
  EDQUOT: ["the disk quota is used up", "Free some space, then try again."],
  ENOTDIR: NOT_A_FOLDER,
  ENOENT: ["its folder does not exist", "Create the folder that FOLDER is to be in."],
  EISDIR: ["a folder is in its place", "Move the folder PATH away, then try again."],
  NotCapable: [
    "this program has no permission for it",
    "Run it with --allow-read=PATH and --allow-write=PATH",
  ],
};
