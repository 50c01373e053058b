import { deepEqual, equal, match } from "node:assert/strict";
import { BASE_URL, type Home, openHome } from "../../support/home_fixture.ts";

/** A machine that is signed in. */
async function signedIn(): Promise<Home> {
  const home = await openHome();
  const { refresh_token = "" } = await home.service.oauth.issueToken();
  Object.assign(home.env, {
    CLI_REFRESH_TOKEN: refresh_token,
    CLI_PROJECT_ID: home.service.projectId,
    CLI_BASE_URL: BASE_URL,
  });
  return home;
}

Deno.test("an alias runs its command line with what follows it", async () => {
  await using home = await signedIn();
  const line = "offerings list --fields 'lookup_key,display_name'";
  match(
    (await home.run(["alias", "set", "keys", line])).err,
    /cli keys now runs: cli offerings list/,
  );
  const { code, out } = await home.run(["keys", "--output", "csv", "--limit", "1"]);
  deepEqual([code, out], [0, "lookup_key,display_name\ndefault,Standard prices\n"]);
  equal((await home.run(["alias", "list"])).out, `NAME  COMMAND\nkeys  ${line}\n`);
  equal((await home.run(["alias", "delete", "keys"])).code, 0);
  match((await home.run(["keys"])).err, /^Cannot run "keys": there is no such command/);
  match(
    (await home.run(["alias", "delete", "keys"])).err,
    /^Cannot delete the alias "keys": there is none/,
  );
});

Deno.test("an alias never takes the place of a command, and must run one", async () => {
  await using home = await openHome();
  const cases: [name: string, line: string, message: RegExp][] = [
    ["offerings", "apps list", /it is a command/],
    ["offer", "apps list", /it is a command/],
    ["help", "apps list", /it is a command/],
    ["--x", "apps list", /./],
    ["a b", "apps list", /it is not a valid name/],
    ["x", "nothing list", /it begins with no command/],
    ["x", "offerings", /it is a group/],
    ["x", "apps list 'open", /a quote is not closed/],
    ["x", "apps list --output xml", /no such format/],
  ];
  for (const [name, line, message] of cases) {
    const { code, err } = await home.run(["alias", "set", name, line]);
    equal(code, 2, `${name}: ${err}`);
    match(err, message);
  }
  equal((await home.run(["alias", "list", "--output", "json"])).out, '{\n  "aliases": []\n}\n');
});
