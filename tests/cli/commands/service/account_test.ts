import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { createClient } from "../../../../lib/client.ts";
import { listCollaborators } from "../../../../lib/resources/collaborators.ts";
import { listProjects } from "../../../../lib/resources/projects.ts";
import { CHEAP } from "../../../support/password_fixture.ts";
import {
  BASE_URL,
  type Home,
  openHome,
  type Ran,
  signedIn,
} from "../../../support/home_fixture.ts";

/** A machine that knows the admin secret, as one does that the service runs on. */
async function withSecret(): Promise<Home> {
  const at = await openHome();
  at.env.CLI_SERVICE_ADMIN_SECRET = at.service.adminSecret;
  // Accounts are in the order in which they were made.
  at.pass(1);
  return at;
}

/** Runs `service account …`. */
function accounts(at: Home, words: string): Promise<Ran> {
  return at.run(`service account ${words} --output json`);
}

/** The ids of the projects that an account sees. */
async function seen({ service }: Home, accountEmail: string): Promise<string[]> {
  const { access_token } = await service.oauth.issueToken({ accountEmail });
  const client = createClient({
    baseUrl: BASE_URL,
    credential: access_token,
    fetch: (request) => service.fetch(request),
  });
  return (await listProjects(client)).items.map(({ id }) => id);
}

Deno.test("a new account signs in and sees no project, one with a role sees its project", async () => {
  await using at = await withSecret();
  const project = at.service.projectId ?? "";
  const added = await accounts(at, "add Dana@Example.com --name Dana");
  strictEqual(added.code, 0, added.err);
  const { id: _, ...shown } = added.json();
  deepStrictEqual(shown, {
    object: "account",
    email: "dana@example.com",
    name: "Dana",
    projects: [],
    has_password: false,
  });
  deepStrictEqual(await seen(at, "dana@example.com"), []);
  const seated = await accounts(at, `add dana@example.com --project ${project}`);
  deepStrictEqual(seated.json().projects, [{ id: project, role: "developer" }]);
  deepStrictEqual(await seen(at, "dana@example.com"), [project]);
  const role = await accounts(at, `add dana@example.com --project ${project} --role read_only`);
  deepStrictEqual(role.json().projects, [{ id: project, role: "read_only" }]);
});

Deno.test("adding an account accepts the pending invitation for its address", async () => {
  await using at = await withSecret();
  const project = at.service.projectId ?? "";
  await accounts(at, `add support@example.com --project ${project} --role customer_support`);
  const { access_token } = await at.service.oauth.issueToken();
  const client = createClient({
    baseUrl: BASE_URL,
    credential: access_token,
    projectId: project,
    fetch: (request) => at.service.fetch(request),
  });
  const people = (await listCollaborators(client)).items;
  deepStrictEqual(people.map(({ email }) => email), ["owner@example.com", "support@example.com"]);
  ok(people.every(({ accepted_at }) => accepted_at !== null));
});

Deno.test("accounts are listed, the owner first", async () => {
  await using at = await withSecret();
  await accounts(at, "add a@example.com");
  const { items } = (await accounts(at, "list")).json();
  ok(Array.isArray(items));
  deepStrictEqual(items.map(({ email }) => email), ["owner@example.com", "a@example.com"]);
  const table = await at.run("service account list");
  match(
    table.out,
    /^EMAIL +NAME +PROJECTS +PASSWORD\nowner@example\.com +Olivia Owner +proj\w+ \(owner\) +none\n/,
  );
});

Deno.test("an existing account, a wrong address, role or project, and a missing secret are refused", async () => {
  await using at = await withSecret();
  await accounts(at, "add a@example.com");
  const codes = [
    (await accounts(at, "add A@example.com")).code,
    (await accounts(at, "add nobody")).code,
    (await accounts(at, "add b@example.com --project projnope")).code,
    (await accounts(at, `add b@example.com --project ${at.service.projectId} --role king`)).code,
  ];
  deepStrictEqual(codes, [7, 2, 5, 2]);
  const { items } = (await accounts(at, "list")).json();
  ok(Array.isArray(items) && items.length === 2, "nothing is left of what was refused");
  at.env.CLI_SERVICE_ADMIN_SECRET = "adm_wrong";
  strictEqual((await accounts(at, "list")).code, 4);
});

Deno.test("the consent page offers the new account", async () => {
  await using at = await withSecret();
  await accounts(at, `add a@example.com --project ${at.service.projectId}`);
  let page = "";
  await at.run("auth login", {
    browser: async (url) => {
      page = await (await at.service.fetch(new Request(url))).text();
      const address = new URL(url).searchParams.get("redirect_uri") ?? "";
      const state = new URL(url).searchParams.get("state") ?? "";
      const back = `${address}?error=access_denied&state=${state}`;
      await (await fetch(back)).body?.cancel();
      return true;
    },
  });
  match(page, /Choose your account[^]*owner@example\.com[^]*a@example\.com/);
  await signedIn(at);
});

Deno.test("for an account or a client that is not there, the hint names the list of the same data", async () => {
  await using at = await openHome({ signIn: CHEAP });
  at.env.CLI_SERVICE_ADMIN_SECRET = at.service.adminSecret;
  const lists = "See the accounts: cli service account list";
  for (const words of ["account reset nobody", "account remove nobody -y"]) {
    const { code, err } = await at.run(`service ${words}`);
    deepStrictEqual([code, err.trimEnd().split("\n").at(-1)], [5, lists], words);
  }
  const client = await at.run("service client remove nope -y");
  match(client.err, /\nSee the clients: cli service client list\n$/);
});
