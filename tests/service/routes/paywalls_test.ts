import { deepEqual, equal, match, ok, rejects } from "node:assert/strict";
import { ApiError } from "../../../lib/errors.ts";
import { getOffering } from "../../../lib/resources/offerings.ts";
import {
  createPaywall,
  deletePaywall,
  getPaywall,
  listPaywalls,
  type PaywallContent,
  setOfferingPaywall,
} from "../../../lib/resources/paywalls.ts";
import { apiOf, badField } from "../../support/api.ts";
import { type Desk, openDesk } from "../../support/harness.ts";

const CONTENT = { template_name: "one", default_locale: "en_US", localized_strings: { en_US: {} } };

Deno.test("an offering has one paywall, which is deleted with it", async () => {
  await using desk = await openDesk();
  const { client } = desk;
  const paywall = await createPaywall(client, { offering_id: "winter_sale" });
  equal(paywall.published_at, null);
  await rejects(createPaywall(client, { offering_id: "winter_sale" }), hasStatus(409));
  await rejects(createPaywall(client, { offering_id: "nope" }), hasStatus(404));
  equal((await listPaywalls(client)).items.length, 1);
  await desk.send("DELETE", `/v2/projects/${desk.projectId}/offerings/winter_sale`);
  equal((await listPaywalls(client)).items.length, 0);
});

Deno.test("paywall content is stored unchanged, with a revision number", async () => {
  await using desk = await openDesk();
  const { client } = desk;
  const first = await setOfferingPaywall(client, "default", { ...CONTENT, own: [1, { a: null }] });
  equal(first.components?.published?.revision, 1);
  deepEqual(first.components?.published?.default_locale, "en_US");
  const second = await setOfferingPaywall(client, "default", CONTENT);
  equal(second.id, first.id);
  equal(second.components?.published?.revision, 2);
  const address = `/v2/projects/${desk.projectId}/offerings/default/paywall`;
  deepEqual(await (await desk.send("GET", address)).json(), CONTENT);
  equal((await desk.send("PUT", address, [])).status, 400);
  equal((await desk.send("PUT", address, { default_locale: 7 })).status, 400);
  const shown = await getPaywall(client, first.id, { expand: ["offering", "components"] });
  equal(shown.offering?.lookup_key, "default");
  equal(shown.components?.published?.revision, 2);
  await deletePaywall(client, first.id);
  equal((await desk.send("GET", address)).status, 404);
});

Deno.test("known parts of paywall content are validated, and the revision is read-only", async () => {
  await using desk = await openDesk();
  const api = apiOf(desk);
  const refused = (param: string, body: object) =>
    api.refused(badField(param), "PUT", "/offerings/default/paywall", body);
  for (const texts of ["localized_strings", "components_localizations"]) {
    await refused(`${texts}.en`, { [texts]: { en: "x" } });
    await refused(`${texts}.en`, { [texts]: { en: ["x"] } });
    await refused(`${texts}.en`, { [texts]: { de: {}, en: null } });
    await refused(texts, { [texts]: [] });
  }
  await refused("revision", { ...CONTENT, revision: 9 });
  await refused("revision", { revision: null });
  equal((await listPaywalls(desk.client)).items.length, 0, "nothing is left of what was refused");
});

Deno.test("a version shows each part of the content once", async () => {
  await using desk = await openDesk();
  const shown = async (content: PaywallContent) => {
    const { components } = await setOfferingPaywall(desk.client, "default", content);
    const { revision: _, ...version } = components?.published ?? { revision: null };
    return version;
  };
  const en = { title: "Pro" };
  deepEqual(await shown({ ...CONTENT, localized_strings: { en }, config: { a: 1 } }), {
    components_config: { template_name: "one", config: { a: 1 } },
    default_locale: "en_US",
    components_localizations: { en },
  });
  const layout = { base: {} };
  deepEqual(
    await shown({ components_config: layout, components_localizations: { en }, own: 1 }),
    { components_config: layout, default_locale: null, components_localizations: { en } },
  );
  deepEqual(await shown({ localized_strings: { en } }), {
    components_config: null,
    default_locale: null,
    components_localizations: { en },
  });
});

Deno.test("paywalls list names offerings by their lookup keys, in one request", async () => {
  await using desk = await openDesk();
  await createPaywall(desk.client, { offering_id: "winter_sale" });
  desk.sent.length = 0;
  match((await desk.run("paywalls", "list")).out, /\npw\w+ +winter_sale +/);
  const reads = desk.sent.filter(({ path }) => path.startsWith("/v2/"));
  equal(reads.length, 1);
  const json = await desk.run("paywalls", "list", "--output", "json");
  ok(!json.out.includes("winter_sale"), "JSON is what nobody asked more of");
});

Deno.test("publish sets the paywall, makes the offering current, and skips finished steps", async () => {
  const files = { "/paywall.json": JSON.stringify(CONTENT) };
  await using desk = await openDesk({ files });
  const words = ["publish", "offering", "winter_sale", "--paywall", "/paywall.json", "--current"];
  const plan = await desk.run(...words, "--dry-run");
  equal(plan.code, 0);
  match(plan.out, /Set the paywall +planned +there is no content yet/);
  equal(writesOf(desk), 0);
  const refused = await desk.run(...words);
  equal(refused.code, 3);
  equal(writesOf(desk), 0);
  const done = await desk.run(...words, "-y");
  equal(done.code, 0);
  const [, id = ""] = /Set the paywall +done +paywall (pw\w+), revision 1$/m.exec(done.out) ?? [];
  match(done.out, /Make it the current offering +done +it is now current$/m);
  const shown = await desk.run("paywalls", "view", id, "--content");
  match(shown.out, /^components\.published\.revision +1$/m);
  match(shown.out, /^components\.published\.default_locale +en_US$/m);
  equal((await getOffering(desk.client, "winter_sale")).is_current, true);
  const writes = writesOf(desk);
  const again = await desk.run("--output", "json", ...words);
  equal(again.code, 0);
  deepEqual((again.json() as { steps: { status: string }[] }).steps.map(({ status }) => status), [
    "skipped",
    "skipped",
  ]);
  equal(writesOf(desk), writes);
});

Deno.test("publish makes an offering current by default, also with --paywall, unless --no-current", async () => {
  const files = { "/paywall.json": JSON.stringify(CONTENT), "/empty.json": "{}" };
  await using desk = await openDesk({ files });
  const words = ["publish", "offering", "winter_sale"];
  const paywall = [...words, "--paywall", "/paywall.json"];
  const without = await desk.run(...paywall, "--no-current", "-y");
  equal(without.code, 0);
  ok(!without.out.includes("current offering"));
  equal((await getOffering(desk.client, "winter_sale")).is_current, false);
  const plan = await desk.run(...paywall, "--dry-run");
  match(
    plan.out,
    /^Make it the current offering +planned +the default; skip it with --no-current$/m,
  );
  equal((await desk.run(...paywall, "-y")).code, 0);
  equal((await getOffering(desk.client, "winter_sale")).is_current, true);
  equal((await desk.run("offerings", "set-current", "default")).code, 0);
  match((await desk.run(...words, "--no-current")).err, /nothing to publish/);
  equal((await desk.run(...words, "--paywall", "/empty.json", "-y")).code, 2);
  const both = await desk.run(...words, "--current", "--no-current", "-y");
  equal(both.code, 2);
  match(both.err, /--current and --no-current exclude each other\nPass one of them\n/);
  match((await desk.run(...words, "--help")).out, /--no-current/);
  equal((await desk.run("publish", "offering", "nope", "-y")).code, 5);
  equal((await desk.run(...words, "-y")).code, 0);
  equal((await getOffering(desk.client, "winter_sale")).is_current, true);
});

Deno.test("publish refuses an invalid file before it shows a plan", async () => {
  const files: Record<string, string> = {};
  await using desk = await openDesk({ files });
  const words = ["publish", "offering", "winter_sale", "--paywall", "/paywall.json", "-y"];
  const address = `/v2/projects/${desk.projectId}/offerings/winter_sale/paywall`;
  const values = [6, true, null, "", "text", [], ["a"], {}, { a: 1 }, { en_US: { title: "a" } }];
  const names = ["localized_strings", "components_localizations", "components_config", "config"];
  for (
    const name of ["template_name", "default_locale", "asset_base_url", ...names, "revision", "own"]
  ) {
    for (const value of values) {
      const content = JSON.stringify({ [name]: value });
      files["/paywall.json"] = content;
      const { code, out, err } = await desk.run(...words);
      const { status } = await desk.send("PUT", address, { [name]: value });
      equal(code === 0, status === 200, `${content}: ${err}`);
      if (code === 0) continue;
      equal(code, 2, content);
      equal(out, "");
      ok(err.startsWith(`Cannot publish the paywall: "${name}`), err);
    }
  }
});

Deno.test("publish refuses content that the service could not store, at any depth", async () => {
  const files: Record<string, string> = {};
  await using desk = await openDesk({ files });
  const words = ["publish", "offering", "winter_sale", "--paywall", "/paywall.json", "-y"];
  const wrong: [json: string, why: string][] = [
    ['{"default_locale": ""}', '"default_locale" must not be empty'],
    ['{"__proto__": {}}', '"__proto__" must be left out: no field has that name'],
    ['{"own": [{"__proto__": 1}]}', '"own.0.__proto__" must be left out: no field has that name'],
    ['{"config": {"a": "\\u0000"}}', '"config.a" holds text that is not valid Unicode, or a NUL'],
    ['{"config": {"\\ud800": 1}}', '"config.\\ud800" holds text that is not valid Unicode'],
  ];
  for (const [json, why] of wrong) {
    files["/paywall.json"] = json;
    const { code, out, err } = await desk.run(...words);
    deepEqual([code, out, desk.sent.length], [2, "", 0], json);
    ok(err.startsWith(`Cannot publish the paywall: ${why}`), err);
  }
});

Deno.test("a publish that fails in the middle shows the finished steps, and can be continued", async () => {
  let broken = true;
  const files = { "/paywall.json": JSON.stringify(CONTENT) };
  await using desk = await openDesk({
    files,
    intercept: async (request, pass) => {
      const moves = request.method === "POST" && request.url.includes("/offerings/");
      if (moves && broken) return Response.json({ message: "no" }, { status: 500 });
      return await pass(request);
    },
  });
  const words = ["publish", "offering", "winter_sale", "--paywall", "/paywall.json", "--current"];
  const failed = await desk.run(...words, "-y");
  equal(failed.code, 9);
  match(failed.err, /^Cannot make it the current offering: no; completed before: set the paywall/m);
  broken = false;
  const finished = await desk.run(...words, "-y");
  equal(finished.code, 0);
  match(finished.out, /Set the paywall +skipped/);
});

Deno.test("paywalls on the command line", async () => {
  await using desk = await openDesk();
  const created = await desk.run("--output", "json", "paywalls", "create", "--offering", "default");
  equal(created.code, 0);
  const { id } = created.json() as { id: string };
  match((await desk.run("paywalls", "list")).out, new RegExp(id));
  match((await desk.run("paywalls", "view", id)).out, /published_at +-/);
  equal((await desk.run("paywalls", "create")).code, 2);
  equal((await desk.run("paywalls", "delete", id)).code, 3);
  equal((await desk.run("paywalls", "delete", id, "-y")).code, 0);
  match((await desk.run("paywalls", "list")).err, /Nothing to show/);
});

/** The number of requests that write. */
function writesOf(desk: Desk): number {
  return desk.sent.filter(({ method, path }) => method !== "GET" && path.startsWith("/v2/")).length;
}

function hasStatus(status: number): (error: unknown) => boolean {
  return (error) => error instanceof ApiError && error.status === status;
}
