import { deepEqual, equal, match, ok } from "node:assert/strict";
import { dirname, join } from "node:path";
import { bundleFlags, DENO_VERSION, ROOT, taskFlags } from "../../scripts/package/flags.ts";
import { startScript } from "../../scripts/package/complete_program.ts";
import {
  batchLauncher,
  cloneOf,
  programOf,
  shellLauncher,
} from "../../scripts/package/launcher.ts";
import { denoJson, launch, script, windows, withFolder } from "./machine.ts";

Deno.test("an installed cli starts with the flags of the task cli", () => {
  const flagsIn = (script: string) => {
    const command = script.slice(script.indexOf("exec ")).replaceAll("\\\n", " ");
    const words = command.trim().split(/\s+/).map((word) => word.replaceAll(/['"]/g, ""));
    return words.filter((word) => word.startsWith("--"));
  };
  const linked = ["--config", "--lock", ...taskFlags(denoJson)];
  deepEqual(flagsIn(script), linked);
  ok(linked.includes("--frozen"));
  const bundled = ["--config", ...bundleFlags(denoJson)];
  deepEqual(flagsIn(startScript(script, denoJson)), bundled);
  deepEqual(bundled.slice(1, 3), ["--node-modules-dir=manual", "--no-lock"]);
  deepEqual(bundled.slice(3), taskFlags(denoJson).filter((flag) => flag !== "--frozen"));
  for (const [program, flags] of [[undefined, linked], ["C:\\p", bundled]] as const) {
    const batch = batchLauncher({ deno: "C:\\d.exe", clone: "C:\\c", program }, denoJson);
    const given = batch.replaceAll('"', "").match(/ --\S+/g)?.map((word) => word.slice(1));
    deepEqual(given, flags);
  }
});

Deno.test({
  name: "a launcher starts its program at any path",
  ignore: windows,
  fn: () =>
    withFolder(async (base) => {
      const clone = join(base, `it's $(touch trace) \`a\` "clone" %PATH% \\`);
      const program = join(clone, "dist", "1");
      const deno = join(clone, "deno");
      for (
        const [path, text] of [
          [join(clone, "scripts", "package", "start.sh"), script],
          [join(program, "start.sh"), startScript(script, denoJson)],
          [join(program, "program", "cli.js"), ""],
          [deno, `#!/bin/sh\nprintf '<%s>' "$@"\n`],
        ] as const
      ) {
        await Deno.mkdir(dirname(path), { recursive: true });
        await Deno.writeTextFile(path, text, { mode: 0o755 });
      }
      const linked = [`${clone}/deno.json><--lock><${clone}/deno.lock`, `${clone}/cli.ts`] as const;
      const bundled = [`${program}/deno.json`, `${program}/program/cli.js`] as const;
      for (const [kind, [config, file]] of [[{}, linked], [{ program }, bundled]] as const) {
        const launcher = join(base, "cli");
        await Deno.writeTextFile(launcher, shellLauncher({ deno, clone, ...kind }), {
          mode: 0o755,
        });
        equal(cloneOf(await Deno.readTextFile(launcher)), clone);
        const { out, err } = await launch(launcher, ["a b", "", "*", "$HOME", "'"], base, "/bin");
        equal(err, "");
        ok(out.startsWith(`<run><--config><${config}><--`), out);
        ok(out.endsWith(`<${file}><a b><><*><$HOME><'>`), out);
        const homeless = await launch("env", [`HOME=${launcher}`, launcher], base, "/usr/bin:/bin");
        deepEqual([homeless.code, homeless.out], [1, ""]);
        equal(
          homeless.err,
          `Cannot start cli: HOME is "${launcher}", which is not a folder\n` +
            "Set HOME to your home folder.\n",
        );
        await Deno.rename(deno, `${deno} 2`);
        const gone = await launch(launcher, [], base, "/bin");
        equal(gone.code, 1);
        match(gone.err, /^Cannot start cli: .* is no longer there\n.*task install\n$/);
        await Deno.rename(`${deno} 2`, deno);
      }
      for (const part of [join(program, "program", "cli.js"), program]) {
        await Deno.remove(part, { recursive: true });
        const gone = await launch(join(base, "cli"), [], base, "/bin");
        deepEqual([gone.code, gone.out], [1, ""]);
        equal(
          gone.err,
          `Cannot start cli: "${deno}" or "${program}" is no longer there\n` +
            `In a clone of the repository, run: npx -y deno@${DENO_VERSION} task install\n`,
        );
      }
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
  const program = `${clone}\\dist\\1`;
  const bundled = batchLauncher({ deno: "C:\\Deno 2\\deno.exe", clone, program }, denoJson);
  match(
    bundled,
    /^"C:\\Deno 2\\deno\.exe" run --config "C:\\My clone\\100%%\\dist\\1\\deno\.json" --/m,
  );
  match(bundled, / "C:\\My clone\\100%%\\dist\\1\\program\\cli\.js" %\*\r\n$/);
  deepEqual([cloneOf(bundled), programOf(bundled), programOf(text)], [clone, program, undefined]);
});

Deno.test("shellcheck, if installed, accepts the shell scripts", () =>
  withFolder(async (folder) => {
    const launcher = join(folder, "cli");
    await Deno.writeTextFile(launcher, shellLauncher({ deno: "/d", clone: "/c" }));
    const bundled = join(folder, "bundled");
    const started = { deno: "/d", clone: "/c", program: "/p" };
    await Deno.writeTextFile(bundled, shellLauncher(started));
    const start = join(folder, "start.sh");
    await Deno.writeTextFile(start, startScript(script, denoJson));
    const check = 'command -v shellcheck >/dev/null || exit 127; exec shellcheck "$@"';
    const scripts = [launcher, bundled, start, join(ROOT, "scripts/package/start.sh")];
    const args = ["-c", check, "sh", "--exclude=SC1091,SC2034", ...scripts];
    const { code, stdout } = await new Deno.Command("sh", { args }).output();
    if (code === 127) console.warn("Skipped: shellcheck is not installed");
    else equal(code, 0, new TextDecoder().decode(stdout));
  }));
