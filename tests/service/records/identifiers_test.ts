import { deepEqual, equal } from "node:assert/strict";
import { ApiError } from "../../../lib/errors.ts";
import {
  createEntitlement,
  deleteEntitlement,
  getEntitlement,
} from "../../../lib/resources/entitlements.ts";
import { routes } from "../../../lib/service/routes/mod.ts";
import { fullPath, type Route } from "../../../lib/service/contract/route.ts";
import { apiOf, noSuch } from "../../support/api.ts";
import { openDesk } from "../../support/harness.ts";

/** Unknown ids that must stay unchanged on the way. */
const STRANGE = [
  "$RCAnonymousID:5d2f7c1e",
  "a/b",
  "/",
  "a%b",
  "%",
  "%2F",
  "%25",
  "%2525",
  "a?b",
  "a#b",
  "a b",
  " ",
  "a+b",
  "é",
  "e\u0301",
  "😀",
  "👨‍👩‍👧",
  "\u001b[31mred",
  "a\nb\tc\r",
  "\u007f\u0085",
  "\u202e\ufeff",
  "...",
  ". .",
  "../x",
  "a\\b",
  "'; drop table offerings; --",
  "<script>",
  "*",
  ":id",
  "{id}",
  "__proto__",
  "null",
  "x".repeat(1500),
  "😀".repeat(1500),
];

Deno.test("a strange id in a path is 404, and the message shows the id", async () => {
  await using desk = await openDesk();
  const api = apiOf(desk);
  const catalogue = /^\/(apps|products|entitlements|offerings|packages)\/\{id\}/;
  const withId = routes.filter(({ path }) => catalogue.test(path));
  equal(withId.length > 30, true);
  for (const route of withId) {
    const ids = route.name === "getEntitlement" ? STRANGE : STRANGE.slice(0, 16);
    for (const id of ids) {
      const path = pathOf(route, desk.projectId, encodeURIComponent(id));
      const { message } = await api.refused(noSuch(), route.method, path, bodyOf(route));
      equal(message.includes(JSON.stringify(id)), true, `${route.name}: ${message}`);
    }
  }
});

Deno.test("a NUL in a path is refused by every route, on every engine", async () => {
  await using desk = await openDesk();
  const api = apiOf(desk);
  const withValue = routes.filter(({ path }) => /\{\w+\}/.test(path));
  equal(withValue.length > 50, true);
  for (const route of withValue) {
    const { message } = await api.refused(
      { status: 400, type: "invalid_request" },
      route.method,
      pathOf(route, desk.projectId, "a%00b"),
      bodyOf(route),
    );
    equal(message, "The path contains a NUL character");
  }
});

Deno.test("a path is decoded exactly once", async () => {
  await using desk = await openDesk();
  const api = apiOf(desk);
  const display_name = "x";
  for (const lookup_key of ["%", "%25", "%2525", "%252525", "%zz", "%C3%A9", "é", "+", "%2B"]) {
    await api.post("/entitlements", { lookup_key, display_name });
  }
  const found = async (segment: string) => (await api.get(`/entitlements/${segment}`)).lookup_key;
  equal(await found("%25"), "%");
  equal(await found("%2525"), "%25");
  equal(await found("%252525"), "%2525");
  equal(await found("%25252525"), "%252525");
  equal(await found("%25zz"), "%zz");
  equal(await found("%25C3%25A9"), "%C3%A9");
  equal(await found("%C3%A9"), "é");
  equal(await found("%c3%a9"), "é");
  equal(await found("é"), "é", "a URL encodes it");
  equal(await found("+"), "+");
  equal(await found("%2B"), "+");
  equal(await found("%252B"), "%2B");
  equal(await found("%70%72%6F"), "pro");
});

Deno.test("an invalid escape in a path is 404", async () => {
  await using desk = await openDesk();
  const api = apiOf(desk);
  await api.post("/entitlements", { lookup_key: "%zz", display_name: "x" });
  const broken = [
    "%",
    "%zz",
    "%2",
    "%E0%A4",
    "%ED%A0%80",
    "%C0%AF",
    "%FF",
    "a%",
    "%25%zz",
    "%u0041",
  ];
  for (
    const route of routes.filter(({ path }) => /\{\w+\}/.test(path) && !path.startsWith("/v1/"))
  ) {
    for (const id of broken) {
      const path = pathOf(route, desk.projectId, id);
      await api.refused(noSuch(), route.method, path, bodyOf(route));
      const other = fullPath(route).replace("{project_id}", id).replace(/\{\w+\}/g, "x");
      await api.refused(noSuch(), route.method, other, bodyOf(route));
    }
  }
  equal((await api.get("/entitlements/%25zz")).lookup_key, "%zz");
});

Deno.test("lookup keys go through library, service and command unchanged", async () => {
  await using desk = await openDesk();
  const keys = [
    "$svc_monthly",
    "a%b",
    "%25",
    "a?b=c&d",
    "a#b",
    "é😀",
    "a\\b",
    "--all",
    "-x",
    "[a]",
  ];
  for (const lookup_key of [...keys, "😀".repeat(200), "...", "'\"`$(x)"]) {
    const made = await createEntitlement(desk.client, { lookup_key, display_name: "x" });
    equal(made.lookup_key, lookup_key);
    deepEqual(await getEntitlement(desk.client, lookup_key), made);
    const { code, json, err } = await desk.run(
      "entitlements",
      "view",
      "--output",
      "json",
      "--",
      lookup_key,
    );
    deepEqual([code, err], [0, ""]);
    deepEqual(json(), made);
    equal((await deleteEntitlement(desk.client, lookup_key)).id, made.id);
  }
});

Deno.test("strange ids reach the service through the library unchanged", async () => {
  await using desk = await openDesk();
  for (const id of STRANGE) {
    try {
      await getEntitlement(desk.client, id);
      throw new Error(`${id} was found`);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      equal(error.status, 404);
      equal(error.message, `There is no entitlement ${JSON.stringify(id)} in this project`);
    }
  }
});

/** The path of a route with this value for every id. */
function pathOf(route: Route, projectId: string, segment: string): string {
  return fullPath(route).replace("{project_id}", projectId).replace(/\{\w+\}/g, () => segment);
}

/** A valid body. The object is missing before the fields are checked. */
function bodyOf(route: Route): unknown {
  return route.method === "GET" ? undefined : {};
}
