import { deepEqual, equal, match } from "node:assert/strict";
import { createWebhook } from "../../../../lib/resources/webhooks.ts";
import { type Desk, openDesk, type Ran } from "../../../support/harness.ts";
import { openReceiver } from "../../../support/receiver.ts";
import { simulate } from "../../../support/simulation.ts";

/** A desk whose command line is the administrator's. */
function openFaulty(): Promise<Desk> {
  return openDesk({ webhookTargets: "loopback", isAdmin: true });
}

/** Runs `cli simulate faults`, which must succeed. */
async function faults(desk: Desk, ...words: string[]): Promise<Ran> {
  const ran = await desk.run("simulate", "faults", ...words);
  equal(ran.code, 0, ran.err);
  return ran;
}

Deno.test("simulate faults add makes that many requests fail, and list and clear show it", async () => {
  await using desk = await openFaulty();
  const offerings = `/v2/projects/${desk.projectId}/offerings`;
  const statuses = async (count: number) => {
    const seen = [];
    for (let i = 0; i < count; i++) seen.push((await desk.send("GET", offerings)).status);
    return seen;
  };
  equal((await faults(desk, "list")).err, "No faults are set.\n");
  const where = ["--path", "/v2/projects/*/offerings", "--method", "GET"];
  const added = await faults(desk, "add", ...where, "--status", "503", "--count", "2");
  match(added.out, /^status +503$/m);
  equal(
    added.err,
    "The fault applies to the next 2 requests\nClear all faults: cli simulate faults clear\n",
  );
  match((await faults(desk, "list")).out, /^GET +\/v2\/projects\/\*\/offerings +503 +- +- +2$/m);
  deepEqual(await statuses(3), [503, 503, 200]);
  const limited = ["--path", "/v2/**", "--status", "429", "--retry-after", "7", "--output", "json"];
  deepEqual((await faults(desk, "add", ...limited)).json(), {
    ...{ object: "fault", path: "/v2/**", count: 1, status: 429, retry_after_s: 7 },
  });
  // The command line itself meets it, and gets over it.
  equal((await desk.run("offerings", "list")).code, 0);
  deepEqual(desk.sent.slice(-2).map(({ status }) => status), [429, 200]);
  await faults(desk, "add", "--cut", "after", "--count", "9");
  equal((await faults(desk, "clear")).err, "All faults cleared.\n");
  deepEqual(await statuses(1), [200]);
});

Deno.test("simulate faults add-delivery makes deliveries fail, and clear ends it", async () => {
  await using desk = await openFaulty();
  using receiver = openReceiver();
  const { id } = await createWebhook(desk.client, {
    name: "All",
    url: receiver.url,
    event_types: ["non_renewing_purchase"],
  });
  const buy = async () => {
    await simulate(desk).purchase({ customer_id: "ada", product_id: "notes.pro.lifetime" });
    await desk.service.deliverer.idle();
  };
  const told = await faults(desk, "add-delivery", id, "duplicate");
  match(told.err, /^The fault applies to the next 1 delivery\n/);
  await faults(desk, "add-delivery", id, "drop", "--count", "3");
  const listed = await faults(desk, "list", "--output", "json");
  const fault = { object: "delivery_fault", webhook_id: id };
  deepEqual(listed.json(), {
    object: "faults",
    requests: [],
    deliveries: [{ ...fault, fault: "duplicate", count: 1 }, { ...fault, fault: "drop", count: 3 }],
  });
  match((await faults(desk, "list")).out, /^WEBHOOK +FAULT +LEFT\nwhintgr\S+ +duplicate +1\n/);
  await buy();
  equal(receiver.arrived.length, 2);
  await buy();
  equal(receiver.arrived.length, 2);
  await faults(desk, "clear");
  await buy();
  equal(receiver.arrived.length, 3);
});

Deno.test("simulate faults refuses invalid input before a request", async () => {
  await using desk = await openFaulty();
  const wrong: [string, RegExp][] = [
    ["add", /no kind of fault is given\nPass --status, --delay-ms or --cut/],
    ["add --retry-after 3 --delay-ms 1", /--retry-after: it needs --status/],
    ["add --cut before --status 500", /--cut with --status: a disconnected request gets no/],
    ["add --cut after --status 500", /--cut with --status/],
    ["add --status 200", /"200" for --status: it must be between 400 and 599/],
    ["add --cut now", /--cut cannot be "now"; it takes before, after/],
    ["add-delivery whintgr0 late", /"late": it must be duplicate, drop or reorder/],
  ];
  for (const [words, message] of wrong) {
    const { code, err } = await desk.run("simulate", "faults", ...words.split(" "));
    equal(code, 2, err);
    match(err, message);
  }
  deepEqual(desk.sent, []);
  const path = await desk.run("simulate", "faults", "add", "--path", "v2", "--status", "500");
  equal(path.code, 1);
  match(path.err, /must begin with \//);
  // What no request could ever meet.
  const never: [string, RegExp][] = [
    ["/_sim/**", /must not begin with \/_sim\/, which has no faults/],
    ["/_sim/projects/*/trigger", /must not begin with \/_sim\//],
    ["/v2/projects?limit=1", /must be a request path, without a query/],
    ["/v2/my projects", /must be a request path/],
    ["/V2/projects", /must begin with \/v2\/, .* in lower case/],
    ["/v3/**", /must begin with \/v2\//],
    ["/v2/../v1", /must be a request path/],
  ];
  for (const [path, message] of never) {
    const words = ["simulate", "faults", "add", "--path", path, "--status", "500"];
    const { code, err } = await desk.run(...words);
    equal(code, 1, path);
    match(err, message);
  }
  equal((await faults(desk, "list")).err, "No faults are set.\n");
  for (const path of ["/*/projects", "/**", "/oauth2/token", "/v1/**", "/health"]) {
    await faults(desk, "add", "--path", path, "--delay-ms", "0");
  }
  await faults(desk, "clear");
  const unknown = await desk.run("simulate", "faults", "add-delivery", "whintgr0", "drop");
  equal(unknown.code, 5);
});
