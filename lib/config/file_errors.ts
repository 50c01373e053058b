/**
 * Errors of files as messages: the path, the reason and the remedy.
 *
 * @module
 */

import { ConfigError } from "../errors.ts";
import { codeOf, FREE_SPACE } from "../file_reason.ts";
import { shellWord } from "./shell_word.ts";
import { dirname } from "./paths.ts";

/** Whether an error means that a file cannot be reached or written, as opposed to wrong content. */
export function isFileError(error: unknown): boolean {
  return error instanceof ConfigError && error.cause !== undefined;
}

/** Whether an error means that there is no such file. */
export function isMissing(error: unknown): boolean {
  const code = codeOf(error);
  return code === "ENOENT" || code === "ENOTDIR";
}

/** The error for a failed operation on a file: the path, the reason and the remedy. */
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

const NOT_A_FOLDER = [
  "a part of its path is a file, not a folder",
  "Move that file away, then try again.",
] as const;
const NOT_ALLOWED = [
  "permission denied",
  "Make your user its owner: chown -R $(id -u) FOLDER",
] as const;

const REASONS: Record<string, readonly [reason: string, hint: string]> = {
  EACCES: NOT_ALLOWED,
  EPERM: NOT_ALLOWED,
  EROFS: ["the file system is read-only", "Set HOME to a writable folder."],
  ENOSPC: ["the disk is full", FREE_SPACE],
  EDQUOT: ["the disk quota is used up", FREE_SPACE],
  ENOTDIR: NOT_A_FOLDER,
  ENOENT: ["its folder does not exist", "Create the folder that is to contain FOLDER."],
  EISDIR: ["there is a folder at its path", "Move the folder PATH away, then try again."],
  NotCapable: [
    "this program has no permission for it",
    "Run it with --allow-read=PATH and --allow-write=PATH",
  ],
};
