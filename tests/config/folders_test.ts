import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { join } from "node:path";
import { BASE_URL, type Home, openHome, signedIn } from "../support/home_fixture.ts";

/** Another service. */
const ELSEWHERE = "https://elsewhere.example";

/** The local file of the working folder. */
function localFile(at: Home): string {
  return join(at.cwd, ".cli", "config.json");
}

/** Binds the working folder, then changes its local file as an archive would. */
async function fromElsewhere(at: Home, base_url: string, id?: string): Promise<void> {
  await signedIn(at);
  strictEqual((await at.run("init --no-apps")).code, 0);
  const content = JSON.parse(await Deno.readTextFile(localFile(at)));
  content.id = id;
  content.profile.base_url = base_url;
  await Deno.writeTextFile(localFile(at), JSON.stringify(content));
  at.sent.length = 0;
}

Deno.test("a folder that was bound here is used without a question, also after it has moved", async () => {
  await using at = await openHome();
  await signedIn(at);
  strictEqual((await at.run("init --no-apps")).code, 0);
  strictEqual((await at.run("projects list")).code, 0);
  ok(at.paths(at.home).includes(".cli/folders.json 600"));
  const moved = join(at.home, "moved");
  await Deno.rename(at.cwd, moved);
  at.cwd = moved;
  strictEqual((await at.run("projects list")).code, 0);
});

Deno.test("a folder's sign-in from elsewhere is not used without a terminal", async () => {
  await using at = await openHome();
  await fromElsewhere(at, ELSEWHERE);
  const { code, err } = await at.run("projects list");
  strictEqual(code, 4, err);
  match(err, /is from another machine, and its service is https:\/\/elsewhere\.example\n/);
  match(err, /cli auth trust/);
  deepStrictEqual(at.sent, []);
});

Deno.test("a folder's sign-in from elsewhere needs one confirmation, which shows its address", async () => {
  await using at = await openHome();
  await fromElsewhere(at, BASE_URL, "id_from_elsewhere");
  const no = await at.run("projects list", { keys: [["n", "\r"]] });
  match(no.asked, /send commands here to http:\/\/127\.0\.0\.1:4010\?/);
  ok(no.code !== 0);
  deepStrictEqual(at.sent, []);
  const yes = await at.run("projects list", { keys: [["y", "\r"]] });
  strictEqual(yes.code, 0, yes.err);
  ok(at.sent.length > 0);
  const again = await at.run("projects list");
  strictEqual(again.code, 0, again.err);
  // The id that came with the file must not open another file that has it, too.
  ok(!(await Deno.readTextFile(join(at.home, ".cli", "folders.json"))).includes("id_from"));
});

Deno.test("a known folder's sign-in with another address is not used", async () => {
  await using at = await openHome();
  await signedIn(at);
  strictEqual((await at.run("init --no-apps")).code, 0);
  const content = JSON.parse(await Deno.readTextFile(localFile(at)));
  content.profile.base_url = ELSEWHERE;
  await Deno.writeTextFile(localFile(at), JSON.stringify(content));
  at.sent.length = 0;
  strictEqual((await at.run("projects list")).code, 4);
  deepStrictEqual(at.sent, []);
});

Deno.test("auth trust asks, and then the sign-in is used", async () => {
  await using at = await openHome();
  await fromElsewhere(at, BASE_URL);
  const unasked = await at.run("auth trust");
  match(unasked.err, /Pass -y to answer yes/);
  strictEqual((await at.run("projects list")).code, 4);
  const trusted = await at.run("auth trust -y --output json");
  deepStrictEqual(trusted.json(), { path: localFile(at), base_url: BASE_URL, changed: true });
  strictEqual((await at.run("projects list")).code, 0);
  strictEqual((await at.run("auth trust --output json")).json().changed, false);
});

Deno.test("auth trust needs a folder with a sign-in", async () => {
  await using at = await openHome();
  const { code, err } = await at.run("auth trust");
  strictEqual(code, 4);
  match(
    err,
    /no \.cli\/config\.json here contains a sign-in\nSee which sign-in applies: cli auth status/,
  );
});

Deno.test("init replaces a sign-in from elsewhere without using it", async () => {
  await using at = await openHome();
  await fromElsewhere(at, ELSEWHERE);
  const hosts = new Set<string>();
  const { code, err } = await at.run("init --no-apps --force", {
    intercept: (request) => {
      hosts.add(new URL(request.url).origin);
      return Promise.resolve(undefined);
    },
  });
  strictEqual(code, 0, err);
  deepStrictEqual([...hosts], [BASE_URL]);
  strictEqual((await at.run("projects list")).code, 0);
});

Deno.test("auth trust is refused without a writable home folder, and changes nothing", async () => {
  await using at = await openHome();
  await fromElsewhere(at, BASE_URL, "id_from_elsewhere");
  const before = await Deno.readTextFile(localFile(at));
  const { code, err } = await at.run("auth trust -y", { homeless: true });
  strictEqual(code, 1);
  match(err, /^Cannot trust the sign-in in ".*config\.json": no home folder is known .*\nSet HOME/);
  strictEqual(await Deno.readTextFile(localFile(at)), before);
});

Deno.test("without a home folder, the answer about a folder's sign-in holds for the command", async () => {
  await using at = await openHome();
  await fromElsewhere(at, BASE_URL, "id_from_elsewhere");
  const before = await Deno.readTextFile(localFile(at));
  const yes = await at.run("projects list", { homeless: true, keys: [["y", "\r"]] });
  strictEqual(yes.code, 0, yes.err);
  strictEqual(await Deno.readTextFile(localFile(at)), before);
});
