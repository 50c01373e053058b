import { deepEqual, equal, match, ok } from "node:assert/strict";
import { createApp, listApps } from "../../../lib/resources/apps.ts";
import {
  archiveOffering,
  createOffering,
  getOffering,
  updateOffering,
} from "../../../lib/resources/offerings.ts";
import { type Desk, openDesk } from "../../support/harness.ts";

const NOW = Date.UTC(2026, 0, 31, 12, 30, 15);

Deno.test("offerings preview shows the offerings of the platform's app", async () => {
  await using desk = await openDesk({ clock: () => NOW });
  const { code, out, err } = await desk.run("offerings", "preview");
  deepEqual([code, err], [0, ""]);
  deepEqual(out.split("\n").map((line) => line.trimEnd().replace(/ {2,}/g, "  ")), [
    "CURRENT  OFFERING  DISPLAY_NAME  PACKAGES  PAYWALL",
    "*  default  Standard prices  3  no",
    "  winter_sale  Winter sale  1  no",
    "",
    "OFFERING  IDENTIFIER  PLATFORM_PRODUCT_IDENTIFIER",
    "default  $svc_monthly  notes.pro.monthly",
    "default  $svc_annual  notes.pro.annual",
    "default  $svc_lifetime  notes.pro.lifetime",
    "winter_sale  $svc_annual  notes.pro.annual",
    "",
  ]);
  const read = desk.sent.filter(({ path }) => path.startsWith("/v1/"));
  deepEqual(read, [{
    method: "GET",
    path: `/v1/subscribers/cli_preview_${NOW}/offerings`,
    status: 200,
  }]);
});

Deno.test("offerings preview reads as the given user on the given platform", async () => {
  await using desk = await openDesk();
  const words = ["offer", "preview", "--as", "$anon:1?2 😀", "--platform"];
  const android = await desk.run(...words, "android");
  match(android.out, /^OFFERING +IDENTIFIER +PLATFORM_PRODUCT_IDENTIFIER +PLAN$/m);
  match(android.out, /^default +\$svc_monthly +notes_pro +monthly$/m);
  match(android.out, /^default +\$svc_lifetime +notes_lifetime +-$/m);
  const web = await desk.run(...words, "web");
  match(web.out, /^winter_sale +\$svc_annual +notes_web_annual$/m);
  const place = `/v1/subscribers/${encodeURIComponent("$anon:1?2 😀")}/offerings`;
  deepEqual(desk.sent.filter(({ path }) => path === place).length, 2);
  equal((await desk.run(...words, "windows")).code, 2);
});

Deno.test("as JSON the answer is unchanged, or holds the one offering", async () => {
  await using desk = await openDesk({
    async intercept(request, pass) {
      const response = await pass(request);
      if (!request.url.includes("/v1/")) return response;
      // Unknown fields, and numbers that JavaScript would print differently.
      const text = await response.text();
      return new Response(text.replace('"metadata":null', '"metadata":{"a":1.50},"new":12e400'));
    },
  });
  const all = await desk.run("offerings", "preview", "--output", "json");
  equal(all.code, 0);
  match(all.out, /"a": 1\.50/);
  match(all.out, /"new": 12e400/);
  ok(all.out.includes('"winter_sale"'));
  const { id } = await getOffering(desk.client, "default");
  for (const name of ["default", id]) {
    const one = await desk.run("offerings", "preview", name, "--output", "json");
    match(one.out, /"a": 1\.50/);
    ok(!one.out.includes('"winter_sale"'));
    const shown: Record<string, unknown> = JSON.parse(one.out);
    equal(shown["current_offering_id"], "default");
    deepEqual(Object.keys(shown), Object.keys(JSON.parse(all.out)));
  }
});

Deno.test("an offering's lookup key or id selects the offering to show", async () => {
  await using desk = await openDesk();
  const { client } = desk;
  const { id } = await getOffering(client, "winter_sale");
  for (const name of ["winter_sale", id]) {
    const { out } = await desk.run("offerings", "preview", name);
    ok(!out.includes("default"), out);
    match(out, /^winter_sale +\$svc_annual/m);
  }
  await updateOffering(client, "winter_sale", { is_current: true });
  match((await desk.run("offerings", "preview", id)).out, /^\* +winter_sale/m);
  equal((await desk.run("offerings", "preview", "nope")).code, 5);
  await archiveOffering(client, "default");
  const archived = await desk.run("offerings", "preview", "default");
  equal(archived.code, 2);
  match(archived.err, /^Cannot preview the offering "default": apps do not receive it\n/);
  match(archived.err, /cli offerings unarchive default/);
});

Deno.test("products that cannot be sold are marked", async () => {
  await using desk = await openDesk();
  await createOffering(desk.client, { lookup_key: "empty", display_name: "Empty" });
  const { code, out, err } = await desk.run("offerings", "preview", "empty");
  equal(code, 0);
  match(out, /^ +empty +Empty +0 +no$/m);
  match(err, /The app receives no packages/);
});

Deno.test("without a single app for the platform, the app ids are listed", async () => {
  await using desk = await openDesk();
  const { client } = desk;
  const ids = await idsOf(desk);
  const amazon = { package_name: "com.example.notes" };
  const fire = await createApp(client, { type: "amazon", name: "Fire", amazon });
  const several = await desk.run("offerings", "preview", "--platform", "android");
  equal(several.code, 2);
  match(
    several.err,
    /^Cannot choose an app to preview: of the types play_store and amazon .* 2$/m,
  );
  ok(several.err.includes(`--app-id ${ids["play_store"]} (Notes for Android, play_store)`));
  ok(several.err.includes(`--app-id ${fire.id} (Fire, amazon)`));
  ok(!several.err.includes(ids["app_store"] ?? ""));
  const chosen = await desk.run("offerings", "preview", "--app-id", fire.id);
  equal(chosen.code, 0);
  match(chosen.out, /^\* +default +Standard prices +0 +no$/m);
  equal((await desk.run("offerings", "preview", "--app-id", "appnope")).code, 5);
});

Deno.test("an app and a platform that contradict each other are refused", async () => {
  await using desk = await openDesk();
  const { app_store = "", svc_billing = "" } = await idsOf(desk);
  const words = ["offerings", "preview", "--app-id", app_store, "--platform"];
  equal((await desk.run(...words, "ios")).code, 0);
  for (const platform of ["android", "web"]) {
    const { code, out, err } = await desk.run(...words, platform);
    deepEqual([code, out], [2, ""]);
    match(err, /^Cannot preview "Notes for iOS" \(app\w+\) on \w+: its type is app_store\n/);
    match(err, /^Leave out --platform or pass --platform ios, or /m);
  }
  // Without --platform nothing is contradicted.
  equal((await desk.run("offerings", "preview", "--app-id", svc_billing)).code, 0);
});

Deno.test("a project without an app for the platform lists its other apps, or none", async () => {
  await using desk = await openDesk();
  const created = await desk.run("projects", "create", "--name", "New", "--output", "json");
  const { id }: { id: string } = JSON.parse(created.out);
  const words = ["offerings", "preview", "--project-id", id];
  const empty = await desk.run(...words);
  equal(empty.code, 2);
  match(empty.err, /^Cannot choose .* of the types app_store and mac_app_store there is none\n/);
  match(empty.err, /^Run: cli apps create --help$/m);
  const client = desk.client.with({ projectId: id });
  const app = await createApp(client, { type: "stripe", name: "Web" });
  const other = await desk.run(...words);
  match(other.err, new RegExp(`^Pass one of: --app-id ${app.id} \\(Web, stripe\\)$`, "m"));
  const web = await desk.run(...words, "--platform", "web");
  deepEqual([web.code, web.out], [0, ""]);
  match(web.err, /The app receives no offering/);
});

Deno.test("an error of version 1 keeps its message", async () => {
  await using desk = await openDesk();
  const long = await desk.run("offerings", "preview", "--as", "x".repeat(1501));
  equal(long.code, 1);
  match(long.err, /An app user id must have at most 1500 bytes in UTF-8/);
  ok(!long.err.includes("does not come from the service"), long.err);
  const json = await desk.run(
    ...["offerings", "preview", "--as", "x".repeat(1501), "--output", "json"],
  );
  equal(json.out, "");
  equal(JSON.parse(json.err).error.type, "v1_7256");
});

/** The ids of apps by their types. */
async function idsOf({ client }: Desk): Promise<Record<string, string>> {
  return Object.fromEntries((await listApps(client)).items.map(({ type, id }) => [type, id]));
}
