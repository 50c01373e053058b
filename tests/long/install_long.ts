/**
 * The program that `deno task install` bundles. Needs the registry: the bundler comes from there. Run
 * it with `deno task test:package`.
 *
 * @module
 */

import { deepEqual, equal, match, ok } from "node:assert/strict";
import { delimiter, dirname, join } from "node:path";
import { ROOT } from "../../scripts/package/flags.ts";
import { programOf } from "../../scripts/package/launcher.ts";
import { filesUnder } from "../../scripts/package/program.ts";
import { VERSION } from "../../lib/version.ts";
import { makeHostileFolder } from "../package/hostile_folder.ts";
import { cacheFolder } from "../support/cache_folder.ts";
import { type Ended, ended } from "../support/ended.ts";
import denoJson from "../../deno.json" with { type: "json" };

/** The task's own command, with its permissions. */
const TASK = denoJson.tasks.install.command.replaceAll("deno ", '"$0" ');

/** What all steps use. */
interface Stage {
  /** A copy of the clone, at a path that must be quoted. */
  clone: string;
  /** The folder of the launcher. */
  bin: string;
  /** A hostile folder. */
  hostile: Awaited<ReturnType<typeof makeHostileFolder>>;
  /** A home folder. */
  home: string;
}

/** Copies what an installation reads. */
async function copyClone(to: string): Promise<void> {
  const paths = ["deno.json", "deno.lock", "cli.ts"];
  for (const folder of ["lib", "scripts"]) {
    paths.push(...(await filesUnder(join(ROOT, folder))).map((path) => `${folder}/${path}`));
  }
  for (const path of paths) {
    await Deno.mkdir(dirname(join(to, path)), { recursive: true });
    await Deno.copyFile(join(ROOT, path), join(to, path));
  }
}

/** Starts the task in the copy, as a process that can be killed. */
function startInstall({ clone, bin }: Stage, ...words: string[]): Deno.ChildProcess {
  const args = ["-c", `exec ${TASK} "$@"`, Deno.execPath(), "--to", bin, ...words];
  const options = { cwd: clone, stdout: "piped", stderr: "piped" } as const;
  return new Deno.Command("sh", { args, ...options, env: { NO_COLOR: "1" } }).spawn();
}

/** The variables of a machine that reaches no registry, with an empty cache at first. */
function offline({ home }: Stage): Record<string, string> {
  return { DENO_DIR: join(home, "deno"), NPM_CONFIG_REGISTRY: "http://127.0.0.1:9/" };
}

/** Runs the installed launcher in the hostile folder. */
async function cli(stage: Stage, script: string, env = offline(stage)): Promise<Ended> {
  const { bin, hostile, home } = stage;
  const path = [hostile.programs, "/usr/bin", "/bin"].join(delimiter);
  const command = new Deno.Command("sh", {
    args: ["-c", `cli=$0; PATH=$1; export PATH; ${script}`, join(bin, "cli"), path],
    cwd: hostile.path,
    clearEnv: true,
    env: {
      PATH: Deno.env.get("PATH") ?? "",
      HOME: home,
      NO_COLOR: "1",
      INIT_CWD: "/",
      ...env,
    },
  });
  return await ended(command);
}

/** The folder of the launcher's program. */
async function programIn({ bin }: Stage): Promise<string> {
  return programOf(await Deno.readTextFile(join(bin, "cli"))) ?? "";
}

async function installs(stage: Stage): Promise<void> {
  const { code, out, err } = await ended(startInstall(stage));
  equal(code, 0, err);
  match(out, /^Installed .*, which runs cli [\d.]+, bundled from .*it's a clone\n/);
  const program = await programIn(stage);
  deepEqual(
    [...Deno.readDirSync(program)].map(({ name }) => name).sort(),
    ["THIRD_PARTY.md", "deno.json", "node_modules", "program", "start.sh"],
  );
  ok((await Deno.stat(join(program, "node_modules/jq-wasm/LICENSE"))).isFile);
}

/** A service and commands for it, also those that are loaded when they are needed. */
const SESSION = `
  "$cli" service start --port 0 --output json > "$HOME/started.json" & pid=$!
  until [ -s "$HOME/started.json" ]; do sleep 0.1; done
  CLI_REFRESH_TOKEN=$("$cli" service token)
  CLI_BASE_URL=$(sed 's/.*"base_url":"\\([^"]*\\)".*/\\1/' "$HOME/started.json")
  CLI_PROJECT_ID=$(sed 's/.*"project_id":"\\([^"]*\\)".*/\\1/' "$HOME/started.json")
  export CLI_REFRESH_TOKEN CLI_BASE_URL CLI_PROJECT_ID
  "$cli" offerings list --jq '.items[].lookup_key' -r &&
    "$cli" clock advance P1M --yes >&2 && "$cli" charts get revenue >&2 &&
    (mkdir "$HOME/tests"; cd "$HOME/tests" && "$cli" scenario init >&2 &&
      "$cli" scenario run scenarios | tail -n 1); code=$?
  kill "$pid"; wait "$pid"; exit "$code"`;

async function works(stage: Stage): Promise<void> {
  equal((await cli(stage, '"$cli" --version')).out, `cli ${VERSION}\n`);
  const { code, out, err } = await cli(stage, SESSION);
  equal(code, 0, err);
  match(out, /^default\nwinter_sale\n/);
  match(out, /^ok +scenarios\/\d+_.*\.yaml {2}/m);
  deepEqual(await stage.hostile.heeded(), []);
}

/** Kills installations at several moments. The launcher and its program work after each. */
async function survivesKills(stage: Stage): Promise<void> {
  const first = await programIn(stage);
  const file = join(stage.clone, "lib/version.ts");
  const text = await Deno.readTextFile(file);
  for (const ms of [100, 400, 900, 1500, 2100]) {
    await Deno.writeTextFile(file, `${text}// ${ms}\n`);
    const child = startInstall(stage);
    const result = child.output();
    await new Promise((resolve) => setTimeout(resolve, ms));
    child.kill("SIGKILL");
    await result.catch(() => {});
    equal((await cli(stage, '"$cli" --version')).out, `cli ${VERSION}\n`);
    equal((await cli(stage, '"$cli" commands --jq .commands[0].path[0] -r')).out, "auth\n");
  }
  await Deno.writeTextFile(file, text);
  const { code, err } = await ended(startInstall(stage));
  equal(code, 0, err);
  equal(await programIn(stage), first);
}

async function needsNoBundlerWhenLinked(stage: Stage): Promise<void> {
  const { bin, clone } = stage;
  const before = await Deno.readTextFile(join(bin, "cli"));
  // A version that no registry has.
  const file = join(clone, "scripts/bundle/deno.json");
  const settings = await Deno.readTextFile(file);
  await Deno.writeTextFile(file, settings.replace(/npm:esbuild@[\d.]+/, "npm:esbuild@99.0.0"));
  const refused = await ended(startInstall(stage));
  equal(refused.code, 1);
  match(
    refused.err,
    /Cannot bundle the program in ".*": .*\n(.*\n)*.* task install --linked --to /,
  );
  equal(await Deno.readTextFile(join(bin, "cli")), before);
  const { code, err } = await ended(startInstall(stage, "--linked"));
  equal(code, 0, err);
  const version = await cli(stage, '"$cli" --version', { DENO_DIR: await cacheFolder() });
  equal(version.out, `cli ${VERSION}\n`, version.err);
}

async function isRemoved(stage: Stage): Promise<void> {
  const { code, err } = await ended(startInstall(stage, "--remove"));
  equal(code, 0, err);
  for (const folder of [stage.bin, join(stage.clone, "dist")]) {
    ok(!await Deno.stat(folder).catch(() => undefined), folder);
  }
}

Deno.test({
  name: "the program that deno task install bundles works, and stays when an installation fails",
  ignore: Deno.build.os === "windows",
  async fn(test) {
    const base = await Deno.realPath(await Deno.makeTempDir());
    try {
      const [clone, bin, home] = [
        join(base, "it's a clone"),
        join(base, "bin"),
        join(base, "home"),
      ];
      await copyClone(clone);
      await Deno.mkdir(home);
      const stage = { clone, bin, home, hostile: await makeHostileFolder(base) };
      await test.step("it is complete", () => installs(stage));
      await test.step("it works without a registry and a cache", () => works(stage));
      await test.step("it survives kills of installations", () => survivesKills(stage));
      await test.step("--linked needs no bundler", () => needsNoBundlerWhenLinked(stage));
      await test.step("--remove leaves nothing", () => isRemoved(stage));
    } finally {
      await Deno.remove(base, { recursive: true });
    }
  },
});
