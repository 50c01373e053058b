import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { join } from "node:path";
import type { Finding } from "../../../lib/cli/checks/finding.ts";
import { git, hasGit, makeRepository } from "../../support/git.ts";
import {
  BASE_URL,
  type Home,
  openHome,
  type RunOptions,
  signedIn,
} from "../../support/home_fixture.ts";

const windows = Deno.build.os === "windows";

/** The results of doctor, by check. */
interface Found {
  /** The exit code. */
  code: number;
  /** The findings by check. */
  checks: Record<string, Finding>;
  /** Everything that was written. */
  text: string;
}

/** Runs doctor. */
async function doctor(at: Home, words = "doctor", options: RunOptions = {}): Promise<Found> {
  const ran = await at.run(`${words} --output json`, options);
  const { checks, ok: fine } = ran.json();
  ok(Array.isArray(checks), ran.err);
  strictEqual(fine, ran.code === 0);
  const found: Finding[] = checks;
  return {
    code: ran.code,
    checks: Object.fromEntries(found.map((finding) => [finding.check, finding])),
    text: ran.out + ran.err,
  };
}

/** The checks that did not find all well. */
function troubled({ checks }: Found): string[] {
  return Object.values(checks).filter(({ status }) => status !== "ok")
    .map(({ check, status }) => `${check}: ${status}`);
}

/** A machine with a profile and a bound folder in a repository. */
async function bound(): Promise<Home> {
  const at = await openHome();
  await signedIn(at);
  await makeRepository(at.cwd);
  const { code, err } = await at.run("init --no-apps");
  strictEqual(code, 0, err);
  at.sent.length = 0;
  return at;
}

Deno.test("doctor passes on a healthy setup, as a table and as JSON", async () => {
  await using at = await bound();
  const found = await doctor(at);
  deepStrictEqual(troubled(found), []);
  deepStrictEqual(Object.keys(found.checks), [
    ...["profiles", "active profile", "folder", "cli.toml", "git", "shared tokens"],
    ...["service data", "sign-in", "service", "clock", "access", "permissions", "project"],
  ]);
  match(
    found.checks["service"]?.detail ?? "",
    /^version \S+ at http:\S+ \(from: credential\), client version/,
  );
  const table = await at.run("doctor");
  strictEqual(table.code, 0);
  match(table.out, /^STATUS +CHECK +DETAIL\nok +profiles +"default" in /);
  const text = await Deno.readTextFile(join(at.cwd, ".cli", "config.json"));
  for (const [secret] of text.matchAll(/[ar]tk_[\w-]+/g)) ok(!found.text.includes(secret));
});

Deno.test("auth doctor checks sign-ins only", async () => {
  await using at = await bound();
  const { code, checks } = await doctor(at, "auth doctor");
  strictEqual(code, 0);
  ok(checks["access"] && !checks["project"] && !checks["permissions"]);
});

Deno.test("a file that others can open fails, with the command that fixes it", {
  ignore: windows,
}, async () => {
  await using at = await bound();
  const file = join(at.cwd, ".cli", "config.json");
  await Deno.chmod(file, 0o640);
  const found = await doctor(at);
  strictEqual(found.code, 1);
  deepStrictEqual(troubled(found), ["folder: fail", "sign-in: fail", "service: skip"]);
  strictEqual(found.checks["folder"]?.fix, `Run: chmod 600 ${file}`);
  await Deno.chmod(file, 0o600);
  await Deno.chmod(join(at.home, ".cli"), 0o711);
  const home = await doctor(at);
  strictEqual(home.checks["profiles"]?.fix, `Run: chmod 700 ${join(at.home, ".cli")}`);
});

Deno.test({
  name: "service data that others can open or change is a warning",
  ignore: windows,
  fn: async () => {
    await using at = await bound();
    const folder = join(at.home, ".cli", "service");
    await Deno.mkdir(folder, { mode: 0o700 });
    const file = join(folder, "service.db");
    await Deno.writeTextFile(file, "", { mode: 0o600 });
    const verdict = async (): Promise<unknown[]> => {
      const { status, detail, fix } = (await doctor(at)).checks["service data"] ?? {};
      return [status, detail, fix];
    };
    deepStrictEqual(await verdict(), ["ok", `only you can open ${folder}`, null]);
    await Deno.chmod(file, 0o644);
    deepStrictEqual(await verdict(), [
      "warn",
      `${file}: other users can read it (mode 0644)`,
      `Run: chmod 600 ${file}`,
    ]);
    await Deno.chmod(folder, 0o777);
    deepStrictEqual(await verdict(), [
      "fail",
      `${folder}: every user can write to it (mode 0777)`,
      `Run: chmod 700 ${folder} && chmod 600 ${file}`,
    ]);
  },
});

Deno.test("doctor looks at the data folder that is named", { ignore: windows }, async () => {
  await using at = await bound();
  const folder = join(at.home, "data");
  await Deno.mkdir(folder, { mode: 0o700 });
  await Deno.writeTextFile(join(folder, "service.db"), "", { mode: 0o644 });
  const { checks } = await doctor(at, `doctor --data ${folder}`);
  match(checks["service data"]?.detail ?? "", /data.service\.db: other users can read it/);
  strictEqual((await doctor(at)).checks["service data"]?.status, "ok");
});

Deno.test("a sign-in from another machine is a warning with the next command, and nothing is sent", async () => {
  await using at = await bound();
  await Deno.remove(join(at.home, ".cli", "folders.json"));
  const found = await doctor(at);
  strictEqual(found.code, 0);
  const skips = ["service", "access", "permissions", "project"].map((check) => `${check}: skip`);
  deepStrictEqual(troubled(found), ["folder: warn", "sign-in: warn", ...skips]);
  for (const check of ["folder", "sign-in"]) {
    const { detail, fix } = found.checks[check] ?? {};
    match(detail ?? "", /config\.json was not made on this machine; it is for http:/);
    match(fix ?? "", /: cli auth trust\./);
  }
  const status = await at.run("auth status");
  strictEqual(status.code, 0);
  match(status.err, /^Warning: Commands do not use it yet: .* was not made on this machine/m);
  match(status.err, /: cli auth trust\./);
  deepStrictEqual(at.sent, []);
  strictEqual((await at.run("auth trust -y")).code, 0);
  deepStrictEqual(troubled(await doctor(at)), []);
  strictEqual((await at.run("auth status")).err.includes("Warning"), false);
});

Deno.test("a folder's file without content is a warning", async () => {
  await using at = await openHome();
  await Deno.mkdir(join(at.cwd, ".cli"), { mode: 0o700 });
  await Deno.writeTextFile(join(at.cwd, ".cli", "config.json"), "{}", { mode: 0o600 });
  const { checks } = await doctor(at);
  strictEqual(checks["folder"]?.status, "warn");
  match(checks["folder"]?.detail ?? "", /config\.json names neither a sign-in nor a project$/);
});

Deno.test({
  name: "a sign-in that git would commit fails",
  ignore: !hasGit,
  fn: async () => {
    await using at = await bound();
    const rules = join(at.cwd, ".cli", ".gitignore");
    await Deno.remove(rules);
    const open = await doctor(at);
    deepStrictEqual([open.code, troubled(open)], [1, ["git: fail"]]);
    strictEqual(open.checks["git"]?.fix, `Run: echo '*' >> ${rules}`);
    await git(at.cwd, "add", ".cli/config.json");
    await Deno.writeTextFile(rules, "*\n");
    const tracked = await doctor(at);
    deepStrictEqual([tracked.code, troubled(tracked)], [1, ["git: fail"]]);
    match(tracked.checks["git"]?.fix ?? "", /git rm --cached /);
  },
});

Deno.test("a repository whose contents cannot be read fails", async () => {
  await using at = await bound();
  await Deno.remove(join(at.cwd, ".git"), { recursive: true });
  await Deno.writeTextFile(join(at.cwd, ".git"), "gitdir: nowhere\n");
  const found = await doctor(at);
  deepStrictEqual([found.code, troubled(found)], [1, ["git: fail"]]);
  match(found.checks["git"]?.detail ?? "", /^git may commit .* to /);
  match(found.checks["git"]?.fix ?? "", /^This command must list nothing: git -C /);
});

Deno.test("a broken cli.toml fails even where another file takes precedence", async () => {
  await using at = await bound();
  await Deno.writeTextFile(join(at.cwd, "cli.toml"), "project_id = proj\n");
  const broken = await doctor(at);
  deepStrictEqual([broken.code, troubled(broken)], [1, ["cli.toml: fail"]]);
  match(broken.checks["cli.toml"]?.detail ?? "", /line 1, column 14/);
  await Deno.writeTextFile(join(at.cwd, "cli.toml"), "");
  deepStrictEqual(troubled(await doctor(at)), ["cli.toml: warn"]);
});

Deno.test("two places with the same sign-in fail", async () => {
  await using at = await bound();
  const [from, to] = [join(at.home, ".cli", "config.json"), join(at.cwd, ".cli", "config.json")];
  const profile = JSON.parse(await Deno.readTextFile(from)).profiles.default;
  const local = JSON.parse(await Deno.readTextFile(to));
  await Deno.writeTextFile(to, JSON.stringify({ ...local, profile }));
  const found = await doctor(at);
  deepStrictEqual([found.code, troubled(found)], [1, ["shared tokens: fail"]]);
  strictEqual(found.checks["shared tokens"]?.fix, "Run: cli init --force");
});

Deno.test("a name in a fix is quoted for a shell", async () => {
  await using at = await bound();
  const file = join(at.home, ".cli", "config.json");
  const config = JSON.parse(await Deno.readTextFile(file));
  const { profiles: { default: profile } } = config;
  await Deno.writeTextFile(
    file,
    JSON.stringify({ ...config, profiles: { default: profile, "cop y;id": profile } }),
  );
  const found = await doctor(at);
  strictEqual(found.checks["shared tokens"]?.fix, "Run: cli auth login -n 'cop y;id'");
});

Deno.test("a stale active mark is a warning, a stale CLI_PROFILE fails", async () => {
  await using at = await bound();
  await Deno.writeTextFile(join(at.home, ".cli", "active"), "gone\n", { mode: 0o600 });
  const mark = await doctor(at);
  deepStrictEqual([mark.code, troubled(mark)], [0, ["active profile: warn"]]);
  match(mark.checks["active profile"]?.detail ?? "", /names "gone", which is not stored/);
  at.env.CLI_PROFILE = "gone";
  const variable = await doctor(at);
  deepStrictEqual(troubled(variable), [
    "active profile: fail",
    "sign-in: fail",
    "service: skip",
  ]);
});

Deno.test("a service that does not answer fails, and the checks behind it are skipped", async () => {
  await using at = await bound();
  const intercept = () => Promise.reject(new TypeError("connection refused"));
  const found = await doctor(at, "doctor", { intercept });
  strictEqual(found.code, 1);
  deepStrictEqual(troubled(found), [
    "service: fail",
    "access: skip",
    "permissions: skip",
    "project: skip",
  ]);
  match(found.checks["service"]?.fix ?? "", /cli service/);
});

Deno.test("a service that answers 503 is said to answer so, and why", async () => {
  await using at = await bound();
  const message = "The service cannot use its database: the disk is gone";
  const intercept = () =>
    Promise.resolve(Response.json({ object: "error", type: "server_error", message }, {
      status: 503,
    }));
  const found = await doctor(at, "doctor", { intercept });
  strictEqual(found.code, 1);
  const { status, detail, fix } = found.checks["service"] ?? {};
  deepStrictEqual([status, detail, fix], [
    "fail",
    `status 503 from ${BASE_URL} (from: credential): ${message}`,
    "See its state: cli service status",
  ]);
  strictEqual(found.checks["access"]?.detail, "the service cannot be used");
});

Deno.test("a service without a health address passes", async () => {
  await using at = await bound();
  const intercept = (request: Request) => {
    const health = new URL(request.url).pathname === "/health";
    return Promise.resolve(health ? new Response("", { status: 404 }) : undefined);
  };
  const found = await doctor(at, "doctor", { intercept });
  strictEqual(found.code, 0, found.text);
  match(found.checks["service"]?.detail ?? "", /^version unknown at http/);
});

Deno.test("a clock that is off by more than a minute fails", async () => {
  await using at = await bound();
  const answering = (skewMs: number) => (request: Request) => {
    if (new URL(request.url).pathname !== "/health") return Promise.resolve(undefined);
    const date = new Date(at.around().now() + skewMs).toUTCString();
    return Promise.resolve(Response.json({ version: "9" }, { headers: { Date: date } }));
  };
  const near = await doctor(at, "doctor", { intercept: answering(30_000) });
  deepStrictEqual(troubled(near), []);
  const far = await doctor(at, "doctor", { intercept: answering(-120_000) });
  deepStrictEqual([far.code, troubled(far)], [1, ["clock: fail"]]);
  match(far.checks["clock"]?.detail ?? "", /this machine's clock is 12\d s ahead of the service's/);
});

Deno.test("a revoked sign-in fails, with the command that signs in again", async () => {
  await using at = await openHome();
  await signedIn(at);
  at.env.CLI_PROJECT_ID = at.service.projectId ?? "";
  at.pass(31 * 86_400_000);
  const found = await doctor(at);
  strictEqual(found.code, 1);
  deepStrictEqual(troubled(found), ["access: fail", "permissions: skip", "project: skip"]);
  strictEqual(found.checks["access"]?.fix, "Sign in again with: cli auth login");
  // A person reads the fix once.
  strictEqual((await at.run("doctor")).err.split("Sign in again with").length, 2);
});

Deno.test("permissions that commands need and the sign-in lacks are listed", async () => {
  await using at = await openHome();
  at.env.CLI_PROJECT_ID = at.service.projectId ?? "";
  at.env.CLI_BASE_URL = BASE_URL;
  const scope = "*:*:read";
  at.env.CLI_REFRESH_TOKEN = (await at.service.oauth.issueToken({ scope })).refresh_token;
  const found = await doctor(at);
  deepStrictEqual([found.code, troubled(found)], [0, ["permissions: warn"]]);
  match(
    found.checks["permissions"]?.detail ?? "",
    /need project_configuration:projects:read_write /,
  );
  ok(!found.checks["permissions"]?.detail.includes("audit_logs"));
  const table = await at.run("doctor");
  const last = "virtual_currencies:read_write";
  ok(found.checks["permissions"]?.detail.includes(last));
  ok(!table.out.includes(last));
  ok(table.err.includes(last));
});

Deno.test("a wrong or missing project fails, and two that disagree are a warning", async () => {
  await using at = await bound();
  at.env.CLI_PROJECT_ID = "proj_elsewhere";
  const wrong = await doctor(at);
  deepStrictEqual([wrong.code, troubled(wrong)], [1, ["project: fail"]]);
  match(wrong.checks["project"]?.detail ?? "", /sees no project proj_elsewhere \(from: CLI_PRO/);
  delete at.env.CLI_PROJECT_ID;
  await Deno.writeTextFile(join(at.cwd, "cli.toml"), 'project_id = "proj_elsewhere"\n');
  const apart = await doctor(at);
  deepStrictEqual([apart.code, troubled(apart)], [0, ["project: warn"]]);
  at.cwd = at.home;
  const none = await doctor(at);
  deepStrictEqual([none.code, troubled(none)], [1, ["project: fail"]]);
});

Deno.test("a variable that shadows a stored value is a warning", async () => {
  await using at = await bound();
  at.env.CLI_REFRESH_TOKEN = (await at.service.oauth.issueToken()).refresh_token;
  const found = await doctor(at);
  deepStrictEqual([found.code, troubled(found)], [0, ["sign-in: warn"]]);
  match(
    found.checks["sign-in"]?.detail ?? "",
    /^CLI_REFRESH_TOKEN; it overrides .* and the pro/,
  );
});

Deno.test("without a sign-in, doctor fails and names the command to run", async () => {
  await using at = await openHome();
  const found = await doctor(at);
  strictEqual(found.code, 1);
  strictEqual(found.checks["sign-in"]?.status, "fail");
  match(found.checks["sign-in"]?.fix ?? "", /cli auth login/);
  deepStrictEqual([found.checks["service"]?.status, found.checks["access"]?.status], [
    "ok",
    "skip",
  ]);
});
