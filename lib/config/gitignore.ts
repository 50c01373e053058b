/**
 * Whether git ignores a path, as far as the files of the repository say, and how to make it so. It
 * starts no program: git need not be there, and a script need not be allowed to run it.
 *
 * @module
 */

import { dirname, join, relative, sep } from "node:path";
import { platform } from "../platform/mod.ts";

/** What git does with a path. */
export interface IgnoreState {
  /** The folder of the repository that the path is in. Undefined when it is in none. */
  repository: string | undefined;
  /** Whether the repository's own `.gitignore` files ignore the path. */
  ignored: boolean;
  /** Whether the repository holds the path already. Then nothing ignores it. */
  tracked: boolean;
}

/** Finds out what git does with the path of a file. */
export async function ignoreState(path: string): Promise<IgnoreState> {
  const repository = await findRepository(dirname(path));
  if (repository === undefined) return { repository, ignored: false, tracked: false };
  return {
    repository,
    ignored: await isIgnored(repository, path),
    tracked: await isTracked(repository, path),
  };
}

/** A `.gitignore` with one more pattern at its end. What is there stays, byte for byte. */
export function withPattern(present: Uint8Array, pattern: string): Uint8Array {
  const text = new TextDecoder().decode(present);
  const end = text.includes("\r\n") ? "\r\n" : "\n";
  const open = text === "" || text.endsWith("\n") ? "" : end;
  const added = new TextEncoder().encode(`${open}${pattern}${end}`);
  const bytes = new Uint8Array(present.length + added.length);
  bytes.set(present);
  bytes.set(added, present.length);
  return bytes;
}

/** The innermost repository that a folder is in. Its `.git` is a file in worktrees and submodules. */
async function findRepository(folder: string): Promise<string | undefined> {
  for (let at = folder;; at = dirname(at)) {
    if (await platform.lstat(join(at, ".git")).then(() => true, () => false)) return at;
    if (dirname(at) === at) return undefined;
  }
}

/** Whether the files from the repository's folder down to the path's ignore it. */
async function isIgnored(repository: string, path: string): Promise<boolean> {
  const names = relative(repository, path).split(sep);
  const rules: Rule[] = [];
  for (let depth = 0; depth < names.length; depth++) {
    const folder = names.slice(0, depth);
    const bytes = await platform.readFile(join(repository, ...folder, ".gitignore"))
      .catch(() => undefined);
    const text = new TextDecoder().decode(bytes);
    rules.push(...parseRules(text, folder));
    // Below a folder that is ignored, no pattern counts any more.
    if (matches(rules, names.slice(0, depth + 1), depth + 1 < names.length)) return true;
  }
  return false;
}

/** One line of a `.gitignore`. */
interface Rule {
  /** The folder that the file is in, by name. */
  folder: readonly string[];
  /** What paths below the folder must look like. */
  pattern: RegExp;
  /** Whether it takes back what earlier lines ignore. */
  negated: boolean;
  /** Whether it is about folders only. */
  foldersOnly: boolean;
}

/** Whether the last rule about a path ignores it. */
function matches(rules: readonly Rule[], names: readonly string[], isFolder: boolean): boolean {
  const last = rules.findLast(({ folder, pattern, foldersOnly }) =>
    (isFolder || !foldersOnly) && pattern.test(names.slice(folder.length).join("/"))
  );
  return last !== undefined && !last.negated;
}

/** Reads a `.gitignore`. */
function parseRules(text: string, folder: readonly string[]): Rule[] {
  return text.replace(/^\ufeff/, "").split("\n").flatMap((raw) => {
    // Spaces at the end do not count, unless the last one is escaped.
    const line = raw.replace(/\r$/, "").replace(/(?<!\\) +$/, "");
    if (line === "" || line.startsWith("#")) return [];
    const negated = line.startsWith("!");
    const whole = negated ? line.slice(1) : line;
    const foldersOnly = whole.endsWith("/");
    const glob = foldersOnly ? whole.slice(0, -1) : whole;
    if (glob === "") return [];
    // A slash before the end ties the pattern to its folder.
    const anchored = glob.includes("/");
    const source = globSource(glob.replace(/^\//, ""));
    const pattern = patternOf(`^${anchored ? "" : "(?:.*/)?"}${source}$`);
    return pattern ? [{ folder, pattern, negated, foldersOnly }] : [];
  });
}

/** A regular expression, unless it is none: git passes over a range that runs backwards, too. */
function patternOf(source: string): RegExp | undefined {
  try {
    return RegExp(source, "s");
  } catch {
    return undefined;
  }
}

const GLOB = /(^|\/)\*\*(?:\/|$)|\*+|\?|\[[!^]?\]?(?:\\.|\[:[a-z]+:\]|[^\]\\])*\]|\\(.)|([^])/g;

/** A glob as the source of a regular expression. */
function globSource(glob: string): string {
  return glob.replace(GLOB, (part, before?: string, escaped?: string, plain?: string) => {
    if (before !== undefined) {
      if (!part.endsWith("/")) return `${before}.*`;
      return `${before}(?:.*/)?`;
    }
    if (part.startsWith("*")) return "[^/]*";
    if (part === "?") return "[^/]";
    if (part.startsWith("[") && part.length > 1) return `(?!/)${classSource(part)}`;
    return (escaped ?? plain ?? part).replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
  });
}

/** A glob's class of characters as one of a regular expression. */
function classSource(part: string): string {
  const negated = /^\[[!^]/.test(part);
  const inner = part.slice(negated ? 2 : 1, -1)
    .replace(/\[:([a-z]+):\]/g, (_, name) => CLASSES[name] ?? "")
    .replace(/^\]/, "\\]").replace(/\[/g, "\\[").replace(/\^/g, "\\^");
  return `[${negated ? "^" : ""}${inner}]`;
}

const CLASSES: Readonly<Record<string, string>> = {
  alpha: "A-Za-z",
  digit: "0-9",
  alnum: "A-Za-z0-9",
  lower: "a-z",
  upper: "A-Z",
  space: "\\s",
  punct: "!-\\/:-@\\[-`{-~",
};

/**
 * Whether a path is in the repository's index. The index holds paths as they are, except in its
 * fourth version, which is rare and where this says no.
 */
async function isTracked(repository: string, path: string): Promise<boolean> {
  const index = await platform.readFile(join(repository, ".git", "index")).catch(() => undefined);
  if (!index) return false;
  const name = relative(repository, path).replaceAll(sep, "/");
  return new TextDecoder("latin1").decode(index).includes(`${latin1(name)}\0`);
}

/** The UTF-8 bytes of a text, one character for each. */
function latin1(text: string): string {
  return String.fromCharCode(...new TextEncoder().encode(text));
}
