import { deepEqual, equal, match } from "node:assert/strict";
import { openDesk } from "../../support/harness.ts";

/** Commands that ask, each with an object that is not there. */
const ABSENT = [
  "apps delete nope",
  "products delete nope",
  "entitlements delete nope",
  "offerings delete nope",
  "packages delete nope",
  "paywalls delete nope",
  "virtual-currencies delete NOPE",
  "webhooks delete nope",
  "webhooks rotate-secret nope",
  "events listeners delete nope",
  "events listeners rotate-secret nope",
  "subscribers delete nope",
  "subscribers transfer nope ada",
  "subscribers refund nope nope",
  "subscriptions cancel nope",
  "subscriptions refund nope",
  "purchases refund nope",
];

Deno.test("a destructive command on an absent object ends with 404 before any question", async () => {
  await using desk = await openDesk();
  desk.env.CLI_SERVICE_ADMIN_SECRET = desk.service.adminSecret;
  for (const words of ABSENT) {
    desk.sent.length = 0;
    const { code, out, err } = await desk.run(...words.split(" "));
    deepEqual([code, out], [5, ""], `${words}: ${err}`);
    equal(err.includes("Cannot ask"), false, words);
    equal(
      desk.sent.every(({ method, path }) => method === "GET" || !path.startsWith("/v2/")),
      true,
      words,
    );
  }
});

Deno.test("a confirmation names the object and the project", async () => {
  await using desk = await openDesk();
  const asked = await desk.run("offerings", "delete", "winter_sale");
  equal(asked.code, 3);
  const where = `in the project ${desk.projectId}\\?": there is no interactive terminal`;
  match(asked.err, new RegExp(`"Delete the offering winter_sale ${where}`));
  const { id } = (await desk.run("offerings", "view", "winter_sale", "--output", "json"))
    .json() as { id: string };
  const byId = await desk.run("offerings", "delete", id);
  match(byId.err, new RegExp(`"Delete the offering ${id} \\(winter_sale\\) ${where}`));
});
