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
  const git = async (...args: string[]) => {
    const { success, stdout, stderr } = await new Deno.Command("git", { args, cwd: root }).output();
    const decoder = new TextDecoder();
    if (success) return decoder.decode(stdout);
    const [reason] = decoder.decode(stderr).split("\n");
    throw new RangeError(`Cannot compare with "${revision}": ${reason}`);
  };
  // Otherwise a revision that begins with a hyphen would be an option.
  const commit = await git("rev-parse", "--verify", "--end-of-options", `${revision}^{commit}`);
  const options = ["--unified=0", "--no-color", "--no-ext-diff", "--src-prefix=a/"];
  return linesOf(await git("diff", ...options, "--dst-prefix=b/", commit.trim(), "--"));
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
