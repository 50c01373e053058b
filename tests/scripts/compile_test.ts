import { deepEqual, equal, match, ok, throws } from "node:assert/strict";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import {
  checksums,
  compileArguments,
  permissions,
  programName,
  TARGETS,
  wantedTargets,
} from "../../scripts/compile.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const denoJson = await Deno.readTextFile(join(root, "deno.json"));
const runtime = Deno.env.get("DENORT_BIN");

/** Runs deno with arguments, and returns its exit code and its output. */
async function deno(args: string[], env: Record<string, string> = {}) {
  const command = new Deno.Command(Deno.execPath(), { args, env: { NO_COLOR: "1", ...env } });
  const { code, stdout, stderr } = await command.output();
  const decoder = new TextDecoder();
  return { code, text: decoder.decode(stdout) + decoder.decode(stderr) };
}

/** Makes a temporary folder, hands it out, and removes it. */
async function withFolder(use: (folder: string) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir();
  try {
    await use(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

Deno.test("compile builds the machine's own target, a given one, or all five", () => {
  deepEqual(wantedTargets([], "aarch64-apple-darwin"), ["aarch64-apple-darwin"]);
  deepEqual(wantedTargets(["--target", "x86_64-pc-windows-msvc"]), ["x86_64-pc-windows-msvc"]);
  deepEqual(wantedTargets(["--target=x86_64-apple-darwin"]), ["x86_64-apple-darwin"]);
  deepEqual(wantedTargets(["--all"]), [...TARGETS]);
  equal(TARGETS.length, 5);
});

Deno.test("compile refuses an unknown target, and lists the known ones", () => {
  throws(() => wantedTargets(["--target", "vax"]), /"vax".*x86_64-unknown-linux-gnu/);
  throws(() => wantedTargets([], "riscv64gc-unknown-linux-gnu"), /riscv64gc/);
  throws(() => wantedTargets(["--all"], undefined, true), /DENORT_BIN/);
  throws(() => wantedTargets(["--everything"]), /--everything/);
});

Deno.test("programs are named after their targets, and only Windows has .exe", () => {
  equal(programName("x86_64-pc-windows-msvc"), "cli-x86_64-pc-windows-msvc.exe");
  equal(programName("aarch64-apple-darwin"), "cli-aarch64-apple-darwin");
});

Deno.test("a compiled program has the permissions of the task cli, its own opener and shell, and git", () => {
  for (const target of TARGETS) {
    const flags = permissions(denoJson, target);
    ok(flags.includes("--allow-net"), "net");
    ok(flags.some((flag) => /^--allow-env=.*CLI_\*/.test(flag)), "only named variables");
    // The prompts look at variables of terminals; refusing them would end the program.
    ok(flags.includes("--ignore-env"), "the others look unset");
    ok(flags.every((flag) => flag !== "--allow-all" && flag !== "--allow-run"), "nothing wide");
    const programs = flags.find((flag) => flag.startsWith("--allow-run")) ?? "";
    match(programs, /=((xdg-open|open),sh|rundll32,cmd),git$/);
    equal(programs.includes(",cmd,"), target.includes("windows"));
  }
  throws(() => permissions(`{"tasks":{}}`, "x86_64-apple-darwin"), /lists none/);
});

Deno.test("compile pins the lock file and leaves out packages that cli.ts does not load", () => {
  const args = compileArguments(denoJson, "aarch64-unknown-linux-gnu", "out");
  equal(args[0], "compile");
  for (const flag of ["--frozen", "--no-prompt", "--exclude-unused-npm"]) ok(args.includes(flag));
  ok(args.some((arg) => arg.startsWith("--v8-flags=")), "the heap's settings of the task cli");
  equal(args[args.indexOf("--target") + 1], "aarch64-unknown-linux-gnu");
  equal(args[args.indexOf("--output") + 1], "out");
  equal(args.at(-1), join(root, "cli.ts"));
});

Deno.test("checksums cover the programs and nothing else, in the order of their names", () =>
  withFolder(async (folder) => {
    const [first, second] = [programName("aarch64-apple-darwin"), programName(TARGETS[0])];
    await Deno.writeTextFile(join(folder, second), "abc");
    await Deno.writeTextFile(join(folder, first), "");
    await Deno.writeTextFile(join(folder, "notes.txt"), "abc");
    equal(
      await checksums(folder),
      `e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855  ${first}\n` +
        `ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad  ${second}\n`,
    );
  }));

Deno.test("the compile task prints the error and exits non-zero", {
  ignore: !Deno.env.has("LONG_TESTS"),
}, async () => {
  const config = join(root, "deno.json");
  const refused = await deno(["task", "--config", config, "compile", "--target", "vax"]);
  equal(refused.code, 2);
  match(refused.text, /Cannot compile for "vax"/);
  const nowhere = { DENORT_BIN: join(root, "no-such-runtime") };
  const failed = await deno(["task", "--config", config, "compile"], nowhere);
  equal(failed.code, 1);
  match(failed.text, /Cannot compile for .*\n.*DENORT_BIN/);
});

// Any ELF file works as the runtime for inspecting the result, which cannot run.
Deno.test({
  name: "a program contains its lazy modules, and neither tests nor their packages",
  ignore: Deno.build.os !== "linux",
  fn: () =>
    withFolder(async (folder) => {
      const args = compileArguments(denoJson, wantedTargets([])[0] ?? TARGETS[0], folder + "/cli");
      const listing = args.filter((word) => word !== "--quiet");
      const { code, text } = await deno(listing, { DENORT_BIN: Deno.execPath() });
      equal(code, 0, text);
      for (const part of ["cli.ts", "service", "smol-toml", "prompts", "stricli"]) {
        ok(text.includes(part), `${part} is missing from:\n${text}`);
      }
      for (const part of ["_test.ts", "ajv", "playwright", "chromium"]) {
        ok(!text.includes(part), `${part} is in:\n${text}`);
      }
    }),
});

Deno.test({
  name: runtime
    ? "a compiled program runs and tells its version"
    : "a compiled program runs (skipped: DENORT_BIN names no runtime to compile with)",
  ignore: !runtime || Deno.build.os === "windows",
  fn: () =>
    withFolder(async (folder) => {
      const program = join(folder, "cli");
      const args = compileArguments(denoJson, wantedTargets([])[0] ?? TARGETS[0], program);
      equal((await deno(args)).code, 0);
      // Tests may run deno and sh, so sh runs the program.
      const words = ["-c", '"$0" --version', program];
      const { success, stdout } = await new Deno.Command("sh", { args: words }).output();
      ok(success);
      match(new TextDecoder().decode(stdout), /\d+\.\d+\.\d+/);
    }),
});
