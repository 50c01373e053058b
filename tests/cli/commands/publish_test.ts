import { deepEqual, equal, match } from "node:assert/strict";
import { at } from "../../support/cli_fixture.ts";
import { openDesk } from "../../support/harness.ts";

const CONTENT = '{"template_name": "one", "default_locale": "en_US", ' +
  '"localized_strings": {"en_US": {"title": "All of it"}}}';

Deno.test("a publication that fails in the middle lists its steps, in either format", async () => {
  let fails = "";
  await using desk = await openDesk({
    files: { "content.json": CONTENT },
    intercept: async (request, pass) =>
      fails !== "" && request.url.endsWith(fails) && request.method !== "GET"
        ? Response.json({ type: "server_error", message: "Not today" }, { status: 500 })
        : await pass(request),
  });
  const line = "publish offering winter_sale --paywall content.json --current -y".split(" ");
  fails = "/paywall";
  const first = await desk.run(...line, "--output", "json");
  equal(first.code !== 0, true);
  const statuses = (json: unknown) => [0, 1].map((i) => at(json, "steps", i, "status"));
  deepEqual(statuses(first.json()), ["failed", "not reached"]);
  equal(at(first.json(), "dry_run"), false);
  fails = "/offerings/winter_sale";
  const offering = (await desk.run("offerings", "view", "winter_sale", "--output", "json")).json();
  fails = `/offerings/${at(offering, "id")}`;
  const second = await desk.run(...line, "--output", "json");
  equal(second.code, 9);
  deepEqual(statuses(second.json()), ["done", "failed"]);
  const third = await desk.run(...line);
  match(third.err, /Not today/);
  equal(third.out.includes('"steps"'), false);
});
