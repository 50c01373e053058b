import {
  deepStrictEqual,
  doesNotMatch,
  match,
  notStrictEqual,
  ok,
  strictEqual,
} from "node:assert/strict";
import { join } from "node:path";
import { resolveConnection } from "../../../lib/connect.ts";
import { createProject, listProjects } from "../../../lib/resources/projects.ts";
import { makeRepository } from "../../support/git.ts";
import { allow, type Home, openHome, signedIn, storedProfile } from "../../support/home_fixture.ts";

const ENTER = "\r";
const DOWN = "\u001b[B";
const ESCAPE = "\u001b";
const CTRL_C = "\u0003";
const SPACE = " ";
const windows = Deno.build.os === "windows";

/** A machine that is signed in, with a repository in its working folder. */
async function inRepository(): Promise<Home> {
  const at = await openHome();
  await signedIn(at);
  await makeRepository(at.cwd);
  return at;
}

/** The text of a file in the working folder. */
function read(at: Home, ...names: string[]): Promise<string> {
  return Deno.readTextFile(join(at.cwd, ...names));
}

/** The content of the local file. */
async function local(at: Home): Promise<Record<string, Record<string, string>>> {
  return JSON.parse(await read(at, ".cli", "config.json"));
}

/** Adds a second project to the account. */
async function secondProject(at: Home): Promise<string> {
  const { client } = await resolveConnection(at.around());
  return (await createProject(client, { name: "Second" })).id;
}

/** How many sign-ins are live. */
async function liveGrants(at: Home): Promise<number> {
  const grants = await at.service.store.read((tx) =>
    tx.selectFrom("grants").select("id").where("revoked_at", "is", null).execute()
  );
  return grants.length;
}

Deno.test("init takes the only project, tags the chosen apps, and keeps the sign-in out of git", async () => {
  await using at = await inRepository();
  const ran = await at.run("init --output json", { keys: [[SPACE, ENTER]] });
  strictEqual(ran.code, 0, ran.err);
  match(ran.err, /The project is \S+ "Notes"/);
  match(ran.asked, /Which apps does it belong to\?/);
  const facts = ran.json();
  const { project_id, apps, profile } = await local(at);
  strictEqual(project_id, at.service.projectId);
  ok(Array.isArray(apps));
  deepStrictEqual(apps.map(({ name }) => name), ["Notes for Android", "Notes on the web"]);
  deepStrictEqual(facts.apps, apps);
  deepStrictEqual(facts.files, [
    { path: join(at.cwd, ".cli", ".gitignore"), action: "created" },
    { path: join(at.cwd, ".cli", "config.json"), action: "created" },
    { path: join(at.cwd, "cli.toml"), action: "created" },
  ]);
  deepStrictEqual(facts.git, { repository: at.cwd, ignored: true });
  strictEqual(await read(at, ".cli", ".gitignore"), "*\n");
  ok(!at.paths(at.cwd).some((path) => path.startsWith(".gitignore")));
  match(
    await read(at, "cli.toml"),
    /^# The project that this folder belongs to[^]*project_id = "proj/,
  );
  doesNotMatch(await read(at, "cli.toml"), /atk_|rtk_/);
  for (const secret of [profile?.access_token, profile?.refresh_token]) {
    ok(secret && !(ran.out + ran.err + ran.asked).includes(secret));
  }
  if (windows) return;
  deepStrictEqual(at.paths(at.cwd).filter((path) => path.startsWith(".cli")), [
    ".cli 700",
    ".cli/.gitignore 644",
    ".cli/config.json 600",
    ".cli/config.json.lock 600",
  ]);
});

Deno.test("the sign-ins of the folder and of the profile are independent", async () => {
  await using at = await inRepository();
  strictEqual((await at.run("init --no-apps")).code, 0);
  const { profile } = await local(at);
  notStrictEqual(profile?.refresh_token, (await storedProfile(at)).refresh_token);
  strictEqual((await at.run("auth status --output json")).json().origin, "local");
  for (let hours = 0; hours < 3; hours++) {
    at.pass(2 * 3_600_000);
    for (const which of ["", " --profile default"]) {
      const ran = await at.run(`apps list${which}`);
      strictEqual(ran.code, 0, ran.err);
    }
  }
});

Deno.test("init asks which of several projects; with --project-id it asks nothing", async () => {
  await using at = await inRepository();
  const second = await secondProject(at);
  const asked = await at.run("init", { keys: [[DOWN, ENTER], [ENTER]] });
  strictEqual(asked.code, 0, asked.err);
  match(asked.asked, /Which project does this folder belong to\?[^]*Notes[^]*Second/);
  strictEqual((await local(at)).project_id, second);
  const given = await at.run(`init --force --project-id ${at.service.projectId}`);
  strictEqual(given.code, 0, given.err);
  deepStrictEqual(await local(at).then(({ project_id, apps }) => [project_id, apps]), [
    at.service.projectId,
    [],
  ]);
  match(
    given.out,
    /^FILE +ACTION\n\.cli.\.gitignore +unchanged\n\.cli.config\.json +updated\ncli\.toml +updated\n$/,
  );
  const none = await at.run("init --force --project-id projnothing");
  strictEqual(none.code, 5);
});

Deno.test("init in a pipe asks nothing, names the flag and writes nothing", async () => {
  await using at = await inRepository();
  const before = at.paths(at.cwd);
  const apps = await at.run("init");
  deepStrictEqual([apps.code, apps.err.split("\n").at(-2)], [
    3,
    "Pass --app-id or --no-apps instead",
  ]);
  await secondProject(at);
  const project = await at.run("init");
  match(project.err, /Cannot ask "Which project .*\nPass --project-id instead/);
  deepStrictEqual([project.code, at.paths(at.cwd)], [3, before]);
  const given = await at.run(`init --project-id ${at.service.projectId}`);
  strictEqual(given.code, 0, given.err);
});

Deno.test("Ctrl-C and Esc at each question change nothing", async () => {
  await using at = await inRepository();
  await secondProject(at);
  const before = [at.paths(at.cwd), await liveGrants(at)];
  for (const keys of [[[CTRL_C]], [[ENTER], [CTRL_C]]]) {
    const stopped = await at.run("init", { keys });
    deepStrictEqual([stopped.code, at.paths(at.cwd), await liveGrants(at)], [130, ...before]);
  }
  for (const keys of [[[ESCAPE]], [[ENTER], [ESCAPE]]]) {
    const declined = await at.run("init", { keys });
    deepStrictEqual([declined.code, at.paths(at.cwd), await liveGrants(at)], [3, ...before]);
  }
});

Deno.test("Ctrl-C during the token exchange revokes the sign-in and writes nothing", async () => {
  await using at = await inRepository();
  const before = [at.paths(at.cwd), await liveGrants(at)];
  const stop = new AbortController();
  const stopped = await at.run("init --no-apps", {
    signal: stop.signal,
    intercept: async (request) => {
      if (!request.url.endsWith("/oauth2/token")) return undefined;
      const response = await at.service.fetch(request);
      stop.abort();
      return response;
    },
  });
  deepStrictEqual([stopped.code, at.paths(at.cwd), await liveGrants(at)], [130, ...before]);
});

Deno.test("a failed write undoes the earlier ones and revokes the new sign-in", async () => {
  await using at = await inRepository();
  await Deno.writeTextFile(join(at.cwd, ".gitignore"), "*.log\n");
  // A folder cannot be replaced by a file's text, which shows only at the last write.
  await Deno.mkdir(join(at.cwd, "cli.toml"));
  const before = [at.paths(at.cwd), await liveGrants(at)];
  const failed = await at.run("init --no-apps --force");
  strictEqual(failed.code, 1);
  match(failed.err, /Cannot read ".*cli\.toml": there is a folder at its path/);
  deepStrictEqual([at.paths(at.cwd), await liveGrants(at)], before);
  strictEqual(await read(at, ".gitignore"), "*.log\n");
});

Deno.test("existing files are refused before the first question, and --force keeps comments", async () => {
  await using at = await inRepository();
  const toml =
    `# Ours.\nproject_id = "${at.service.projectId}" # Notes\n\n[[apps]]\nid = "app1" # web\n`;
  await Deno.writeTextFile(join(at.cwd, "cli.toml"), toml);
  const refused = await at.run("init");
  strictEqual(refused.code, 1);
  match(refused.err, /^Cannot bind the folder: ".*cli\.toml" would be overwritten\nPass --force/);
  deepStrictEqual(at.sent, []);
  const forced = await at.run(`init --force --project-id ${at.service.projectId}`);
  strictEqual(forced.code, 0, forced.err);
  match(forced.out, /^cli\.toml +unchanged$/m);
  strictEqual(await read(at, "cli.toml"), toml);
  match((await at.run("init")).err, /cli\.toml" and ".*config\.json" would be overwritten/);
  const apps = await at.run(`init --force --no-apps --project-id ${at.service.projectId}`);
  strictEqual(apps.code, 0, apps.err);
  match(await read(at, "cli.toml"), /^# Ours\.\nproject_id = ".*" # Notes\n/);
  doesNotMatch(await read(at, "cli.toml"), /app1/);
});

Deno.test("init --force replaces the folder's sign-in and ends the old one", async () => {
  await using at = await inRepository();
  await at.run("init --no-apps");
  const first = (await local(at)).profile?.access_token ?? "";
  const grants = await liveGrants(at);
  const again = await at.run("init --no-apps --force");
  strictEqual(again.code, 0, again.err);
  const second = (await local(at)).profile?.access_token ?? "";
  strictEqual(await at.service.oauth.authenticate(first), undefined);
  ok(await at.service.oauth.authenticate(second));
  strictEqual(await liveGrants(at), grants);
});

Deno.test("init --force warns when the old sign-in cannot be ended", async () => {
  await using at = await inRepository();
  await at.run("init --no-apps");
  const intercept = ({ url }: Request) =>
    Promise.resolve(
      url.endsWith("/oauth2/revoke") ? new Response("", { status: 500 }) : undefined,
    );
  const again = await at.run("init --no-apps --force", { intercept });
  strictEqual(again.code, 0, again.err);
  match(again.err, /^Warning: The previous sign-in was replaced, but not revoked: /m);
});

Deno.test("a folder whose sign-in has ended is bound again with the profile", async () => {
  await using at = await inRepository();
  await at.run("init --no-apps");
  at.pass(29 * 86_400_000);
  await at.run("projects list --profile default");
  at.pass(2 * 86_400_000);
  const ended = await at.run("projects list");
  strictEqual(ended.code, 4);
  const [, fix = ""] = /Sign in again with: cli (.*)/.exec(ended.err) ?? [];
  const again = await at.run(`${fix} --no-apps`);
  strictEqual(again.code, 0, again.err);
  match(again.err, /The folder's own sign-in does not work; trying another one/);
  strictEqual((await at.run("projects list")).code, 0);
});

Deno.test("init --app-id tags apps of the project, and refuses others with a list of the apps", async () => {
  await using at = await inRepository();
  const apps = await at.run(`apps list --project-id ${at.service.projectId}`);
  const [app = ""] = /app[0-9a-f]{10}/.exec(apps.out) ?? [];
  const tagged = await at.run(`init --app-id ${app} --app-id ${app} --output json`);
  deepStrictEqual(tagged.json().apps, [{ id: app, name: "Notes for iOS" }]);
  match(await read(at, "cli.toml"), RegExp(`id = "${app}"\nname = "Notes for iOS"`));
  const unknown = await at.run("init --force --app-id nope");
  strictEqual(unknown.code, 5);
  match(unknown.err, RegExp(`"nope": the project has no such app\nIts apps: ${app} app`));
  strictEqual((await at.run(`init --force --app-id ${app} --no-apps`)).code, 2);
});

Deno.test("init --no-local-creds writes only cli.toml, and --path binds another folder", async () => {
  await using at = await openHome();
  await signedIn(at);
  await Deno.mkdir(join(at.cwd, "sub"));
  const ran = await at.run("init --no-apps --no-local-creds --path sub --output json");
  strictEqual(ran.code, 0, ran.err);
  deepStrictEqual([ran.json().credential, ran.json().git], [null, null]);
  deepStrictEqual(at.paths(at.cwd).map((path) => path.split(" ")[0]), ["sub", "sub/cli.toml"]);
  ok(!at.sent.includes("POST /oauth2/token"));
  at.cwd = join(at.cwd, "sub");
  strictEqual((await at.run("apps list")).code, 0);
  const missing = await at.run("init --path nowhere");
  match(missing.err, /Cannot bind ".*nowhere": there is no such folder/);
});

Deno.test("the home folder cannot hold both profiles and a folder's sign-in", async () => {
  await using at = await openHome();
  await signedIn(at);
  at.cwd = at.home;
  const home = await at.run("init --no-apps");
  strictEqual(home.code, 1);
  match(home.err, /is the file of profiles\nBind a folder below it, or write only cli\.toml/);
  strictEqual((await at.run("init --no-apps --no-local-creds")).code, 0);
});

Deno.test("outside a repository, init warns to keep .cli private", async () => {
  await using at = await openHome();
  await signedIn(at);
  const ran = await at.run("init --no-apps --output json");
  match(ran.err, /The folder is not in a git repository\. Do not share/);
  deepStrictEqual(ran.json().git, { repository: null, ignored: false });
  strictEqual(await read(at, ".cli", ".gitignore"), "*\n");
});

Deno.test("init reports the settings that take precedence over the new binding", async () => {
  await using at = await inRepository();
  at.env.CLI_PROJECT_ID = "proj_elsewhere";
  const ran = await at.run("init --no-apps");
  match(ran.err, /Warning: CLI_PROJECT_ID names proj_elsewhere and overrides cli\.toml/);
});

Deno.test("with CLI_REFRESH_TOKEN the folder also gets its own sign-in", async () => {
  await using at = await openHome();
  at.env.CLI_REFRESH_TOKEN = (await at.service.oauth.issueToken({ rotates: true })).refresh_token;
  const ran = await at.run("init --no-apps");
  strictEqual(ran.code, 0, ran.err);
  delete at.env.CLI_REFRESH_TOKEN;
  at.pass(2 * 3_600_000);
  strictEqual((await at.run("apps list")).code, 0);
});

Deno.test("without token exchange, init signs in once more or names the alternative", async () => {
  await using at = await inRepository();
  const intercept = async (request: Request): Promise<Response | undefined> => {
    if (!request.url.endsWith("/oauth2/token")) return undefined;
    const form = await request.clone().text();
    return form.includes("token-exchange")
      ? Response.json({ error: "unsupported_grant_type" }, { status: 400 })
      : undefined;
  };
  const piped = await at.run("init --no-apps", { intercept });
  strictEqual(piped.code, 4);
  match(piped.err, /Cannot make a second sign-in .*\n.*cli init --no-local-creds/);
  deepStrictEqual(at.paths(at.cwd).filter((path) => !path.startsWith(".git")), []);
  const seen = await at.run("init --no-apps", { intercept, keys: [], browser: allow });
  strictEqual(seen.code, 0, seen.err);
  match(seen.err, /Sign in again for this folder/);
  notStrictEqual((await local(at)).profile?.refresh_token, (await storedProfile(at)).refresh_token);
});

Deno.test("a sign-in without projects shows how to create one", async () => {
  await using at = await openHome({ empty: true });
  await signedIn(at);
  const none = await at.run("init");
  strictEqual(none.code, 1);
  match(none.err, /the sign-in sees no project\nCreate one with: cli projects create --name NAME/);
  const { client } = await resolveConnection(at.around());
  deepStrictEqual((await listProjects(client)).items, []);
});
