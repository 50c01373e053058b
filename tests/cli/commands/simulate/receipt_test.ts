import { deepEqual, equal, match } from "node:assert/strict";
import { postSdkReceipt } from "../../../../mod.ts";
import { openDesk } from "../../../support/harness.ts";
import { appOf } from "../../../support/sdk_fixture.ts";

Deno.test("simulate purchase --receipt prints nothing but the receipt, which the app sends", async () => {
  await using desk = await openDesk();
  const words = "purchase newcomer notes.pro.monthly --price 9.99 --duration P1M --receipt".split(
    " ",
  );
  desk.env.CLI_SERVICE_ADMIN_SECRET = desk.service.adminSecret;
  const bought = await desk.run("simulate", ...words);
  equal(bought.code, 0, bought.err);
  match(bought.out, /^[\w+/=]+\n$/);
  match(bought.err, /The service records the purchase when the app sends the receipt/);
  equal((await desk.run("subscribers", "info", "newcomer")).code, 5);
  const { client } = await appOf(desk, "app_store");
  const fetch_token = bought.out.trim();
  const { subscriber } = await postSdkReceipt(client, { app_user_id: "newcomer", fetch_token });
  deepEqual(Object.keys(subscriber.subscriptions), ["notes.pro.monthly"]);
  const json = await desk.run("simulate", ...words, "--output", "json");
  equal(Object(json.json()).object, "receipt");
  const web = "purchase ada notes_web_monthly --price 9.99 --receipt".split(" ");
  match((await desk.run("simulate", ...web)).err, /sends no receipt of its store/);
});

Deno.test("apps public-keys shows the key that the public SDK takes", async () => {
  await using desk = await openDesk();
  const { id, key } = await appOf(desk, "svc_billing");
  const shown = await desk.run("apps", "public-keys", id);
  match(shown.err, new RegExp(`In the public SDK use: ${key.replace("svcb_", "rcb_")}`));
});
