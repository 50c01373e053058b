import {
  deepStrictEqual,
  doesNotMatch,
  match,
  notStrictEqual,
  ok,
  strictEqual,
} from "node:assert/strict";
import { join } from "node:path";
import { DEFAULT_SCOPES, missingScopes } from "../../../../lib/auth/scopes.ts";
import { routes } from "../../../../lib/service/routes/mod.ts";
import {
  allow,
  allowedAddress,
  BASE_URL,
  deny,
  openHome,
  signedIn,
  storedProfile,
} from "../../../support/home_fixture.ts";

const windows = Deno.build.os === "windows";

Deno.test("auth login signs in through the consent page, and the next command works", async () => {
  await using at = await openHome();
  const login = await at.run("auth login", { browser: allow });
  strictEqual(login.code, 0, login.err);
  match(login.out, /^PROJECT +NAME\n\S+ +Notes\n$/);
  const [, url = ""] = /^(http\S*)$/m.exec(login.err) ?? [];
  ok(url.startsWith(`${BASE_URL}/oauth2/authorize?response_type=code&client_id=svc-cli&`));
  match(login.err, /Signed in to http:\/\/127\.0\.0\.1:4010 as the profile "default"/);
  match(login.err, /Next, bind a folder to a project: cli init/);
  const profile = await storedProfile(at);
  strictEqual(profile.base_url, BASE_URL);
  strictEqual(profile.client_id, "svc-cli");
  deepStrictEqual(profile.scope?.split(" ").sort(), [...DEFAULT_SCOPES].sort());
  for (const secret of [profile.access_token, profile.refresh_token]) {
    ok(secret && !(login.out + login.err).includes(secret));
  }
  const next = await at.run("projects list");
  strictEqual(next.code, 0, next.err);
  if (windows) return;
  deepStrictEqual(at.paths(at.home), [
    ".cli 700",
    ".cli/config.json 600",
    ".cli/config.json.lock 600",
  ]);
});

Deno.test("an address of another program is refused before any browser opens", async () => {
  await using at = await openHome();
  const browser = () => Promise.reject(new Error("a browser was opened"));
  at.env.CLI_BASE_URL = `${BASE_URL}/v1`;
  const version = await at.run("auth login", { browser });
  strictEqual(version.code, 1);
  match(version.err, /v1: the server there is not the service\nLeave out the version: .*4010$/m);
  const found = await at.run("doctor");
  match(found.out, /^fail +service +.*not the service/m);
  at.env.CLI_BASE_URL = "http://127.0.0.1:9";
  const pages = ["<h1>Hi</h1>", "{}", '{"status":"up"}', "null"];
  for (const page of pages) {
    const other = await at.run("auth login", {
      browser,
      intercept: () => Promise.resolve(new Response(page)),
    });
    match(other.err, /^Cannot use http:\/\/127\.0\.0\.1:9: the server there is not the service/m);
  }
});

Deno.test("a service that answers 401 without a sign-in is recognised", async () => {
  await using at = await openHome();
  const bare = await at.run("auth login", {
    browser: allow,
    intercept: ({ url }) =>
      Promise.resolve(
        /health|well-known/.test(url) ? new Response("", { status: 404 }) : undefined,
      ),
  });
  strictEqual(bare.code, 0, bare.err);
});

Deno.test("the requested permissions suffice for every route, and are listed one by one", () => {
  const needed = new Set(routes.flatMap(({ scopes }) => scopes));
  deepStrictEqual(missingScopes(DEFAULT_SCOPES.join(" "), [...needed]), []);
  ok(DEFAULT_SCOPES.every((scope) => !scope.includes("*")));
  for (const scope of ["collaborators:read", "audit_logs:read"]) {
    ok(DEFAULT_SCOPES.includes(`project_configuration:${scope}`));
  }
});

Deno.test("a denied, failed or stopped sign-in stores nothing", async () => {
  await using at = await openHome();
  const denied = await at.run("auth login", { browser: deny });
  strictEqual(denied.code, 4);
  match(denied.err, /Cannot sign in: access was denied in the browser\nNothing was stored\./);
  const wrong = await at.run("auth login --scope made:up:read", { browser: allowWithoutPage });
  strictEqual(wrong.code, 4);
  match(wrong.err, /Cannot sign in: .*\nRequest other permissions/);
  const stop = new AbortController();
  const stopped = await at.run("auth login", {
    signal: stop.signal,
    browser: () => {
      stop.abort();
      return Promise.resolve(true);
    },
  });
  deepStrictEqual([stopped.code, stopped.err.split("\n").at(-2)], [130, "Stopped"]);
  deepStrictEqual(at.paths(at.home), []);
});

/** A browser that is redirected at once, because the request itself is refused. */
async function allowWithoutPage(url: string, at: Awaited<ReturnType<typeof openHome>>) {
  const response = await at.service.fetch(new Request(url));
  await (await fetch(response.headers.get("Location") ?? "")).body?.cancel();
  return true;
}

Deno.test("an unwritable config folder is reported before any browser opens", {
  ignore: windows,
}, async () => {
  await using at = await openHome();
  let opened = 0;
  const browser = () => Promise.resolve(++opened > 0);
  await Deno.writeTextFile(join(at.home, ".cli"), "");
  const file = await at.run("auth login", { browser });
  match(file.err, /^Cannot use ".*\/home\/\.cli": it is not a folder\nMove it away/);
  await Deno.remove(join(at.home, ".cli"));
  await Deno.mkdir(join(at.home, ".cli"), { mode: 0o755 });
  const open = await at.run("auth login", { browser });
  match(open.err, /^Cannot use ".*": others can open it \(mode 0755\)\nRun: chmod 700 /);
  const name = await at.run("auth login -n \t", { browser });
  match(name.err, /^Cannot use "\\t" as the name of a profile/);
  deepStrictEqual([file.code, open.code, name.code, opened, at.sent.length], [1, 1, 2, 0, 0]);
});

Deno.test("a service that does not answer is reported before any browser opens", async () => {
  await using at = await openHome();
  const refused = await at.run("auth login", {
    browser: () => Promise.reject(new Error("a browser was opened")),
    intercept: () => Promise.reject(new TypeError("connection refused")),
  });
  strictEqual(refused.code, 8);
  match(refused.err, /^Cannot reach http:\/\/127\.0\.0\.1:4010: .*\nStart the local service with/);
});

Deno.test("the address is shown on one line at once, and without a browser the wait goes on", async () => {
  await using at = await openHome();
  const login = await at.run("auth login --output json", {
    // As where no program opens addresses: the person does it by hand.
    browser: (url, home) => {
      queueMicrotask(() => allow(url, home));
      return Promise.resolve(false);
    },
  });
  strictEqual(login.code, 0, login.err);
  match(login.err, /^To sign in.*\nhttp:\S+\nWaiting .*\nCannot start a browser here/);
  const { access_token: _, refresh_token: __, ...shown } = await storedProfile(at);
  deepStrictEqual(login.json(), {
    profile: "default",
    base_url: BASE_URL,
    client_id: "svc-cli",
    scope: shown.scope,
    expires_at: shown.expires_at_ms,
    projects: [{ id: at.service.projectId, name: "Notes" }],
  });
});

Deno.test("a sign-in that cannot list its projects is not stored, and is revoked; --no-verify skips that", async () => {
  await using at = await openHome();
  const failing = (request: Request) =>
    Promise.resolve(
      new URL(request.url).pathname === "/v2/projects"
        ? Response.json({ type: "authentication_error", message: "No" }, { status: 401 })
        : undefined,
    );
  const failed = await at.run("auth login", { browser: allow, intercept: failing });
  strictEqual(failed.code, 4);
  match(failed.err, /Cannot sign in with a browser: No\n/);
  deepStrictEqual(at.sent.at(-1), "POST /oauth2/revoke");
  deepStrictEqual(at.paths(at.home), []);
  const skipped = await at.run("auth login --no-verify", { browser: allow, intercept: failing });
  strictEqual(skipped.code, 0, skipped.err);
  strictEqual(skipped.out, "");
  strictEqual((await storedProfile(at)).name, "default");
});

Deno.test("auth login shows the projects of all pages", async () => {
  await using at = await openHome();
  const inPages = ({ url }: Request) => {
    const { pathname, searchParams } = new URL(url);
    if (pathname !== "/v2/projects") return Promise.resolve(undefined);
    const isFirst = !searchParams.has("starting_after");
    return Promise.resolve(Response.json({
      object: "list",
      items: [{ object: "project", id: isFirst ? "projone" : "projtwo", name: "P", created_at: 0 }],
      next_page: isFirst ? "/v2/projects?starting_after=projone" : null,
      url: "/v2/projects",
    }));
  };
  const { code, out, err } = await at.run("auth login", { browser: allow, intercept: inPages });
  strictEqual(code, 0, err);
  match(out, /^projone +P$/m);
  match(out, /^projtwo +P$/m);
});

Deno.test("fewer permissions than projects need are not a failure", async () => {
  await using at = await openHome();
  const login = await at.run("auth login --scope project_configuration:apps:read", {
    browser: allow,
  });
  strictEqual(login.code, 0, login.err);
  match(login.err, /Warning: The sign-in works, but cannot list projects/);
  strictEqual((await storedProfile(at)).scope, "project_configuration:apps:read");
  const bad = await at.run("auth login --scope everything", { browser: allow });
  deepStrictEqual([bad.code, at.sent.filter((one) => one.includes("health")).length], [2, 1]);
});

Deno.test("the hint after a missing permission fixes the profile that lacks it", async () => {
  await using at = await openHome();
  await signedIn(at);
  await at.run("auth login -n limited --scope project_configuration:apps:read", { browser: allow });
  const project = `--project-id ${at.service.projectId}`;
  const refused = await at.run(`products list --profile limited ${project}`);
  const hint = /: (cli auth login .*)\n$/.exec(refused.err)?.[1];
  deepStrictEqual([refused.code, hint], [4, "cli auth login --name limited"]);
  await at.run("auth login --name limited", { browser: allow });
  const mended = await at.run(`products list --profile limited ${project}`);
  strictEqual(mended.code, 0, mended.err);
  strictEqual((await at.run(`products list --profile default ${project}`)).code, 0);
});

Deno.test("a second login under the same name replaces the first and ends it", async () => {
  await using at = await openHome();
  await signedIn(at);
  const first = await storedProfile(at);
  const again = await at.run("auth login", { browser: allow });
  strictEqual(again.code, 0, again.err);
  const second = await storedProfile(at);
  notStrictEqual(second.refresh_token, first.refresh_token);
  strictEqual(await at.service.oauth.authenticate(first.access_token ?? ""), undefined);
  ok(await at.service.oauth.authenticate(second.access_token ?? ""));
});

Deno.test("a login activates its profile and shows the command back", async () => {
  await using at = await openHome();
  const first = await at.run("auth login -n work", { browser: allow });
  doesNotMatch(first.err, /go back/);
  strictEqual((await at.run("auth status --output json")).json().profile, "work");
  const second = await at.run("auth login", { browser: allow });
  match(second.err, /It is the active profile now\. Switch back with: cli auth use work/);
  strictEqual((await at.run("auth status --output json")).json().profile, "default");
  const third = await at.run("auth login --profile third", { browser: allow });
  match(third.err, /Switch back with: cli auth use default/);
  strictEqual((await at.run("auth status --output json")).json().profile, "third");
});

Deno.test("a login reports the sign-ins that take precedence", async () => {
  await using at = await openHome();
  at.env.CLI_REFRESH_TOKEN = (await at.service.oauth.issueToken()).refresh_token;
  const shadowed = await at.run("auth login", { browser: allow });
  match(shadowed.err, /Warning: CLI_REFRESH_TOKEN is set and overrides it\. Unset it/);
  delete at.env.CLI_REFRESH_TOKEN;
  at.env.CLI_PROFILE = "default";
  const named = await at.run("auth login -n other", { browser: allow });
  match(named.err, /Warning: CLI_PROFILE overrides it here\. Pass --profile other/);
});

Deno.test("a repeated login uses the profile's service, unless CLI_BASE_URL names one", async () => {
  await using at = await openHome();
  at.env.CLI_BASE_URL = "http://localhost:4010/";
  const elsewhere = await at.run("auth login", {
    browser: async (url, home) => {
      const { searchParams } = new URL(url);
      const address = `${BASE_URL}/oauth2/authorize?${searchParams}`;
      const back = await allowedAddress(address, home);
      back.searchParams.set("iss", "http://localhost:4010");
      await (await fetch(back)).body?.cancel();
      return true;
    },
  });
  strictEqual(elsewhere.code, 0, elsewhere.err);
  strictEqual((await storedProfile(at)).base_url, "http://localhost:4010");
  delete at.env.CLI_BASE_URL;
  const again = await at.run("auth login", { browser: deny });
  match(again.err, /^http:\/\/localhost:4010\/oauth2\/authorize/m);
});

Deno.test("CLI_DEBUG=http shows the requests of a sign-in without its secrets", async () => {
  await using at = await openHome();
  at.env.CLI_DEBUG = "http";
  const forms: URLSearchParams[] = [];
  const intercept = async (request: Request) => {
    forms.push(new URLSearchParams(await request.clone().text()));
    return undefined;
  };
  const login = await at.run("auth login", { browser: allow, intercept });
  const profile = await storedProfile(at);
  const init = await at.run("init --no-apps", { intercept });
  const local = JSON.parse(await Deno.readTextFile(join(at.cwd, ".cli", "config.json"))).profile;
  const logout = await at.run("auth logout -y", { intercept });
  deepStrictEqual([login.code, init.code, logout.code], [0, 0, 0]);
  const shown = login.err + init.err + logout.err;
  for (const name of ["code", "code_verifier", "subject_token", "token"]) {
    const secret = forms.find((form) => form.has(name))?.get(name);
    ok(secret && !shown.includes(secret), name);
    match(shown, RegExp(`[ &]${name}=\\[hidden\\]`));
  }
  for (const { access_token, refresh_token } of [profile, local]) {
    ok(!shown.includes(access_token) && !shown.includes(refresh_token));
  }
});
