import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { join } from "node:path";
import { git, hasGit, makeRepository } from "../../support/git.ts";
import { type Home, openHome, signedIn } from "../../support/home_fixture.ts";

const windows = Deno.build.os === "windows";

/** A machine that is signed in, with a repository in its working folder. */
async function inRepository(): Promise<Home> {
  const at = await openHome();
  await signedIn(at);
  await makeRepository(at.cwd);
  at.sent.length = 0;
  return at;
}

/** The text of a file in the working folder. */
function read(at: Home, ...names: string[]): Promise<string> {
  return Deno.readTextFile(join(at.cwd, ...names));
}

Deno.test("init does not write through links", { ignore: windows }, async () => {
  await using at = await inRepository();
  const outside = join(at.home, "theirs");
  await Deno.writeTextFile(outside, "theirs\n");
  await Deno.symlink(outside, join(at.cwd, ".gitignore"));
  await Deno.mkdir(join(at.cwd, ".cli"), { mode: 0o700 });
  await Deno.symlink(outside, join(at.cwd, ".cli", ".gitignore"));
  await Deno.symlink(outside, join(at.cwd, "cli.toml"));
  const refused = await at.run("init --no-apps --force");
  strictEqual(refused.code, 1);
  match(refused.err, /Cannot write ".*cli\.toml": it is a symbolic link\n.*remove the link: rm /);
  deepStrictEqual(at.sent, []);
  await Deno.remove(join(at.cwd, "cli.toml"));
  const bound = await at.run("init --no-apps");
  strictEqual(bound.code, 0, bound.err);
  strictEqual(await Deno.readTextFile(outside), "theirs\n");
  ok((await Deno.lstat(join(at.cwd, ".cli", ".gitignore"))).isFile);
  strictEqual(await read(at, ".cli", ".gitignore"), "*\n");
});

Deno.test({
  name: "a folder that becomes a repository after init keeps its sign-in out of it",
  ignore: !hasGit,
  fn: async () => {
    await using at = await openHome();
    await signedIn(at);
    strictEqual((await at.run("init --no-apps")).code, 0);
    await git(at.cwd, "init", "-q", ".");
    await git(at.cwd, "add", ".");
    strictEqual(await git(at.cwd, "ls-files"), "cli.toml\n");
    strictEqual((await at.run("doctor")).code, 0);
  },
});

Deno.test("a .cli/.gitignore keeps its line ends, its bytes and its rules", async () => {
  await using at = await inRepository();
  const path = join(at.cwd, ".cli", ".gitignore");
  await Deno.mkdir(join(at.cwd, ".cli"), { mode: 0o700 });
  const after = async (present: number[]) => {
    await Deno.writeFile(path, new Uint8Array(present));
    const { code, err } = await at.run("init --no-apps --force");
    strictEqual(code, 0, err);
    return [...await Deno.readFile(path)];
  };
  const bytes = (text: string) => [...new TextEncoder().encode(text)];
  deepStrictEqual(await after(bytes("*")), bytes("*"));
  deepStrictEqual(await after(bytes("a")), bytes("a\n*\n"));
  deepStrictEqual(await after(bytes("*\r\n!b\r\n")), bytes("*\r\n!b\r\n*\r\n"));
  deepStrictEqual(await after([0xff, 0x0a]), [0xff, ...bytes("\n*\n")]);
});

Deno.test("a nested repository counts before the outer one", async () => {
  await using at = await inRepository();
  await makeRepository(join(at.cwd, "inner"));
  const inner = await at.run("init --no-apps --path inner --output json");
  deepStrictEqual(inner.json().git, { repository: join(at.cwd, "inner"), ignored: true });
});

Deno.test({
  name: "a sign-in is not written to a file that git tracks",
  ignore: !hasGit,
  fn: async () => {
    await using at = await inRepository();
    await Deno.mkdir(join(at.cwd, ".cli"), { mode: 0o700 });
    await Deno.writeTextFile(join(at.cwd, ".cli", "config.json"), "{}", { mode: 0o600 });
    await git(at.cwd, "add", "-f", ".cli/config.json");
    const tracked = await at.run("init --no-apps --force");
    strictEqual(tracked.code, 1);
    match(tracked.err, /git tracks it\nRemove it from the repository: git rm --cached /);
    deepStrictEqual(at.sent, []);
  },
});

Deno.test("without git, a folder whose index is in doubt needs git or no sign-in", async () => {
  await using at = await openHome();
  await signedIn(at);
  await Deno.mkdir(join(at.cwd, ".git"));
  await Deno.writeTextFile(join(at.cwd, ".git", "HEAD"), "ref: refs/heads/main\n");
  await Deno.writeTextFile(join(at.cwd, ".git", "index"), "no index");
  const path = Deno.env.get("PATH") ?? "";
  Deno.env.set("PATH", at.cwd);
  const unsure = await at.run("init --no-apps").finally(() => Deno.env.set("PATH", path));
  strictEqual(unsure.code, 1);
  match(unsure.err, /but git is not installed here\nInstall git; or bind the folder without /);
});

Deno.test("a sign-in is not written where git's index cannot be read", async () => {
  await using at = await openHome();
  await signedIn(at);
  at.sent.length = 0;
  await Deno.writeTextFile(join(at.cwd, ".git"), "gitdir: nowhere\n");
  const unsure = await at.run("init --no-apps");
  strictEqual(unsure.code, 1);
  match(
    unsure.err,
    /Cannot write a sign-in to ".*": git may track it, but git .*\nSee why: git -C /,
  );
  deepStrictEqual(at.sent, []);
  strictEqual((await at.run("init --no-apps --no-local-creds")).code, 0);
});
