import { deepStrictEqual, doesNotMatch, match, ok, strictEqual } from "node:assert/strict";
import { join } from "node:path";
import { resolveConnection } from "../../../lib/connect.ts";
import { createProject } from "../../../lib/resources/projects.ts";
import { type Home, openHome, signedIn } from "../../support/home_fixture.ts";

/** A file in the working folder. */
function read(at: Home, ...names: string[]): Promise<string> {
  return Deno.readTextFile(join(at.cwd, ...names));
}

/** The content of the local file. */
async function local(at: Home): Promise<Record<string, Record<string, string>>> {
  return JSON.parse(await read(at, ".cli", "config.json"));
}

Deno.test("init --no-local-creds reports no binding where another file takes precedence", async () => {
  await using at = await openHome();
  await signedIn(at);
  const first = at.service.projectId;
  await at.run("init --no-apps");
  const { client } = await resolveConnection(at.around());
  const { id: second } = await createProject(client, { name: "Second" });
  const { access_token } = (await local(at)).profile ?? {};
  await Deno.mkdir(join(at.cwd, "sub"));
  const below = await at.run(`init --no-apps --no-local-creds --path sub --project-id ${second}`);
  strictEqual(below.code, 1);
  match(
    below.err,
    RegExp(`config.json" names ${first} and overrides cli.toml\nLeave out --no-l`),
  );
  ok(!at.paths(at.cwd).some((path) => path.startsWith("sub/")));
  const words = `init --no-apps --no-local-creds --project-id ${second}`;
  await Deno.remove(join(at.cwd, "cli.toml"));
  const refused = await at.run(words);
  deepStrictEqual([refused.code, /Pass --force/.test(refused.err)], [1, true], refused.err);
  const forced = await at.run(`${words} --force`);
  strictEqual(forced.code, 0, forced.err);
  doesNotMatch(forced.err, /comes before/);
  const { project_id, profile } = await local(at);
  deepStrictEqual([project_id, profile?.access_token], [second, access_token]);
  match(await read(at, "cli.toml"), RegExp(second));
});

Deno.test("init refuses an empty --path before it asks", async () => {
  await using at = await openHome();
  await signedIn(at);
  const empty = await at.run("init --no-apps --path=");
  deepStrictEqual([empty.code, at.sent, at.paths(at.cwd)], [2, [], []]);
});

Deno.test("init --force replaces a cli.toml that is not TOML", async () => {
  await using at = await openHome();
  await signedIn(at);
  await Deno.writeTextFile(join(at.cwd, "cli.toml"), "project_id = \n");
  const words = `init --no-local-creds --force --project-id ${at.service.projectId}`;
  const ran = await at.run(words, { keys: [["\r"]] });
  strictEqual(ran.code, 0, ran.err);
  match(await read(at, "cli.toml"), RegExp(`project_id = "${at.service.projectId}"`));
});

Deno.test("init without a current folder names the remedy", async () => {
  await using at = await openHome();
  await signedIn(at);
  Object.assign(at, { cwd: undefined });
  const { code, err } = await at.run("init --no-apps");
  strictEqual(code, 1);
  strictEqual(
    err,
    "Cannot bind the folder: the current folder no longer exists\n" +
      "Change to an existing folder.\n",
  );
});
