/**
 * Why an operation on a file failed, in words.
 *
 * @module
 */

/** The system's code of an error, if it has one, such as `ENOENT`. */
export function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("code" in error)) return undefined;
  return typeof error.code === "string" ? error.code : undefined;
}

/** The reason of a failed operation on a file, in words. */
export function fileReason(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  // The runtime allows no devices and the like, whatever permissions a program has.
  if (error.name === "NotCapable" && error.message.startsWith("Requires all access")) {
    return "it is a device or another special file of the system";
  }
  const reason = SYSTEM_REASONS[codeOf(error) ?? ""];
  // The runtime repeats the call and its path after the system's own words.
  return reason ?? error.message.replace(/ \(os error \d+\).*$/s, "");
}

/** Whether an error means that there is no room for a file. */
export function isWithoutRoom(error: unknown): boolean {
  return ["ENOSPC", "EDQUOT"].includes(codeOf(error) ?? "");
}

/** The hint for an error without room. */
export const FREE_SPACE = "Free some space, then try again.";

/** The hint for a limit or a full disk; undefined for an error that has to do with the path. */
export function remedyOf(error: unknown): string | undefined {
  return REMEDIES[codeOf(error) ?? ""];
}

const MORE_FILES = "Close other programs, or allow more open files: ulimit -n 1024";

/** Hints by code. */
const REMEDIES: Readonly<Record<string, string>> = {
  EMFILE: MORE_FILES,
  ENFILE: MORE_FILES,
  EFBIG: "Allow larger files: ulimit -f unlimited",
  ENOSPC: FREE_SPACE,
  EDQUOT: FREE_SPACE,
};

/** Reasons for files and folders. */
const SYSTEM_REASONS: Readonly<Record<string, string>> = {
  EACCES: "permission denied",
  EPERM: "permission denied",
  EROFS: "the file system is read-only",
  ENOENT: "there is no such file or folder",
  EISDIR: "it is a folder",
  ELOOP: "too many symbolic links",
  EMFILE: "too many files are open",
  ENFILE: "too many files are open",
  ENOSPC: "the disk is full",
  EDQUOT: "the disk quota is used up",
  EFBIG: "the file is larger than the system allows",
};
