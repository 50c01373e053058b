/**
 * Paths of files. `node:path` does the same and more, but loading it takes 7 ms of every command and
 * of every start of the service, as long as the rest of lib/config and lib/auth together.
 *
 * @module
 */

import { platform } from "../platform/mod.ts";

/**
 * A path below a folder, or below the working folder if that is empty. Empty names count as missing;
 * the others are used unchanged, so a `..` stays.
 */
export function join(folder: string, ...names: string[]): string {
  const { separator, ends } = style();
  const below = names.filter((name) => name !== "");
  if (folder === "" || below.length === 0) return folder || below.join(separator);
  return [folder.replace(ends, ""), ...below].join(separator);
}

/** The folder of a path. A root is its own folder. */
export function dirname(path: string): string {
  const { root, ends, last } = style();
  const below = path.replace(root, "");
  const start = path.slice(0, path.length - below.length);
  const names = below.replace(ends, "");
  return start + names.slice(0, Math.max(0, names.search(last))).replace(ends, "") || ".";
}

/** The last name of a path. */
export function basename(path: string): string {
  const { root, ends, last } = style();
  const names = path.replace(root, "").replace(ends, "");
  return names.slice(names.search(last) + 1);
}

/** A system's notation of paths. */
interface Style {
  /** The separator between two names. */
  separator: string;
  /** The start of a path: nothing, a slash, a drive, or a share on another machine. */
  root: RegExp;
  /** Separators at the end. */
  ends: RegExp;
  /** The last separator. */
  last: RegExp;
}

const POSIX: Style = { separator: "/", root: /^\/*/, ends: /\/+$/, last: /\/[^/]*$/ };

const WINDOWS: Style = {
  separator: "\\",
  root: /^(?:[\\/]{2}[^\\/]+[\\/]+[^\\/]+[\\/]?|(?:[a-z]:)?[\\/]*)/i,
  ends: /[\\/]+$/,
  last: /[\\/][^\\/]*$/,
};

function style(): Style {
  return platform.os === "windows" ? WINDOWS : POSIX;
}
