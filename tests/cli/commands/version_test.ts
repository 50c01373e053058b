import { deepEqual, equal, match } from "node:assert/strict";
import { openDesk } from "../../support/harness.ts";

Deno.test("cli version asks for a newer version only with --check", async () => {
  let tag: unknown = "v99.0.0";
  await using desk = await openDesk({
    intercept: (request, pass) =>
      request.url.startsWith("https://releases.example/")
        ? Promise.resolve(Response.json({ tag_name: tag }))
        : pass(request),
  });
  const unset = await desk.run("version", "--check");
  equal(unset.code, 1);
  match(unset.err, /no address of releases is set\nSet CLI_RELEASES_URL/);
  desk.env["CLI_RELEASES_URL"] = "https://releases.example/latest";
  equal((await desk.run("version")).err, "");
  equal((await desk.run("version", "--check")).err, "Version 99.0.0 is out.\n");
  tag = "0.0.9";
  equal((await desk.run("version", "--check")).err, "This is the newest version.\n");
  const { json } = await desk.run("version", "--check", "--output", "json");
  const { latest, is_newest } = json() as Record<string, unknown>;
  deepEqual({ latest, is_newest }, { latest: "0.0.9", is_newest: true });
  tag = "nightly";
  const { code, err } = await desk.run("version", "--check");
  equal(code, 8);
  match(
    err,
    /^Cannot look for a newer version at https:\/\/releases\.example: the answer names no/,
  );
  deepEqual(desk.sent, []);
});
