import { deepEqual, equal, match, ok, rejects } from "node:assert/strict";
import { basename, join } from "node:path";
import { ROOT } from "../../scripts/package/flags.ts";
import { programsOf, storeProgram } from "../../scripts/package/installed_programs.ts";
import { programOf } from "../../scripts/package/launcher.ts";
import { bundling, machineIn, name, type Tried, withFolder } from "./machine.ts";

/** Installs a program with this text into a folder. Returns the program's folder. */
async function install({ run, machine }: Tried, folder: string, text: string): Promise<string> {
  machine.bundle = bundling(text);
  equal(await run("--to", folder), 0);
  return await programIn(folder);
}

/** The folder of the program of the launcher in a folder. */
async function programIn(folder: string): Promise<string> {
  return programOf(await Deno.readTextFile(join(folder, name))) ?? "";
}

/** Makes a file or a folder as old as that. */
async function age(path: string, minutes: number): Promise<void> {
  const then = new Date(Date.now() - minutes * 60_000);
  await Deno.utime(path, then, then);
}

/** Whether a path exists. */
async function exists(path: string): Promise<boolean> {
  return await Deno.stat(path).then(() => true, () => false);
}

Deno.test("an installed program keeps its folder while others are installed", () =>
  withFolder(async (home) => {
    const tried = await machineIn(home);
    const { first, programs } = tried;
    const made: string[] = [];
    for (const [i, text] of ["a", "b", "c", "a", "d"].entries()) {
      const program = await install(tried, first, text);
      equal(await Deno.readTextFile(join(program, "program", "cli.js")), text);
      await age(program, 100 - i);
      made.push(program);
    }
    // The same program has the same folder, and counts as new again.
    const [a, b, c = "", again, d = ""] = made;
    equal(again, a);
    deepEqual(
      programs().map((name) => join(programsOf(tried.machine.clone), name)),
      [a, c, d].sort(),
    );
    ok(!await exists(b ?? ""));
  }));

Deno.test("the program of a launcher that is not on PATH stays until that is removed", () =>
  withFolder(async (home) => {
    const tried = await machineIn(home);
    const { first, second, programs, run, machine } = tried;
    const off = join(home, "off");
    const used = await install(tried, off, "used");
    await age(used, 1000);
    for (const [i, text] of ["a", "b", "c", "d"].entries()) {
      await age(await install(tried, first, text), 100 - i);
    }
    ok(await exists(used));
    equal(programs().length, 4);
    // A launcher that somebody has moved is found on PATH.
    await Deno.rename(join(off, name), join(second, name));
    await install(tried, first, "e");
    ok(await exists(used));
    equal(await run("--remove", "--to", first), 0);
    ok(await exists(used));
    // A launcher of a clone's own files needs none of them.
    equal(await run("--linked", "--to", first), 0);
    equal(await run("--remove", "--to", second), 0);
    ok(!await exists(join(machine.clone, "dist")));
  }));

/** A bundled program that runs the command line of this clone. */
const OURS = `import { start } from "${new URL("../../lib/cli/main.ts", import.meta.url)}";
Deno.exit(await start(Deno));`;

/** Starts a program of this text with a command that waits for its input. */
function startLasting(program: string): Deno.ChildProcess {
  const config = ["--config", join(ROOT, "deno.json"), "--quiet", "--no-prompt"];
  const main = join(program, "program", "cli.js");
  const words = ["offerings", "create", "--file", "-"];
  return new Deno.Command(Deno.execPath(), {
    args: ["run", ...config, "--ignore-env", "--allow-read", "--allow-sys", main, ...words],
    stdin: "piped",
    stdout: "null",
    stderr: "inherit",
  }).spawn();
}

/** Waits until a process has locked the main file of a program. */
async function heldBy(child: Deno.ChildProcess, program: string): Promise<void> {
  let hasEnded = false;
  child.status.then(() => hasEnded = true);
  for (let left = 2000; left > 0 && !hasEnded; left--) {
    using file = await Deno.open(join(program, "program", "cli.js"));
    if (!await file.tryLock(true)) return;
    await file.unlock();
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error("the process holds nothing");
}

Deno.test("a program stays while a process runs from it", () =>
  withFolder(async (home) => {
    const tried = await machineIn(home);
    const { first, programs, said, run, machine: { clone } } = tried;
    const program = await install(tried, first, OURS);
    await age(program, 1000);
    const child = startLasting(program);
    try {
      await heldBy(child, program);
      for (const [i, text] of ["a", "b", "c", "d"].entries()) {
        await age(await install(tried, first, text), 100 - i);
      }
      equal(programs().length, 4);
      ok(programs().includes(basename(program)));
      equal(await run("--remove"), 0);
      deepEqual(programs(), [basename(program)]);
      equal(
        said.at(-1),
        `The program in ${program} stays: a process still runs from it. ` +
          "To remove it later, run this again",
      );
      equal(await Deno.readTextFile(join(program, "program", "cli.js")), OURS);
    } finally {
      // However a process ends, it holds nothing then.
      child.kill("SIGKILL");
      await child.status;
      await child.stdin.close().catch(() => {});
    }
    equal(await run("--remove"), 0);
    equal(said.at(-1), `Removed ${program}, which no launcher started`);
    ok(!await exists(join(clone, "dist")));
  }));

Deno.test("a launcher that could not be written keeps no program", () =>
  withFolder(async (home) => {
    const tried = await machineIn(home);
    const { first, programs, run, warned, machine: { clone } } = tried;
    const file = join(home, "file");
    await Deno.writeTextFile(file, "");
    equal(await run("--to", join(file, "folder")), 1);
    match(warned.at(-1) ?? "", /^Cannot write ".*folder.*\nChoose another folder/);
    const list = join(programsOf(clone), "launchers");
    ok(!await exists(list));
    await Deno.writeTextFile(list, `${join(file, "folder", name)}\n`);
    for (const [i, text] of ["a", "b", "c", "d"].entries()) {
      await age(await install(tried, first, text), 100 - i);
    }
    equal(programs().length, 3);
    equal(await run("--remove"), 0);
    ok(!await exists(join(clone, "dist")));
  }));

Deno.test("a launcher that cannot be noted is not written", () =>
  withFolder(async (home) => {
    const { first, run, warned, machine: { clone } } = await machineIn(home);
    await Deno.mkdir(join(programsOf(clone), "launchers"), { recursive: true });
    equal(await run("--to", first), 1);
    match(warned.at(-1) ?? "", /^Cannot bundle the program in ".*installed": .*\n.*--linked/);
    deepEqual([...Deno.readDirSync(first)], []);
  }));

Deno.test("--remove removes the programs of launchers that somebody has deleted", () =>
  withFolder(async (home) => {
    const tried = await machineIn(home);
    const { first, run, said, machine } = tried;
    const program = await install(tried, first, "text");
    await Deno.remove(join(first, name));
    equal(await run("--remove"), 0);
    equal(said.at(-1), `Removed ${program}, which no launcher started`);
    ok(!await exists(join(machine.clone, "dist")));
  }));

Deno.test("no program is removed while a launcher cannot be read", () =>
  withFolder(async (home) => {
    const tried = await machineIn(home);
    const { first, second, programs, run } = tried;
    await install(tried, second, "lost");
    await Deno.remove(join(second, name));
    await Deno.mkdir(join(second, name));
    for (const [i, text] of ["a", "b", "c", "d"].entries()) {
      await age(await install(tried, first, text), 100 - i);
    }
    equal(programs().length, 5);
    equal(await run("--remove"), 0);
    equal(programs().length, 5);
  }));

Deno.test("what somebody else has put beside the programs stays, and so do links to their folder", () =>
  withFolder(async (home) => {
    const tried = await machineIn(home);
    const { first, run, machine: { clone } } = tried;
    const [own, dist] = [join(home, "own"), join(clone, "dist")];
    await Deno.mkdir(own);
    for (const link of [dist, programsOf(clone)]) {
      const programs = link === dist ? join(own, "installed") : own;
      const others = [".git", "a", "b", "c", "d"].map((name) => join(programs, name));
      for (const path of others) {
        await Deno.mkdir(path, { recursive: true });
        await age(path, 100_000);
      }
      if (link !== dist) await Deno.mkdir(dist);
      await Deno.symlink(own, link);
      await install(tried, first, "text");
      equal(await run("--remove"), 0);
      deepEqual(
        [...Deno.readDirSync(programs)].map(({ name }) => join(programs, name)).sort(),
        others,
      );
      ok((await Deno.lstat(link)).isSymlink);
      await Deno.remove(link);
      await Deno.remove(own, { recursive: true });
      await Deno.mkdir(own);
    }
  }));

Deno.test("two installations of the same program at the same time both succeed", () =>
  withFolder(async (clone) => {
    const ready = Promise.withResolvers<void>();
    let waiting = 0;
    const bundle = async (folder: string) => {
      await Deno.mkdir(join(folder, "program"));
      await Deno.writeTextFile(join(folder, "program", "cli.js"), "text");
      if (++waiting === 8) ready.resolve();
      await ready.promise;
    };
    const made = await Promise.all(Array.from({ length: 8 }, () => storeProgram(clone, bundle)));
    equal(new Set(made).size, 1);
    equal(await Deno.readTextFile(join(made[0] ?? "", "program", "cli.js")), "text");
    equal([...Deno.readDirSync(programsOf(clone))].length, 1);
  }));

Deno.test("an installation that was interrupted leaves nothing that counts as a program", () =>
  withFolder(async (home) => {
    const tried = await machineIn(home);
    const { first, programs, machine: { clone } } = tried;
    const [old, recent] = [1, 2].map(() => join(programsOf(clone), `.${crypto.randomUUID()}`));
    for (const draft of [old ?? "", recent ?? ""]) {
      await Deno.mkdir(join(draft, "made", "program"), { recursive: true });
      await Deno.writeTextFile(join(draft, "made", "program", "cli.js"), "half");
    }
    await age(old ?? "", 61);
    const program = await install(tried, first, "whole");
    // The recent one may belong to an installation that still runs.
    deepEqual(programs().map((name) => join(programsOf(clone), name)), [recent, program].sort());
    equal(await Deno.readTextFile(join(program, "program", "cli.js")), "whole");
  }));

Deno.test("an installation replaces a program that has lost or changed files", () =>
  withFolder(async (home) => {
    const tried = await machineIn(home);
    const { first, programs } = tried;
    const program = await install(tried, first, "text");
    const file = join(program, "program", "cli.js");
    for (
      const damage of [
        () => Deno.remove(file),
        () => Deno.writeTextFile(file, ""),
        () => Deno.remove(program, { recursive: true }),
        () => Deno.writeTextFile(join(program, "more"), ""),
      ]
    ) {
      await damage();
      equal(await install(tried, first, "text"), program);
      equal(await Deno.readTextFile(file), "text");
      equal(programs().length, 1);
    }
    ok(!await exists(join(program, "more")));
  }));

Deno.test("a program is stored only when it is complete", () =>
  withFolder(async (clone) => {
    const half = async (folder: string, work: string) => {
      await Deno.writeTextFile(join(work, "cli.ts"), "");
      await Deno.writeTextFile(join(folder, "half"), "");
      throw new Error("no more");
    };
    await rejects(() => storeProgram(clone, half), /no more/);
    deepEqual([...Deno.readDirSync(programsOf(clone))], []);
  }));
