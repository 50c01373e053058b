import { deepEqual, equal, match, ok } from "node:assert/strict";
import { delimiter, join, resolve } from "node:path";
import { DENO_VERSION, ROOT } from "../../scripts/package/flags.ts";
import { programOf, shellLauncher } from "../../scripts/package/launcher.ts";
import { ToolError } from "../../scripts/package/program.ts";
import { VERSION } from "../../lib/version.ts";
import { makeHostileFolder } from "./hostile_folder.ts";
import { bundling, launch, machineIn, name, windows, withFolder } from "./machine.ts";

/** The command that installs. */
const INSTALL = `npx -y deno@${DENO_VERSION} task install`;

Deno.test({
  name: "a linked cli ignores all files of a hostile folder",
  ignore: windows,
  fn: () =>
    withFolder(async (base) => {
      const { run } = await machineIn(join(base, "home"), { clone: resolve(ROOT) });
      equal(await run("--linked", "--to", join(base, "bin")), 0);
      const hostile = await makeHostileFolder(base);
      const path = [hostile.programs, "/usr/bin", "/bin"].join(delimiter);
      const cli = (...words: string[]) =>
        launch(join(base, "bin", "cli"), words, hostile.path, path);
      const version = await cli("--version");
      match(version.out, /^cli \d/, version.err);
      match((await cli("offerings", "--help")).out, /set-current/);
      const doctor = await cli("doctor", "--output", "json");
      match(doctor.out + doctor.err, /127\.0\.0\.1:4010/);
      deepEqual(await hostile.heeded(), []);
    }),
});

Deno.test({
  name: "a bundled cli ignores all files of a hostile folder, and has its own packages",
  ignore: windows,
  fn: () =>
    withFolder(async (base) => {
      const program = `import { name } from "kysely"; console.log(name, ...Deno.args);`;
      const home = join(base, "it's a home");
      const { run } = await machineIn(home, { bundle: bundling(program) });
      equal(await run("--to", join(base, "bin")), 0);
      const hostile = await makeHostileFolder(base);
      const path = [hostile.programs, "/usr/bin", "/bin"].join(delimiter);
      const { out, err } = await launch(join(base, "bin", "cli"), ["a b"], hostile.path, path);
      deepEqual([out, err], ["our own a b\n", ""]);
      deepEqual(await hostile.heeded(), []);
    }),
});

Deno.test({
  name: "the hostile folder of these tests affects programs that read it",
  ignore: windows,
  fn: () =>
    withFolder(async (base) => {
      const hostile = await makeHostileFolder(base);
      await new Deno.Command(Deno.execPath(), { args: ["task", "cli"], cwd: hostile.path })
        .output();
      const run = ["run", "--quiet", "--allow-write", "cli.ts"];
      await new Deno.Command(Deno.execPath(), { args: run, cwd: hostile.path }).output();
      await new Deno.Command("sh", {
        args: ["-c", `PATH=${hostile.programs}; deno; node; env`],
      }).output();
      const heeded = await hostile.heeded();
      for (const file of ["deno.json task", "deno.json import", "cli.ts", "deno", "node"]) {
        ok(heeded.includes(file), `${file}: ${heeded}`);
      }
    }),
});

Deno.test("install prints its result, and --remove leaves nothing", () =>
  withFolder(async (home) => {
    const { run, first, second, said, warned, shown, machine: { clone } } = await machineIn(home);
    equal(await run("--to", second), 0);
    const path = join(second, name);
    if (!windows) equal(((await Deno.stat(path)).mode ?? 0) & 0o700, 0o700);
    deepEqual(said, [
      `Installed ${path}, which runs cli ${VERSION}, bundled from ${clone}`,
      `To update it after git pull, run in ${clone}: ${INSTALL} --to ${second}`,
      `To remove it, run in ${clone}: ${INSTALL} --remove`,
    ]);
    deepEqual([warned, shown], [[], ["Bundling the program..."]]);
    equal(await run("--to", second), 0);
    equal(await run("--remove"), 0);
    equal(said.at(-1), `Removed ${path}`);
    for (const folder of [first, second]) deepEqual([...Deno.readDirSync(folder)], []);
    deepEqual([...Deno.readDirSync(clone)].map(({ name }) => name), ["deno.json"]);
    equal(await run("--remove"), 1);
    match(warned.at(-1) ?? "", /^Cannot remove cli: no folder on PATH has a launcher/);
  }));

Deno.test("install --linked needs no bundler, and its launcher runs the clone's own files", () =>
  withFolder(async (home) => {
    let prepared = 0;
    const { run, first, said, shown, machine: { clone } } = await machineIn(home, {
      bundle: () => Promise.reject(new Error("the bundler was started")),
      prepare: () => Promise.resolve(void prepared++),
    });
    equal(await run("--linked", "--to", first), 0);
    const path = join(first, name);
    deepEqual([prepared, shown, said], [1, [], [
      `Installed ${path}, which runs ${join(clone, "cli.ts")}`,
      `To remove it, run in ${clone}: ${INSTALL} --remove`,
    ]]);
    equal(programOf(await Deno.readTextFile(path)), undefined);
    equal(await run("--remove"), 0);
    deepEqual([...Deno.readDirSync(first)], []);
    deepEqual([...Deno.readDirSync(clone)].map(({ name }) => name), ["deno.json"]);
  }));

Deno.test("without a bundler install changes nothing, and names the command with --linked", () =>
  withFolder(async (home) => {
    const { run, machine, warned, said, programs } = await machineIn(home);
    const folder = join(home, "my tools");
    equal(await run("--to", folder), 0);
    const [before, kept] = [await Deno.readTextFile(join(folder, name)), programs()];
    said.length = warned.length = 0;
    machine.bundle = async (made) => {
      await Deno.writeTextFile(join(made, "half"), "");
      const reason = "Failed caching npm package 'esbuild@1'\n    0: client error (Connect)";
      throw new ToolError("deno run", `Warning\nerror: ${reason}\n\nStack backtrace:\n  0: x\n`);
    };
    equal(await run("--to", folder), 1);
    deepEqual(said, []);
    const place = JSON.stringify(join(machine.clone, "dist", "installed"));
    const where = windows ? `"${folder}"` : `'${folder}'`;
    deepEqual(warned, [
      `Cannot bundle the program in ${place}: Failed caching npm package 'esbuild@1'\n` +
      "    0: client error (Connect)\n" +
      `To run the clone's own files instead, which needs no bundler: ${INSTALL} --linked --to ${where}`,
    ]);
    equal(await Deno.readTextFile(join(folder, name)), before);
    deepEqual(programs(), kept);
    const { reason } = new ToolError(
      "deno run",
      "error: Uncaught (in promise) Error: Why\n    at f\n",
    );
    equal(reason, "Why");
    const code = "\n  if (foreign) throw new Error(why);\n                     ^\n    at f\n";
    equal(new ToolError("deno run", `error: Uncaught Error: Why${code}`).reason, "Why");
    equal(new ToolError("deno run", "no such word\n").reason, "no such word");
  }));

Deno.test("install replaces and removes a launcher of the version before", () =>
  withFolder(async (home) => {
    const { run, first, machine: { clone } } = await machineIn(home);
    const path = join(first, name);
    const before = windows
      ? `@echo off\r\nrem A launcher of cli, written by \`deno task install\` in ${clone}\r\n`
      : `#!/bin/sh
# A launcher of cli, written by \`deno task install\` in ${clone}
# Delete this file to remove it.
deno='/d'
clone='${clone}'
if [ ! -x "$deno" ] || [ ! -f "$clone/scripts/package/start.sh" ]; then
  printf 'Cannot start cli: "%s" or "%s" is no longer there\\n' "$deno" "$clone" >&2
  echo 'In a clone of the repository, run: ${INSTALL}' >&2
  exit 1
fi
. "$clone/scripts/package/start.sh"
`;
    // The clone's own start.sh still suits it.
    if (!windows) equal(shellLauncher({ deno: "/d", clone }), before);
    await Deno.writeTextFile(path, before);
    equal(await run("--remove"), 0);
    await Deno.writeTextFile(path, before);
    equal(await run("--to", first), 0);
    ok(programOf(await Deno.readTextFile(path)));
  }));

Deno.test("install warns about another cli earlier on PATH, and about a folder outside of PATH", () =>
  withFolder(async (home) => {
    const { run, first, second, warned } = await machineIn(home);
    await Deno.writeTextFile(join(first, name), "echo another", { mode: 0o755 });
    equal(await run("--to", second), 0);
    const other = join(first, name);
    deepEqual(warned, [`Warning: "cli" runs ${other}, which comes first on PATH`]);
    warned.length = 0;
    equal(await run("--to", "off"), 0);
    deepEqual(warned.slice(0, -1), [
      `Warning: ${join(home, "off")} is not on PATH, and "cli" runs ${other}. ` +
      "To add it in this terminal, run:",
    ]);
    equal(await run("--remove", "--to", "off"), 0);
  }));

Deno.test({
  name: "install quotes a folder with spaces, and --remove removes the folders that it created",
  ignore: windows,
  fn: () =>
    withFolder(async (home) => {
      const { run, said, warned } = await machineIn(home);
      const folder = join(home, "my tools", "it's here");
      equal(await run("--to", folder), 0);
      ok(said.includes(`Created the folder ${join(home, "my tools")}`), said.join("\n"));
      const [, remove = ""] = / task install (--remove .*)$/.exec(said.at(-1) ?? "") ?? [];
      const print = async (line: string, words: string) => {
        const args = ["-c", `${line}\nprintf '%s|' ${words}`];
        return new TextDecoder().decode((await new Deno.Command("sh", { args }).output()).stdout);
      };
      equal(await print("", remove), `--remove|--to|${folder}|`);
      match(await print(warned.at(-1) ?? "", '"$PATH"'), new RegExp(`^${folder}:`));
      // A second installation keeps the first one's list of created folders.
      equal(await run("--to", folder), 0);
      equal(await run("--remove", "--to", folder), 0);
      deepEqual([...Deno.readDirSync(home)].map(({ name }) => name).sort(), [
        "clone",
        "first",
        "second",
      ]);
      equal(await run("--to", folder), 0);
      await Deno.writeTextFile(join(home, "my tools", "other"), "");
      equal(await run("--remove", "--to", folder), 0);
      deepEqual([...Deno.readDirSync(join(home, "my tools"))].map(({ name }) => name), ["other"]);
      const { first } = await machineIn(home);
      equal(await run("--to", first), 0);
      equal(await run("--remove"), 0);
      ok((await Deno.stat(first)).isDirectory);
    }),
});

Deno.test("install never overwrites another program, and removes none", () =>
  withFolder(async (home) => {
    const { run, first, warned } = await machineIn(home);
    const other = join(first, name);
    await Deno.writeTextFile(other, "echo another", { mode: 0o755 });
    equal(await run("--to", first), 1);
    match(warned.join("\n"), /Cannot write ".*": another program has this name\n.*--to FOLDER/);
    equal(await run("--remove", "--to", first), 1);
    await Deno.writeTextFile(other, shellLauncher({ deno: "/d", clone: "/another clone" }));
    equal(await run("--remove"), 1);
    ok((await Deno.stat(other)).isFile);
    equal(await run("--to", first), 0);
  }));

Deno.test("install --help prints its flags, and installs nothing", () =>
  withFolder(async (home) => {
    const bundle = () => Promise.reject(new Error("nothing was installed"));
    const { run, first, said, warned } = await machineIn(home, { bundle });
    for (const line of [["--help"], ["-h"], ["--to", first, "--help"]]) {
      said.length = 0;
      equal(await run(...line), 0);
      match(
        said.join("\n"),
        /^USAGE\n.* task install \[--to FOLDER\] \[--linked \| --remove\]\n\nFLAGS\n/m,
      );
      match(
        said.join("\n"),
        /^ {2}--remove .*; without --to, all launchers of this clone on PATH$/m,
      );
    }
    deepEqual([warned, [...Deno.readDirSync(first)]], [[], []]);
  }));

Deno.test("install says that the place for the launcher is not a folder", () =>
  withFolder(async (home) => {
    const { run, warned } = await machineIn(home);
    const file = join(home, "README.md");
    await Deno.writeTextFile(file, "");
    equal(await run("--to", file), 1);
    const again = `npx -y deno@${DENO_VERSION} task install --to FOLDER`;
    deepEqual(warned.splice(0), [
      `Cannot install cli into ${
        JSON.stringify(file)
      }: it is not a folder\nChoose a folder: ${again}`,
    ]);
    equal(await run("--remove", "--to", file), 1);
    match(warned.join("\n"), /^Cannot remove cli: ".*README\.md" has no launcher of "/);
  }));

Deno.test("install asks for the folder, and needs --to without a terminal", () =>
  withFolder(async (home) => {
    const { run, warned, first, second } = await machineIn(home);
    equal(await run(), 1);
    match(warned.join("\n"), /there is no terminal\nRun: .* --to /);
    for (const [answer, folder] of [["", first], ["2", second], ["own", join(home, "own")]]) {
      const { run, said } = await machineIn(home, { ask: () => answer ?? null });
      equal(await run(), 0);
      ok(said.join("\n").includes(`Installed ${join(folder ?? "", name)}, `), said.join("\n"));
    }
    const { run: choose, warned: refused } = await machineIn(home, { ask: () => "3" });
    equal(await choose(), 1);
    deepEqual(refused, ["Cannot install cli: there is no folder 3"]);
    equal(await run("--frobnicate"), 1);
    match(warned.at(-1) ?? "", /--frobnicate/);
    equal(await run("--linked", "--remove"), 1);
    match(warned.at(-1) ?? "", /--linked and --remove exclude each other\nRun: .*--remove\]$/);
  }));
