/**
 * Which lines have changed since a commit.
 *
 * @module
 */

/** The lines that are new or changed, by file. */
export type ChangedLines = ReadonlyMap<string, ReadonlySet<number>>;

/**
 * The lines of the tree that differ from a commit.
 *
 * @throws {RangeError} when there is no such commit.
 */
export async function changedSince(root: string, revision: string): Promise<ChangedLines> {
  // Otherwise a revision that begins with a hyphen would be an option.
  const name = ["--end-of-options", `${revision}^{commit}`];
  const failure = `Cannot compare with "${revision}"`;
  const commit = await git(root, failure, "rev-parse", "--verify", ...name);
  const options = ["--unified=0", "--no-color", "--no-ext-diff", "--src-prefix=a/"];
  const diff = ["diff", ...options, "--dst-prefix=b/", commit.trim(), "--"];
  return linesOf(await git(root, failure, ...diff));
}

/**
 * The short name of the tree's commit, and whether the code or the tests have changed since.
 *
 * @throws {RangeError} when the tree has no commit.
 */
export async function revisionOf(root: string): Promise<string> {
  const failure = "Cannot name the revision";
  const commit = (await git(root, failure, "rev-parse", "--short", "HEAD")).trim();
  const parts = ["cli.ts", "lib", "tests"];
  const changes = await git(root, failure, "status", "--porcelain", "--", ...parts);
  return changes === "" ? commit : `${commit} and changes`;
}

/**
 * The output of git.
 *
 * @throws {RangeError} when git fails: `failure`, and the first line that git says.
 */
async function git(root: string, failure: string, ...args: string[]): Promise<string> {
  const { success, stdout, stderr } = await new Deno.Command("git", { args, cwd: root }).output();
  const decoder = new TextDecoder();
  if (success) return decoder.decode(stdout);
  const [reason] = decoder.decode(stderr).split("\n");
  throw new RangeError(`${failure}: ${reason}`);
}

/** The new lines of a difference that git shows without context. */
export function linesOf(diff: string): ChangedLines {
  const changed = new Map<string, Set<number>>();
  let file: Set<number> | undefined;
  for (const line of diff.split("\n")) {
    const path = /^\+\+\+ b\/(.*)$/.exec(line)?.[1];
    if (path !== undefined) changed.set(path, file = new Set());
    const [, start, count = "1"] = /^@@ -\S+ \+(\d+)(?:,(\d+))? @@/.exec(line) ?? [];
    for (let i = 0; start !== undefined && i < Number(count); i++) file?.add(Number(start) + i);
  }
  return changed;
}
