import { deepEqual, equal, match, ok } from "node:assert/strict";
import { delimiter, join, resolve } from "node:path";
import { DENO_VERSION, ROOT, taskFlags } from "../../scripts/package/flags.ts";
import { type Machine, main } from "../../scripts/package/install.ts";
import { batchLauncher, cloneOf, shellLauncher } from "../../scripts/package/launcher.ts";
import { cacheFolder } from "../support/cache_folder.ts";
import { ended } from "../support/ended.ts";
import { makeHostileFolder } from "./hostile_folder.ts";

const windows = Deno.build.os === "windows";
const name = windows ? "cli.cmd" : "cli";
const denoJson = await Deno.readTextFile(join(ROOT, "deno.json"));

/** Makes a temporary folder, hands it out, and removes it. */
async function withFolder(use: (folder: string) => Promise<void>): Promise<void> {
  const folder = await Deno.realPath(await Deno.makeTempDir());
  try {
    await use(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** A person's machine, with two folders on PATH in their own. */
async function machineIn(home: string, over: Partial<Machine> = {}) {
  const [first, second] = [join(home, "first"), join(home, "second")];
  for (const folder of [first, second]) await Deno.mkdir(folder, { recursive: true });
  const said: string[] = [];
  const warned: string[] = [];
  const machine: Machine = {
    path: [join(home, "node_modules", ".bin"), "relative", first, second].join(delimiter),
    home,
    cwd: home,
    deno: Deno.execPath(),
    clone: resolve(ROOT),
    ask: undefined,
    say: (line) => void said.push(line),
    warn: (line) => void warned.push(line),
    prepare: () => Promise.resolve(),
    ...over,
  };
  const run = (...args: string[]) => main(args, machine);
  return { machine, run, first, second, said, warned };
}

/** Runs a launcher in a folder, with nothing but a search path and Deno's cache in its variables. */
async function launch(launcher: string, words: string[], cwd: string, path: string) {
  const command = new Deno.Command("sh", {
    // Tests may run the `sh` of their own search path; the shell resolves programs of the other
    // one.
    args: ["-c", 'PATH=$0; export PATH; exec "$@"', path, launcher, ...words],
    cwd,
    clearEnv: true,
    env: {
      PATH: Deno.env.get("PATH") ?? "",
      HOME: "/nonexistent",
      DENO_DIR: await cacheFolder(),
      NO_COLOR: "1",
      INIT_CWD: "/",
    },
  });
  return await ended(command);
}

Deno.test({
  name: "an installed cli ignores all files of a hostile folder",
  ignore: windows,
  fn: () =>
    withFolder(async (base) => {
      const { run } = await machineIn(join(base, "home"));
      equal(await run("--to", join(base, "bin")), 0);
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

Deno.test("an installed cli starts with the flags of the task cli", async () => {
  const script = await Deno.readTextFile(join(ROOT, "scripts/package/start.sh"));
  const command = script.slice(script.indexOf("exec ")).replaceAll("\\\n", " ");
  const words = command.trim().split(/\s+/).map((word) => word.replaceAll(/['"]/g, ""));
  const given = words.filter((word) => word.startsWith("--"));
  deepEqual(given, ["--config", "--lock", ...taskFlags(denoJson)]);
  ok(given.includes("--frozen"));
  const batch = batchLauncher({ deno: "C:\\d.exe", clone: "C:\\c" }, denoJson).replaceAll('"', "");
  deepEqual(batch.match(/ --\S+/g)?.map((word) => word.slice(1)), given);
});

Deno.test({
  name: "a launcher starts its program at any path",
  ignore: windows,
  fn: () =>
    withFolder(async (base) => {
      const clone = join(base, `it's $(touch trace) \`a\` "clone" %PATH% \\`);
      await Deno.mkdir(join(clone, "scripts", "package"), { recursive: true });
      const start = join("scripts", "package", "start.sh");
      await Deno.copyFile(join(ROOT, start), join(clone, start));
      const deno = join(clone, "deno");
      await Deno.writeTextFile(deno, `#!/bin/sh\nprintf '<%s>' "$@"\n`, { mode: 0o755 });
      const launcher = join(base, "cli");
      await Deno.writeTextFile(launcher, shellLauncher({ deno, clone }), { mode: 0o755 });
      equal(cloneOf(await Deno.readTextFile(launcher)), clone);
      const { out, err } = await launch(launcher, ["a b", "", "*", "$HOME", "'"], base, "/bin");
      equal(err, "");
      ok(out.startsWith(`<run><--config><${clone}/deno.json><--lock><${clone}/deno.lock>`), out);
      ok(out.endsWith(`<${clone}/cli.ts><a b><><*><$HOME><'>`), out);
      const homeless = await launch("env", [`HOME=${launcher}`, launcher], base, "/usr/bin:/bin");
      deepEqual([homeless.code, homeless.out], [1, ""]);
      equal(
        homeless.err,
        `Cannot start cli: HOME is "${launcher}", which is not a folder\n` +
          "Set HOME to your home folder.\n",
      );
      await Deno.remove(deno);
      const gone = await launch(launcher, [], base, "/bin");
      equal(gone.code, 1);
      match(gone.err, /^Cannot start cli: .* is no longer there\n.*task install\n$/);
    }),
});

Deno.test("a launcher for Windows quotes its paths and doubles percent signs", () => {
  const clone = "C:\\My clone\\100%";
  const text = batchLauncher({ deno: "C:\\Deno 2\\deno.exe", clone }, denoJson);
  ok(text.split("\n").slice(0, -1).every((line) => line.endsWith("\r")));
  match(text, /^"C:\\Deno 2\\deno\.exe" run --config "C:\\My clone\\100%%\\deno\.json" --lock /m);
  match(text, / "C:\\My clone\\100%%\\cli\.ts" %\*\r\n$/);
  match(text, / "--allow-env=CLI_\*,/);
  equal(cloneOf(text), clone);
});

Deno.test("install prints its result, and --remove leaves nothing", () =>
  withFolder(async (home) => {
    const { run, first, second, said, warned } = await machineIn(home);
    equal(await run("--to", second), 0);
    const path = join(second, name);
    if (!windows) equal(((await Deno.stat(path)).mode ?? 0) & 0o700, 0o700);
    deepEqual(said, [
      `Installed ${path}, which runs ${join(resolve(ROOT), "cli.ts")}`,
      `To remove it, run in ${resolve(ROOT)}: npx -y deno@${DENO_VERSION} task install --remove`,
    ]);
    deepEqual(warned, []);
    equal(await run("--to", second), 0);
    equal(await run("--remove"), 0);
    equal(said.at(-1), `Removed ${path}`);
    for (const folder of [first, second]) deepEqual([...Deno.readDirSync(folder)], []);
    equal(await run("--remove"), 1);
    match(warned.at(-1) ?? "", /^Cannot remove cli: no folder on PATH has a launcher/);
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
      deepEqual([...Deno.readDirSync(home)].map(({ name }) => name).sort(), ["first", "second"]);
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
    const prepare = () => Promise.reject(new Error("nothing was installed"));
    const { run, first, said, warned } = await machineIn(home, { prepare });
    for (const line of [["--help"], ["-h"], ["--to", first, "--help"]]) {
      said.length = 0;
      equal(await run(...line), 0);
      match(said.join("\n"), /^USAGE\n.* task install \[--to FOLDER\] \[--remove\]\n\nFLAGS\n/m);
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
  }));

Deno.test("shellcheck, if installed, accepts the shell scripts", () =>
  withFolder(async (folder) => {
    const launcher = join(folder, "cli");
    await Deno.writeTextFile(launcher, shellLauncher({ deno: "/d", clone: "/c" }));
    const check = 'command -v shellcheck >/dev/null || exit 127; exec shellcheck "$@"';
    const scripts = [launcher, join(ROOT, "scripts/package/start.sh")];
    const args = ["-c", check, "sh", "--exclude=SC1091,SC2034", ...scripts];
    const { code, stdout } = await new Deno.Command("sh", { args }).output();
    if (code === 127) console.warn("Skipped: shellcheck is not installed");
    else equal(code, 0, new TextDecoder().decode(stdout));
  }));
