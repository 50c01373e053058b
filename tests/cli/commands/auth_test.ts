import { deepStrictEqual, doesNotMatch, match, ok, strictEqual } from "node:assert/strict";
import { join } from "node:path";
import { writeLocal } from "../../../lib/config/local.ts";
import {
  allow,
  BASE_URL,
  type Home,
  openHome,
  signedIn,
  storedProfile,
} from "../../support/home_fixture.ts";

/** A machine on which two profiles are stored; `work` is the active one. */
async function withTwo(): Promise<Home> {
  const at = await openHome();
  await signedIn(at, "default");
  await signedIn(at, "work");
  return at;
}

/** Binds the working folder with a sign-in of its own. */
async function bindHere(at: Home): Promise<void> {
  const { refresh_token, access_token } = await at.service.oauth.issueToken({ rotates: true });
  const expires_at_ms = Date.now() + 3_600_000;
  const profile = { access_token, refresh_token, expires_at_ms, base_url: BASE_URL };
  await writeLocal(at.around(), at.cwd, { project_id: at.service.projectId, profile });
}

/** The visible part of a token. */
function redacted(token = ""): string {
  return `${token.slice(0, 4)}…${token.slice(-4)}`;
}

Deno.test("auth status shows the sign-in, its source and what it shadows, and sends nothing", async () => {
  await using at = await withTwo();
  const work = await storedProfile(at, "work");
  const file = join(at.home, ".cli", "config.json");
  const global = (await at.run("auth status --output json")).json();
  deepStrictEqual(global, {
    origin: "global",
    source: file,
    profile: "work",
    chosen_by: "active",
    base_url: BASE_URL,
    token: redacted(work.access_token),
    expires_at: work.expires_at_ms,
    scope: work.scope,
    valid: null,
    shadows: [],
  });
  await bindHere(at);
  at.env.CLI_REFRESH_TOKEN = "rtk_from_the_environment";
  const shadowing = (await at.run("auth status --output json")).json();
  deepStrictEqual(
    [shadowing.origin, shadowing.source, shadowing.token, shadowing.base_url],
    ["environment", "CLI_REFRESH_TOKEN", "rtk_…ment", BASE_URL],
  );
  at.env.CLI_BASE_URL = "https://api.example.com/v2/";
  const elsewhere = (await at.run("auth status --output json")).json();
  strictEqual(elsewhere.base_url, "https://api.example.com");
  delete at.env.CLI_BASE_URL;
  ok(Array.isArray(shadowing.shadows));
  deepStrictEqual(
    shadowing.shadows.map(({ origin, profile }) => [origin, profile]),
    [["local", null], ["global", "work"]],
  );
  const card = await at.run("auth status");
  match(card.out, /^origin +environment\nsource +CLI_REFRESH_TOKEN\n/);
  match(card.out, /^shadows +.*work\/\.cli\/config\.json: atk_….{4}\nshadows +.*profile work\)/m);
  deepStrictEqual(at.sent, []);
});

Deno.test("auth status -n shows another profile, but not in a folder with its own sign-in", async () => {
  await using at = await withTwo();
  const other = await at.run("auth status -n default");
  match(other.out, /^profile +default$/m);
  await bindHere(at);
  const local = await at.run("auth status -n default");
  match(local.out, /^origin +local$/m);
  match(local.err, /^Warning: .*config\.json applies here, so the profile "default" does not\.$/m);
  const missing = await at.run("auth status --profile gone");
  deepStrictEqual([missing.code, missing.out], [4, ""]);
  match(missing.err, /"gone": stored are "default", "work"/);
});

Deno.test("auth status --validate asks the service, and fails when it refuses", async () => {
  await using at = await withTwo();
  const good = await at.run("auth status --validate --output json");
  deepStrictEqual([good.code, good.json().valid, at.sent], [0, true, ["GET /v2/projects"]]);
  at.pass(31 * 86_400_000);
  const ended = await at.run("auth status --validate --output json");
  deepStrictEqual([ended.code, ended.json().valid], [4, false]);
  match(ended.err, /"hint":"Sign in again with: cli auth login --name work"/);
  const table = await at.run("auth status --validate");
  match(table.out, /^valid +no$/m);
  match(table.err, /The access token has expired; the next command renews it/);
});

Deno.test("auth status without a sign-in fails and names the command to run", async () => {
  await using at = await openHome();
  const nobody = await at.run("auth status");
  deepStrictEqual([nobody.code, nobody.out], [4, ""]);
  match(nobody.err, /nobody is signed in\nRun: cli auth login, or in CI set CLI_REFRESH_TOKEN/);
});

Deno.test("auth list shows all profiles, with the fault of a broken one", async () => {
  await using at = await withTwo();
  const path = join(at.home, ".cli", "config.json");
  const content = JSON.parse(await Deno.readTextFile(path));
  content.profiles.odd = { refresh_token: "rtk_secret_of_the_odd_one" };
  await Deno.writeTextFile(path, JSON.stringify(content));
  const list = await at.run("auth list");
  match(list.out, /^NAME +ACTIVE +SERVICE +TOKEN +RENEWS +PROBLEM\ndefault +- +http/);
  match(list.out, /^work +yes +http:\/\/127\.0\.0\.1:4010 +atk_….{4} +\d{4}-/m);
  match(list.out, /^odd +- +- +- +- +Cannot use ".*": profiles\["odd"\]\.expires_at_ms/m);
  const { profiles } = (await at.run("auth list --output json")).json();
  ok(Array.isArray(profiles));
  deepStrictEqual(profiles.map(({ name, active }) => [name, active]), [
    ["default", false],
    ["work", true],
    ["odd", false],
  ]);
  ok(!(list.out + JSON.stringify(profiles)).includes("rtk_"));
});

Deno.test("auth list and logout do nothing where nobody is signed in", async () => {
  await using at = await openHome();
  const list = await at.run("auth list");
  deepStrictEqual([list.code, list.out], [0, ""]);
  match(list.err, /Nobody is signed in. Run: cli auth login/);
  deepStrictEqual((await at.run("auth list --output json")).json(), { profiles: [] });
  const all = await at.run("auth logout --all --output json");
  deepStrictEqual([all.code, all.json()], [0, { signed_out: [] }]);
  strictEqual((await at.run("auth logout -y")).code, 4);
  deepStrictEqual(at.paths(at.home), []);
});

Deno.test("auth use selects a profile, refuses an unknown one, and reports what takes precedence", async () => {
  await using at = await withTwo();
  const used = await at.run("auth use default --output json");
  deepStrictEqual(used.json(), { active: "default" });
  strictEqual((await at.run("auth status --output json")).json().profile, "default");
  const unknown = await at.run("auth use nope");
  deepStrictEqual([unknown.code, unknown.out], [4, ""]);
  match(unknown.err, /Cannot use the profile "nope": stored are "default", "work"/);
  at.env.CLI_PROFILE = "default";
  match((await at.run("auth use work")).err, /Warning: CLI_PROFILE overrides it here\./);
});

Deno.test("auth use with nothing stored leads to the sign-in", async () => {
  await using at = await openHome();
  const { code, err } = await at.run("auth use work");
  strictEqual(code, 4);
  match(err, /: none is stored\nSign in with: cli auth login --name work\n$/);
});

Deno.test("auth status says that a sign-in is not for the service that CLI_BASE_URL names", async () => {
  await using at = await openHome();
  await signedIn(at);
  at.env.CLI_BASE_URL = `${BASE_URL}/`;
  doesNotMatch((await at.run("auth status")).err, /CLI_BASE_URL/);
  at.env.CLI_BASE_URL = "https://elsewhere.example";
  const { code, err } = await at.run("auth status");
  strictEqual(code, 0);
  match(
    err,
    /Commands fail: CLI_BASE_URL is https:\/\/elsewhere\.example, and this sign-in is for http/,
  );
  match(err, /Unset CLI_BASE_URL, or sign in there with: cli auth login/);
});

Deno.test("the renewal of an access token does not read as the end of the sign-in", async () => {
  await using at = await openHome();
  await signedIn(at);
  const [list, status] = [await at.run("auth list"), await at.run("auth status")];
  match(list.out, / RENEWS$/m);
  match(status.out, /^renews +\d{4}-/m);
  for (const { out } of [list, status]) doesNotMatch(out, /expires/i);
});

Deno.test("a stale active mark is removed, with a warning", async () => {
  await using at = await withTwo();
  await Deno.writeTextFile(join(at.home, ".cli", "active"), "gone\n");
  const status = await at.run("auth status");
  match(status.out, /^profile +default$/m);
  match(status.err, /The active profile "gone" does not exist; "default" applies/);
  strictEqual((await at.run("auth status")).err, "");
});

Deno.test("auth logout revokes the sign-in, removes the profile and clears the mark", async () => {
  await using at = await withTwo();
  const { access_token } = await storedProfile(at, "work");
  const out = await at.run("auth logout -y --output json");
  deepStrictEqual(out.json(), { signed_out: [{ profile: "work", revoked: true }] });
  strictEqual(await at.service.oauth.authenticate(access_token ?? ""), undefined);
  const left = (await at.run("auth list --output json")).json().profiles;
  ok(Array.isArray(left));
  deepStrictEqual(left.map(({ name, active }) => [name, active]), [["default", true]]);
  ok(!at.paths(at.home).includes(".cli/active 600"));
  const named = await at.run("auth logout default --yes");
  match(named.err, /^Signed out of the profile "default"$/m);
});

Deno.test("auth logout of the active profile names the next one, or the command to choose", async () => {
  await using at = await withTwo();
  await signedIn(at, "third");
  match((await at.run("auth logout -y")).err, /The profile "default" applies now\./);
  const other = await at.run("auth logout work -y");
  match(other.err, /^Signed out of the profile "work"\n$/);
  await signedIn(at, "work");
  await signedIn(at, "third");
  await at.run("auth use default");
  const none = await at.run("auth logout -y");
  match(none.err, /No profile is active now\. Choose one with: cli auth use NAME$/m);
  await Deno.writeTextFile(join(at.home, ".cli", "active"), "gone");
  const stale = await at.run("auth status");
  match(stale.err, /"gone" does not exist; no profile is active now\.\n/);
});

Deno.test("auth logout keeps a sign-in that it cannot remove", async () => {
  await using at = await withTwo();
  const lock = join(at.home, ".cli", "config.json.lock");
  await Deno.remove(lock);
  await Deno.mkdir(lock);
  const failed = await at.run("auth logout -y");
  deepStrictEqual([failed.code, at.sent], [1, []]);
  await Deno.remove(lock);
  strictEqual((await at.run("projects list")).code, 0);
});

Deno.test("auth logout asks first, and changes nothing without a yes", async () => {
  await using at = await withTwo();
  const before = at.paths(at.home);
  const piped = await at.run("auth logout");
  strictEqual(piped.code, 3);
  match(piped.err, /Cannot ask "Sign out of the profile "work"\?": .*\nPass -y to answer yes/);
  const declined = await at.run("auth logout --all", { keys: [["\r"]] });
  deepStrictEqual([declined.code, declined.err.includes("Nothing was changed")], [3, true]);
  match(declined.asked, /Sign out of the profiles "default", "work"\?/);
  strictEqual((await at.run("auth logout", { keys: [["\u0003"]] })).code, 130);
  strictEqual((await at.run("auth logout default --all -y")).code, 2);
  deepStrictEqual([at.paths(at.home), at.sent], [before, []]);
  const agreed = await at.run("auth logout", { keys: [["y", "\r"]] });
  deepStrictEqual([agreed.code, at.sent], [0, ["POST /oauth2/revoke"]]);
});

Deno.test("auth logout removes a broken profile and one whose service is unknown", async () => {
  await using at = await withTwo();
  const intercept = () => Promise.reject(new TypeError("connection refused"));
  const away = await at.run("auth logout work -y", { intercept });
  strictEqual(away.code, 9, away.err);
  match(away.err, /Warning: Cannot reach /);
  match(away.err, /Signed out of the profile "work", but not revoked/);
  match(
    away.err,
    /^Cannot revoke the sign-in of the profile "work": it was only removed\nCopies of /m,
  );
  const path = join(at.home, ".cli", "config.json");
  await Deno.writeTextFile(path, JSON.stringify({ profiles: { default: {} } }));
  const broken = await at.run("auth logout --all -y --output json");
  strictEqual(broken.code, 9);
  deepStrictEqual(broken.json(), { signed_out: [{ profile: "default", revoked: false }] });
});

Deno.test("auth logout names the sign-ins that remain", async () => {
  await using at = await withTwo();
  await bindHere(at);
  const local = await at.run("auth logout -y work");
  match(local.err, /work\/\.cli\/config\.json has its own sign-in, which still applies/);
  at.env.CLI_REFRESH_TOKEN = "rtk_from_the_environment";
  match(
    (await at.run("auth logout -y default")).err,
    /CLI_REFRESH_TOKEN is set and still applies/,
  );
});

Deno.test("a command whose sign-in has ended shows how to sign in to the same profile", async () => {
  await using at = await withTwo();
  const { refresh_token } = await storedProfile(at, "work");
  await at.service.fetch(
    new Request(`${BASE_URL}/oauth2/revoke`, {
      method: "POST",
      body: new URLSearchParams({ token: refresh_token ?? "", client_id: "svc-cli" }),
    }),
  );
  const ended = await at.run("projects list");
  strictEqual(ended.code, 4);
  match(ended.err, /Sign in again with: cli auth login --name work/);
  strictEqual((await at.run("auth login --name work", { browser: allow })).code, 0);
  strictEqual((await at.run("projects list")).code, 0);
});
