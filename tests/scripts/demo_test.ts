import { deepEqual, equal, match, ok, rejects } from "node:assert/strict";
import { fileURLToPath } from "node:url";
import config from "../../deno.json" with { type: "json" };
import { ended } from "../support/ended.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** Runs something with a folder for temporary files, which must be empty again afterwards. */
async function withFolder(use: (env: Record<string, string>) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir();
  try {
    // The person's own settings must not get in the way.
    const own = { CLI_PROFILE: "nobody", CLI_BASE_URL: "http://127.0.0.1:9", CLI_DEBUG: "http" };
    await use({ TMPDIR: folder, TMP: folder, TEMP: folder, ...own });
    deepEqual([...Deno.readDirSync(folder)], [], "something was left behind");
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** Starts a program in the repository with the permissions of `deno task demo`. */
function start(program: string, env: Record<string, string> = {}): Deno.ChildProcess {
  const flags = config.tasks.demo.command.split(" ")
    .filter((word) => /^--(quiet|no-prompt|allow-(?!run))/.test(word));
  return new Deno.Command(Deno.execPath(), {
    args: ["run", ...flags, `--allow-run=${Deno.execPath()}`, program],
    cwd: root,
    env,
    stdin: program === "-" ? "piped" : "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
}

/** Runs one step of a demonstration, without a service. */
async function runStep(words: string[], options: object): Promise<{ code: number; err: string }> {
  const child = start("-");
  const writer = child.stdin.getWriter();
  await writer.write(new TextEncoder().encode(`
    import { runStep } from "./scripts/demo.ts";
    const env = Deno.env.toObject();
    const stage = { folder: ".", env, signal: new AbortController().signal };
    await runStep(stage, ${JSON.stringify(words)}, ${JSON.stringify(options)});
  `));
  await writer.close();
  return await ended(child);
}

Deno.test("the demonstration shows each command with its output, and leaves nothing behind", async () => {
  await withFolder(async (env) => {
    const { code, out, err } = await ended(start("scripts/demo.ts", env));
    equal(code, 0, err);
    const commands = out.matchAll(/^\$ (?:export \w+=\$\()?(cli [\w-]+ [\w-]+)/gm);
    const shown = Array.from(commands, ([, command]) => command);
    const groups = ["projects", "apps", "products", "entitlements", "offerings", "packages"];
    deepEqual(shown.slice(0, 8), [
      "cli service start",
      "cli service token",
      ...groups.map((name) => `cli ${name} list`),
    ]);
    for (const name of ["apps", "products", "entitlements", "offerings", "packages"]) {
      ok(shown.includes(`cli ${name} create`), name);
    }
    // Each command is followed by its output.
    match(out, /\$ cli products list\nID +STORE_IDENTIFIER .*\n(prod\w+ +notes\S+ .*\n){9}\n/);
    match(out, /\$ cli entitlements products team\nID .*\nprod\w+ +notes\.team\.monthly .*\n\n/);
    match(
      out,
      /\$ cli offerings view spring\n[\s\S]*?0 +\$svc_monthly +Monthly +notes\.team\.monthly\n/,
    );
    match(out, /\n\* +spring +Spring sale/);
    const json = /\$ cli offerings view spring --output json\n(\{[\s\S]*?\n\})\n/.exec(out)?.[1];
    equal(JSON.parse(json ?? "").is_current, true);
    match(out, /\$ cli apps delete app\w+ -y\n\n\$ echo \$\?\n7\n/);
    match(err, /^Cannot delete an app: .*\n.*prod\w+$/m);
    match(out, /\$ cli audit-logs list --limit 5\nWHEN .*\n(\S.*owner@example\.com.*\n){5}\n/);
    match(out, /\$ cli simulate purchase ada notes\.team\.monthly .*\nid +sub/);
    match(out, /\$ cli clock advance P1Y\n[\s\S]*?\nRENEWAL +\d+\n/);
    match(out, /\$ cli subscribers info ada\n[\s\S]*?\nteam +\d{4}-12-\d\d +will_renew /);
    match(out, /\$ cli charts get revenue .*\n(.*\n)+?Revenue +total [\d.]+ USD/);
    const heard = /is_new":false[^]*?(?=\n\n)/.exec(out)?.[0].match(/"event_type":"\w+"/g);
    equal(heard?.length, 3);
    match(err, /^Received INITIAL_PURCHASE of ada$/m);
    for (const text of ["\x1b", "atk_", "rtk_"]) ok(!(out + err).includes(text), text);
  });
});

Deno.test("a step that fails ends the demonstration and is named", async () => {
  const { code, err } = await runStep(["version", "--output", "xml"], {});
  equal(code, 1);
  match(err, /"cli version --output xml" ended with exit code 2/);
});

Deno.test("a step that is accepted by mistake ends the demonstration", async () => {
  const { code, err } = await runStep(["version"], { code: 7 });
  equal(code, 1);
  match(err, /"cli version" ended with exit code 0, but had to be refused with 7/);
});

Deno.test({
  name: "Ctrl-C ends the demonstration, its service and its folder",
  ignore: Deno.build.os === "windows",
  async fn() {
    await withFolder(async (env) => {
      const child = start("scripts/demo.ts", env);
      let out = "";
      let stopped = false;
      for await (const chunk of child.stdout.pipeThrough(new TextDecoderStream())) {
        out += chunk;
        if (out.includes("$ cli apps create") && !stopped) {
          stopped = true;
          child.kill("SIGINT");
        }
      }
      await child.stderr.cancel();
      equal((await child.status).code, 130);
      ok(!out.includes("# The revenue of the year"));
      const address = /"base_url":"([^"]+)"/.exec(out)?.[1] ?? "";
      await rejects(fetch(`${address}/health`), TypeError);
    });
  },
});
