import { equal, rejects, throws } from "node:assert/strict";
import { callerOf, dialectFor, keyIn, platformIn } from "../../../lib/service/http/sdk_caller.ts";
import { openDesk } from "../../support/harness.ts";
import { appOf } from "../../support/sdk_fixture.ts";

/** A request of an app. */
function requestOf(headers: Record<string, string>): Request {
  return new Request("http://127.0.0.1/v1/subscribers/ada", { headers });
}

Deno.test("the key is what follows the word Bearer, or the whole header", () => {
  for (const value of ["rcb_x", "Bearer rcb_x", "bearer   rcb_x", " rcb_x "]) {
    equal(keyIn(requestOf({ Authorization: value })), "rcb_x", value);
  }
  equal(keyIn(requestOf({})), "");
  equal(keyIn(requestOf({ Authorization: "Basic rcb_x" })), "Basic rcb_x");
});

Deno.test("public SDKs get public names, whatever the service speaks otherwise", () => {
  const dialect = (key: string, more: Record<string, string> = {}) =>
    (["public", "specified"] as const).map((service) =>
      dialectFor(requestOf({ Authorization: `Bearer ${key}`, ...more }), service)
    ).join();
  for (const key of ["rcb_x", "test_x"]) equal(dialect(key), "public,public", key);
  equal(dialect("appl_x"), "public,specified");
  equal(dialect("appl_x", { "X-Version": "5" }), "public,public");
  equal(dialect("svcb_x", { "X-Version": "5" }), "public,specified");
  equal(dialect("xrcb_x"), "public,specified");
});

Deno.test("a platform is a known one in any case, or none", () => {
  equal(platformIn(requestOf({})), null);
  const known = "ios ipados macos tvos watchos visionos android amazon stripe roku paddle web";
  for (const name of known.split(" ")) {
    equal(platformIn(requestOf({ "X-Platform": name })), name);
    equal(platformIn(requestOf({ "X-Platform": name.toUpperCase() })), name);
  }
  throws(() => platformIn(requestOf({ "X-Platform": "symbian" })), {
    name: "SdkRefusal",
    status: 400,
    code: 7000,
    message: 'Unknown platform "symbian"',
  });
});

Deno.test("the key of an app leads to the app and its project, and no secret does", async () => {
  await using desk = await openDesk();
  const { id, key } = await appOf(desk, "app_store");
  const find = (Authorization: string) =>
    desk.service.store.read(async (tx) => {
      const { app, project } = await callerOf(requestOf({ Authorization }), tx);
      return `${project.id} ${app.id}`;
    });
  equal(await find(`Bearer ${key}`), `${desk.projectId} ${id}`);
  for (const kind of ["sk", "atk", "rtk", "adm"]) {
    await rejects(find(`${kind}_x`), {
      name: "SdkRefusal",
      status: 403,
      code: 7243,
      message: "This credential is secret and must not be in an app; use a public SDK key",
    });
  }
  const unknown = { status: 401, code: 7225, headers: { "WWW-Authenticate": "Bearer" } };
  await rejects(find("Bearer skate_x"), { ...unknown, message: "The public SDK key is unknown" });
  await rejects(find(""), {
    ...unknown,
    message: "A public SDK key is required: send Authorization: Bearer <key>",
  });
});
