import { deepEqual, equal, ok } from "node:assert/strict";
import { saveProfile } from "../../../lib/auth/store.ts";
import { loadFor } from "../../../lib/cli/commands/mod.ts";
import { SCRIPTS } from "../../../lib/cli/commands/completion/scripts.ts";
import { BASE_URL, type Home, openHome, type RunOptions } from "../../support/home_fixture.ts";

/** A machine with a stored sign-in that is valid for so many seconds. */
async function signedIn(validS = 3600): Promise<Home> {
  const home = await openHome();
  const { access_token, refresh_token = "" } = await home.service.oauth.issueToken();
  const expires_at_ms = home.around().now() + validS * 1000;
  const token = { access_token, refresh_token, expires_at_ms, client_id: "cli" };
  await saveProfile(home.around(), { name: "default", ...token, base_url: BASE_URL });
  const projectId = home.service.projectId ?? "";
  home.env["CLI_PROJECT_ID"] = projectId;
  // The first request connects, and takes longer than anybody waits at a Tab.
  const headers = { Authorization: `Bearer ${access_token}` };
  const list = new Request(`${BASE_URL}/v2/projects/${projectId}/offerings`, { headers });
  equal((await home.service.fetch(list)).status, 200);
  return home;
}

/** The proposals for a line whose last word is being typed. */
async function propose(home: Home, line: string, options?: RunOptions): Promise<string[]> {
  const words = line.split(" ");
  const typed = words.pop() ?? "";
  const { code, out, err } = await home.run(["__complete", "zsh", `=${typed}`, ...words], options);
  deepEqual([code, err], [0, ""]);
  return out.split("\n").slice(0, -1);
}

Deno.test("commands, flags and choices are proposed with their meaning", async () => {
  await using home = await openHome();
  const { offerings } = (await loadFor(["offerings"])).commands;
  deepEqual(await propose(home, "offeri"), [`offerings\t${offerings?.brief}`]);
  const [view = "", ...others] = await propose(home, "offer vi");
  deepEqual([view.split("\t")[0], others], ["view", []]);
  const [limit = ""] = await propose(home, "offerings list --lim");
  ok(/^--limit\t[A-Z]/.test(limit), limit);
  deepEqual(await propose(home, "offerings --output nd"), ["ndjson"]);
  for (const given of ["--limit 5", "--limit=5"]) {
    deepEqual(await propose(home, `offerings list ${given} --lim`), [], "a flag is given once");
  }
  deepEqual(await propose(home, "charts get mrr --period=w"), ["--period=week"]);
  ok((await propose(home, "charts get mr")).includes("mrr"));
  deepEqual(await propose(home, "completion z"), ["zsh"]);
  ok((await propose(home, "help offerings arch"))[0]?.startsWith("archive\t"));
  deepEqual(await propose(home, "nothing x"), []);
  deepEqual(home.sent, []);
});

Deno.test("ids of the project are proposed with their names, and kept for a minute", async () => {
  await using home = await signedIn();
  const line = "offerings view wint";
  deepEqual(await propose(home, line), ["winter_sale\tWinter sale"]);
  const asked = home.sent.length;
  equal(asked, 1);
  home.pass(59_000);
  deepEqual(await propose(home, line), ["winter_sale\tWinter sale"]);
  equal(home.sent.length, asked);
  home.pass(2_000);
  await propose(home, line);
  equal(home.sent.length, asked + 1);
  deepEqual((await propose(home, "subscribers info a")).map((row) => row.split("\t")[0]), ["ada"]);
  ok((await propose(home, "subscribers grant ada p")).some((row) => row.startsWith("pro\t")));
  equal((await propose(home, "products list --project-id ")).length, 1);
  deepEqual(await propose(home, "auth use d"), ["default"]);
  ok(home.paths(home.home).includes(".cli/cache/completion.json 600"));
});

Deno.test("where a file is meant, the shell completes its name, and nothing is requested", async () => {
  await using home = await signedIn();
  const lines = ["service restore b", "service backup ", "scenario run a.yml b", "scenario init "];
  lines.push("api POST /x --body @b", "offerings create --file ", "offerings create --file=b");
  lines.push("scenario run a.yml --junit ", "commands --man ", "service start --data /");
  for (const line of lines) deepEqual(await propose(home, line), [":files"], line);
  deepEqual(await propose(home, "api GET /of"), []);
  deepEqual(home.sent, []);
});

Deno.test("aliases and the types of events are proposed where one is named", async () => {
  await using home = await openHome();
  equal((await home.run(["alias", "set", "keys", "offerings list"])).code, 0);
  deepEqual(await propose(home, "alias delete k"), ["keys\tcli offerings list"]);
  deepEqual(await propose(home, "alias set k"), []);
  const [renewal = "", ...others] = await propose(home, "events trigger ren");
  deepEqual([renewal.split("\t")[0], others], ["renewal", []]);
});

Deno.test("after an alias, what it stands for is completed", async () => {
  await using home = await signedIn();
  for (
    const [name, line] of [["keys", "offerings view"], ["dump", "charts get mrr --output csv"]]
  ) {
    equal((await home.run(["alias", "set", name ?? "", line ?? ""])).code, 0);
  }
  deepEqual(await propose(home, "ke"), ["keys\tcli offerings view"]);
  deepEqual(await propose(home, "keys wint"), ["winter_sale\tWinter sale"]);
  deepEqual(await propose(home, "--output json keys wint"), ["winter_sale\tWinter sale"]);
  deepEqual(await propose(home, "dump --period=w"), ["--period=week"]);
  // The alias gives that flag already.
  deepEqual(await propose(home, "dump --outp"), []);
  await Deno.writeTextFile(`${home.home}/.cli/aliases.json`, "{");
  ok((await propose(home, "offer")).length === 1);
});

Deno.test("ids of another project are never proposed from what is kept", async () => {
  await using home = await signedIn();
  ok((await propose(home, "offerings view ")).length > 0);
  deepEqual(await propose(home, "offerings view --project-id proj00000000 "), []);
});

Deno.test("completion never signs in and never renews a token", async () => {
  await using home = await signedIn(30);
  deepEqual(await propose(home, "offerings view "), []);
  home.pass(3_600_000);
  deepEqual(await propose(home, "offerings view "), []);
  await using ci = await openHome();
  const { refresh_token = "" } = await ci.service.oauth.issueToken();
  Object.assign(ci.env, {
    CLI_REFRESH_TOKEN: refresh_token,
    CLI_PROJECT_ID: ci.service.projectId,
    CLI_BASE_URL: BASE_URL,
  });
  deepEqual(await propose(ci, "offerings view "), []);
  deepEqual(ci.paths(ci.home), [], "it makes no folder and no lock");
  await using nobody = await openHome();
  deepEqual(await propose(nobody, "offerings view "), []);
  deepEqual([home.sent, ci.sent, nobody.sent], [[], [], []]);
});

Deno.test("with a token from the environment, completion uses what a command has stored", async () => {
  await using home = await openHome();
  const { refresh_token = "" } = await home.service.oauth.issueToken();
  Object.assign(home.env, {
    CLI_REFRESH_TOKEN: refresh_token,
    CLI_PROJECT_ID: home.service.projectId,
    CLI_BASE_URL: BASE_URL,
  });
  equal((await home.run("offerings list")).code, 0);
  const locks = home.paths(home.home).filter((path) => path.includes(".lock"));
  equal(locks.length, 1);
  await Deno.remove(`${home.home}/${locks[0]?.split(" ")[0]}`);
  const before = home.paths(home.home);
  const refused = { intercept: () => Promise.resolve(new Response("{}", { status: 401 })) };
  deepEqual(await propose(home, "offerings view ", refused), []);
  deepEqual(home.paths(home.home), before, "a refused token leads to no lock either");
  deepEqual(await propose(home, "offerings view wint"), ["winter_sale\tWinter sale"]);
});

Deno.test("completion is silent about failures, and does not wait for a slow service", async () => {
  await using home = await signedIn();
  const broken = { intercept: () => Promise.resolve(new Response("oops", { status: 500 })) };
  deepEqual(await propose(home, "offerings view ", broken), []);
  const began = performance.now();
  const silent = { intercept: () => new Promise<Response>(() => {}) };
  deepEqual(await propose(home, "offerings view ", silent), []);
  ok(performance.now() - began < 1000);
  await Deno.writeTextFile(`${home.home}/.cli/config.json`, "{");
  deepEqual(await propose(home, "offerings view "), []);
  for (const args of [[], ["zsh"], ["bash", "=", "cli 'open"], ["nothing", "x"]]) {
    const { code, err } = await home.run(["__complete", ...args]);
    deepEqual([code, err], [0, ""]);
  }
});

Deno.test("cli completion prints a script, and names the shells it has", async () => {
  await using home = await openHome();
  for (const [shell, script] of Object.entries(SCRIPTS)) {
    equal((await home.run(["completion", shell])).out, script);
  }
  equal((await home.run("completion tcsh")).code, 2);
  // No parser for PowerShell is at hand: at least all brackets and quotes must match.
  const open: string[] = [];
  const bare = SCRIPTS.pwsh.replace(/^#.*$/gm, "").replace(/'[^'\n]*'|"[^"\n]*"/g, "");
  for (const bracket of bare.match(/[(){}[\]]/g) ?? []) {
    if ("({[".includes(bracket)) open.push(bracket);
    else equal(open.pop(), { ")": "(", "}": "{", "]": "[" }[bracket]);
  }
  deepEqual(open, []);
});
