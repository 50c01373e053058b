import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { dirname, join } from "node:path";
import { type Git, gitState, ignoresEverything, runGit } from "../../../lib/cli/folder/git.ts";
import { git, hasGit, makeRepository } from "../../support/git.ts";
import { withPrograms } from "../../support/programs.ts";

const FILE = ".cli/config.json";

/** A machine without git. */
const nobody: Git = () => Promise.resolve(undefined);

/** Works in a new folder. */
async function inFolder(work: (folder: string) => Promise<void>): Promise<void> {
  const folder = await Deno.realPath(await Deno.makeTempDir());
  try {
    await work(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** Writes a file with its folders. */
async function write(path: string, text = ""): Promise<void> {
  await Deno.mkdir(dirname(path), { recursive: true });
  await Deno.writeTextFile(path, text);
}

/** A test with a real repository that has a first commit. */
function withGit(name: string, work: (folder: string) => Promise<void>): void {
  Deno.test({
    name: hasGit ? name : `${name} (not tested: git is not installed)`,
    ignore: !hasGit,
    fn: () =>
      inFolder(async (folder) => {
        await git(folder, "init", "-q", "-b", "main", ".");
        for (const other of ["README", ".cli/README", ".cli/config.json.old", "x/.cli/x"]) {
          await write(join(folder, other));
        }
        await git(folder, "add", "-f", ".");
        await git(folder, "commit", "-q", "-m", "First");
        await work(folder);
      }),
  });
}

/** Whether a file is tracked, by git and by its files alone. */
async function tracked(path: string): Promise<(boolean | undefined)[]> {
  return [(await gitState(path)).tracked, (await gitState(path, nobody)).tracked];
}

/** Adds the file to a repository, and makes sure that both ways see it, and saw that it was not. */
async function seesFile(folder: string, unread = false): Promise<void> {
  const alone = (answer: boolean) => unread ? undefined : answer;
  deepStrictEqual(await tracked(join(folder, FILE)), [false, alone(false)]);
  await write(join(folder, FILE), "{}");
  await git(folder, "add", "-f", FILE);
  const [asked, read] = await tracked(join(folder, FILE));
  ok(asked);
  ok(read === alone(true) || read === true);
}

withGit("a tracked file is found in a plain repository", (folder) => seesFile(folder));

withGit("a tracked file is found in a worktree", async (folder) => {
  await git(folder, "worktree", "add", "-q", "../side");
  const side = join(dirname(folder), "side");
  try {
    await seesFile(side);
    strictEqual((await gitState(join(side, FILE))).repository, side);
    deepStrictEqual(await tracked(join(folder, FILE)), [false, false]);
  } finally {
    await Deno.remove(side, { recursive: true });
  }
});

withGit("a tracked file is found in a submodule", (folder) =>
  inFolder(async (outer) => {
    await git(outer, "init", "-q", "-b", "main", ".");
    await git(outer, "submodule", "--quiet", "add", folder, "inner");
    await seesFile(join(outer, "inner"));
  }));

withGit("a tracked file is found with --separate-git-dir", (folder) =>
  inFolder(async (apart) => {
    await git(folder, "init", "-q", "--separate-git-dir", join(apart, "git"));
    await seesFile(folder);
  }));

for (const version of ["2", "3", "4"]) {
  withGit(`a tracked file is found in an index of version ${version}`, async (folder) => {
    // The third version comes with entries that need it.
    if (version === "3") await git(folder, "add", "-N", "-f", join(folder, "README"));
    await git(folder, "update-index", "--index-version", version);
    await seesFile(folder);
  });
}

withGit(
  "a tracked file is found in a split index by git, and unsure without it",
  async (folder) => {
    await git(folder, "update-index", "--split-index");
    await seesFile(folder, true);
  },
);

withGit("a file that is only intended to be added counts as tracked", async (folder) => {
  await write(join(folder, FILE), "{}");
  await git(folder, "add", "-N", "-f", FILE);
  deepStrictEqual(await tracked(join(folder, FILE)), [true, true]);
});

withGit("only whole paths count", async (folder) => {
  await write(join(folder, "templates", FILE), "{}");
  await git(folder, "add", "-f", "templates");
  deepStrictEqual(await tracked(join(folder, FILE)), [false, false]);
  deepStrictEqual(await tracked(join(folder, "templates", FILE)), [true, true]);
  const odd = join(folder, "a [b]*?:ü", FILE);
  await write(odd, "{}");
  deepStrictEqual(await tracked(odd), [false, false]);
  await git(folder, "add", "-f", ".");
  deepStrictEqual(await tracked(odd), [true, true]);
});

withGit(
  "a sparse checkout whose index names a folder only is unsure without git",
  async (folder) => {
    await write(join(folder, FILE), "{}");
    await git(folder, "add", "-f", FILE);
    await git(folder, "commit", "-q", "-m", "Second");
    await git(folder, "sparse-checkout", "init", "--cone", "--sparse-index");
    await git(folder, "sparse-checkout", "set", "x");
    const [asked, read] = await tracked(join(folder, FILE));
    ok(asked);
    ok(read !== false);
  },
);

withGit("ignored is what git itself says, the person's own list included", async (folder) => {
  const path = join(folder, "sub", FILE);
  const ignored = async () => (await gitState(path)).ignored;
  await write(path, "{}");
  strictEqual(await ignored(), false);
  await write(join(folder, ".git", "info", "exclude"), ".cli/\n");
  strictEqual(await ignored(), true);
  await write(join(folder, "sub", ".gitignore"), "!.cli/\n");
  strictEqual(await ignored(), false);
  await write(join(dirname(path), ".gitignore"), "*\n");
  strictEqual(await ignored(), true);
});

withGit("a .gitignore that is a link ignores nothing", async (folder) => {
  const path = join(folder, FILE);
  await write(join(folder, "rules"), ".cli/\n*\n");
  await Deno.symlink("rules", join(folder, ".gitignore"));
  await Deno.symlink("../rules", join(folder, ".cli", ".gitignore"));
  strictEqual((await gitState(path)).ignored, false);
  strictEqual((await gitState(path, nobody)).ignored, undefined);
});

withGit("a repository's settings run no program of its own", async (folder) => {
  const script = join(folder, "spy.sh");
  await write(script, `#!/bin/sh\ntouch '${folder}/ran'\n`);
  await Deno.chmod(script, 0o755);
  for (const name of ["core.fsmonitor", "core.pager", "core.sshCommand", "core.hooksPath"]) {
    await git(folder, "config", name, script);
  }
  await gitState(join(folder, FILE));
  ok(!await Deno.stat(join(folder, "ran")).then(() => true, () => false));
});

withGit("a damaged repository is unsure", async (folder) => {
  const index = join(folder, ".git", "index");
  const bytes = await Deno.readFile(index);
  await Deno.writeFile(index, bytes.fill(0, 0, 8));
  deepStrictEqual(await tracked(join(folder, FILE)), [undefined, undefined]);
  match((await gitState(join(folder, FILE))).why ?? "", /git cannot read the repository/);
});

withGit(
  "variables that point git to another repository make it unsure",
  (folder) =>
    inFolder(async (other) => {
      await git(other, "init", "-q", ".");
      const elsewhere: Git = (args) => runGit(["--git-dir", join(other, ".git"), ...args]);
      strictEqual((await gitState(join(folder, FILE), elsewhere)).tracked, undefined);
    }),
);

Deno.test("a folder is in no repository, or in the innermost one", () =>
  inFolder(async (folder) => {
    const path = join(folder, "a", "b", FILE);
    const repository = async () => (await gitState(path, nobody)).repository;
    await Deno.mkdir(dirname(path), { recursive: true });
    strictEqual(await repository(), undefined);
    await makeRepository(folder);
    strictEqual(await repository(), folder);
    await Deno.mkdir(join(folder, "a", "b", ".git"));
    strictEqual(await repository(), folder, "an empty folder is no repository");
    await makeRepository(join(folder, "a"));
    strictEqual(await repository(), join(folder, "a"));
  }));

Deno.test("without git, a .git without a target is unsure, and one without an index is empty", () =>
  inFolder(async (folder) => {
    await makeRepository(folder);
    deepStrictEqual(await gitState(join(folder, FILE), nobody), {
      repository: folder,
      tracked: false,
      ignored: undefined,
      why: "git is not installed here",
    });
    await Deno.remove(join(folder, ".git"), { recursive: true });
    for (const text of ["gitdir: nowhere\n", "nonsense", ""]) {
      await Deno.writeTextFile(join(folder, ".git"), text);
      strictEqual((await gitState(join(folder, FILE), nobody)).tracked, undefined, text);
    }
  }));

Deno.test("a .gitignore that ignores everything is recognised", () => {
  for (const text of ["*", "*\n", "a\r\n*\r\n", "!a\n*\n", "# all\n*\n"]) {
    ok(ignoresEverything(text), text);
  }
  for (const text of ["", "# *\n", "*.json", "*\n!config.json\n", " *", "/*x"]) {
    ok(!ignoresEverything(text), text);
  }
});

Deno.test("git starts no program, takes no lock, and gets neither the terminal nor its input", async () => {
  const output = () => Promise.resolve({ code: 0, stdout: new TextEncoder().encode("yes") });
  const started = await withPrograms(() => ({ output }), async () => {
    deepStrictEqual(await runGit(["status"]), { code: 0, out: "yes" });
  });
  deepStrictEqual(started, [{
    program: "git",
    options: {
      args: ["-c", "core.fsmonitor=false", "status"],
      env: { GIT_OPTIONAL_LOCKS: "0", GIT_NO_LAZY_FETCH: "1", GIT_ALLOW_PROTOCOL: "none" },
      stdin: "null",
      stdout: "piped",
      stderr: "null",
    },
  }]);
});
