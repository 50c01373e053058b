import { deepEqual, equal, match, ok } from "node:assert/strict";
import { canBeChosen, EVENT_TYPES } from "../../../lib/cli/events/types.ts";
import { CHOOSABLE_EVENT_TYPES as CHOICES } from "../../../lib/event_types.ts";
import { updateWebhook } from "../../../lib/resources/webhooks.ts";
import { type Counter, openCounter } from "../../support/cli_fixture.ts";
import { answers, openReceiver, type Receiver } from "../../support/receiver.ts";
import { matchScreen, shown } from "../../support/screen.ts";
import { simulate } from "../../support/simulation.ts";

/** A counter with the admin secret, and with webhooks to this machine allowed. */
async function openOffice(columns?: number): Promise<Counter> {
  const counter = await openCounter({
    webhookTargets: "loopback",
    buyers: false,
    ...columns !== undefined && { columns },
  });
  counter.desk.env.CLI_SERVICE_ADMIN_SECRET = counter.desk.service.adminSecret;
  return counter;
}

/** Runs a command that must succeed, and returns its output. */
async function run({ run }: Counter, line: string): Promise<string> {
  const { code, out, err } = await run(line);
  equal(code, 0, `cli ${line}\n${err}`);
  return out;
}

/** Makes a webhook that goes to a receiver. Its id is `$hook` from then on. */
async function subscribe(counter: Counter, receiver: Receiver, events: string): Promise<void> {
  const line = `webhooks create --name All --url ${receiver.url} --events ${events}`;
  counter.ids["$hook"] = /^id +(\S+)$/m.exec(await run(counter, line))?.[1] ?? "";
}

/** Buys something for a customer, and waits for the event, `$event`. */
async function buy(counter: Counter, customer: string): Promise<void> {
  const { desk } = counter;
  await simulate(desk).purchase({
    product_id: "notes.pro.lifetime",
    price: 9,
    customer_id: customer,
  });
  await desk.service.deliverer.idle();
  counter.ids["$event"] = (await simulate(desk).rows("events")).at(-1)?.id ?? "";
}

Deno.test("webhooks ping reports whether the receiver accepted the event, also by its exit code", async () => {
  using receiver = openReceiver();
  await using counter = await openOffice();
  await subscribe(counter, receiver, "renewal");
  const good = await counter.run("webhooks ping $hook");
  deepEqual([good.code, good.err], [0, "The receiver accepted it\n"]);
  match(good.out, /^state +delivered$/m);
  equal(receiver.arrived[0]?.event.type, "TEST");
  receiver.behave = answers(500);
  const bad = await counter.run("webhooks ping $hook --output json");
  equal(bad.code, 1);
  equal(Object(bad.json()).last_status, 500);
  match(bad.err, /Cannot ping the webhook: The receiver answered 500/);
  const missing = await counter.run("webhooks ping whintgr0");
  equal(missing.code, 5);
  match(missing.err, /There is no webhook integration "whintgr0"/);
});

Deno.test("webhooks deliveries and attempts show the result of each event", async () => {
  using receiver = openReceiver(answers(503, {}, "busy"));
  await using counter = await openOffice();
  await subscribe(counter, receiver, "non_renewing_purchase");
  await buy(counter, "ada");
  receiver.behave = answers(200);
  await buy(counter, "bob");
  await buy(counter, "ada");
  const all = await run(counter, "webhooks deliveries $hook");
  const rows = all.split("\n").slice(1, 4).map((row) => row.split(/ {2,}/).slice(2, 7));
  deepEqual(rows, [
    ["ada", "waiting", "-", "-", "0"],
    ["bob", "delivered", "200", "2026-01-31 12:30:15Z", "1"],
    ["ada", "pending", "503", "2026-01-31 12:30:15Z", "1"],
  ]);
  const failing = await run(counter, "webhooks deliveries $hook --state pending --output json");
  const { items } = JSON.parse(failing);
  equal(items.length, 1);
  equal(items[0].last_error, "The receiver answered 503");
  const attempts = await run(counter, `webhooks attempts ${items[0].id}`);
  match(attempts, /^ *1 +2026-01-31 12:30:15Z +0 +503 +The receiver answered 503$/m);
  const whole = JSON.parse(await run(counter, `webhooks attempts ${items[0].id} --output json`));
  equal(whole.items[0].response.body, "busy");
  equal(JSON.parse(whole.items[0].request.body).event.app_user_id, "ada");
  match(await run(counter, "webhooks deliveries $hook --limit 1"), /waiting/);
  equal((await counter.run("webhooks deliveries $hook --state lost")).code, 2);
  equal((await counter.run("webhooks attempts dlv0")).code, 5);
});

Deno.test("webhooks rotate-secret asks first, and shows the new secret once", async () => {
  using receiver = openReceiver();
  await using counter = await openOffice();
  await subscribe(counter, receiver, "renewal");
  equal((await counter.run("webhooks rotate-secret $hook")).code, 3);
  const { out, err, code } = await counter.run("webhooks rotate-secret $hook -y");
  equal(code, 0);
  match(out, /^signing_secret +whsec_\S{32}$/m);
  match(out, /^previous_expires_at +2026-02-01 12:30:15Z$/m);
  match(err, /^The signing secret is shown only once\./);
});

Deno.test("events resend and recover send delivered and undelivered events again", async () => {
  using receiver = openReceiver(answers(410));
  await using counter = await openOffice();
  await subscribe(counter, receiver, "non_renewing_purchase");
  await buy(counter, "ada");
  const refused = await counter.run("events resend $event --webhook $hook");
  equal(refused.code, 7);
  match(refused.err, /is disabled: its receiver answered 410 Gone/);
  const enable = `Switch it on again: cli webhooks update ${counter.ids["$hook"]} --url <url>\n`;
  ok(refused.err.endsWith(enable), refused.err);
  const idle = await counter.run("events recover --since 2026-01-31 --webhook $hook");
  equal(idle.code, 7);
  ok(idle.err.endsWith(enable), idle.err);
  const pinged = await counter.run("webhooks ping $hook");
  equal(pinged.code, 7);
  ok(pinged.err.endsWith(enable), pinged.err);
  const nobody = await counter.run("events resend $event");
  deepEqual([nobody.code, nobody.out], [0, ""]);
  match(nobody.err, /No webhook subscribes to this event/);
  match(await run(counter, "webhooks list"), /2026-01-31 +2026-01-31/);
  receiver.behave = answers(200);
  await run(counter, `webhooks update $hook --url ${receiver.url}`);
  await buy(counter, "bob");
  // A day as the end is meant to its end.
  const before = "events recover --since 2026-01-31 --until 2026-01-31T00:00:00Z";
  equal((await counter.run(before)).err, "Resending 0 deliveries\n");
  const again = await counter.run("events recover --since 2026-01-31 --until 2026-01-31");
  deepEqual([again.code, again.err], [0, "Resending 1 delivery\n"]);
  await counter.desk.service.deliverer.idle();
  deepEqual(receiver.arrived.map(({ event }) => event.app_user_id), ["ada", "bob", "ada"]);
  const sent = await counter.run("events resend $event");
  match(sent.out, /^pending +dlv\w+ +whintgr\w+ +NON_RENEWING_PURCHASE/m);
  match(
    sent.err,
    /^The event is being sent to 1 webhook\nSee the result: cli webhooks att/,
  );
  await counter.desk.service.deliverer.idle();
  equal(receiver.arrived.at(-1)?.event.app_user_id, "bob");
  const later = await counter.run(
    "events recover --since 2026-02-01 --until 2026-02-02 --output json",
  );
  deepEqual(later.json(), { object: "recovery", deliveries: 0 });
  equal((await counter.run("events recover")).code, 2);
  const yesterday = await counter.run("events recover --since yesterday");
  equal(yesterday.code, 2);
  match(yesterday.err, /for --since: it is not a day such as 2027-01-31 or a time such as /);
  const nope = await counter.run("events resend nope");
  equal(nope.code, 5);
  match(nope.err, /\nSee the list: cli events list --project-id \w+\n$/);
  const noHook = await counter.run("events resend $event --webhook nope");
  match(noHook.err, /\nSee the list: cli webhooks list --project-id \w+\n$/);
  match(await run(counter, "events list"), /NON_RENEWING_PURCHASE +[-\d: ]{16}Z +ada/);
  match(await run(counter, "events view $event"), /^ {4}"app_user_id": "bob",$/m);
});

Deno.test("events resend with a delivery's id sends its event to its webhook only", async () => {
  using receiver = openReceiver(answers(500));
  await using counter = await openOffice();
  await subscribe(counter, receiver, "non_renewing_purchase");
  const first = counter.ids["$hook"] ?? "";
  await subscribe(counter, receiver, "non_renewing_purchase");
  await buy(counter, "ada");
  const listed = await run(counter, "webhooks deliveries $hook");
  const [delivery = ""] = /^dlv\w+/m.exec(listed) ?? [];
  const { items } = JSON.parse(await run(counter, `events resend ${delivery} --output json`));
  deepEqual(items.map(({ id }: { id: string }) => id), [delivery]);
  const other = await counter.run(`events resend ${delivery} --webhook ${first}`);
  equal(other.code, 2);
  match(
    other.err,
    /: it is a delivery to whintgr\w+\nSend its event there: cli events resend \S+ --w/,
  );
  equal((await counter.run("events resend dlv0")).code, 5);
});

Deno.test("events resend reports a delivery that waits for an earlier event", async () => {
  using receiver = openReceiver(answers(503));
  await using counter = await openOffice();
  await subscribe(counter, receiver, "non_renewing_purchase");
  await buy(counter, "ada");
  await buy(counter, "ada");
  const waiting = await run(counter, "webhooks deliveries $hook --state waiting");
  const [delivery = ""] = /^dlv\w+/m.exec(waiting) ?? [];
  const { code, out, err } = await counter.run(`events resend ${delivery}`);
  equal(code, 0);
  match(out, /^waiting +dlv/m);
  equal(
    err,
    "It waits at 1 webhook until an earlier event of the same customer is delivered\n" +
      `See the earlier deliveries: cli webhooks deliveries ${counter.ids["$hook"]}\n`,
  );
});

Deno.test("events recover refuses an end before the start without a request", async () => {
  await using counter = await openOffice();
  counter.desk.sent.length = 0;
  const line = "events recover --since 2026-11-28 --until 2026-11-27T12:00:00Z";
  const { code, err } = await counter.run(line);
  equal(code, 2);
  match(
    err,
    /--since 2026-11-28 00:00:00Z to --until 2026-11-27 12:00:00Z: the end is before the st/,
  );
  deepEqual(counter.desk.sent, []);
});

Deno.test("webhooks list shows disabled webhooks at any width", async () => {
  using receiver = openReceiver(answers(410));
  for (const columns of [60, 80]) {
    await using counter = await openOffice(columns);
    await subscribe(counter, receiver, "non_renewing_purchase");
    ok(!(await run(counter, "webhooks list")).includes("DISABLED"));
    await buy(counter, "ada");
    match(await run(counter, "webhooks list"), / DISABLED .*\n.* 2026-01-31 +2026-01-31\n$/);
  }
});

Deno.test("a ping dropped by a fault has a hint about faults, not attempts", async () => {
  using receiver = openReceiver();
  await using counter = await openOffice();
  await subscribe(counter, receiver, "renewal");
  await run(counter, "simulate faults add-delivery $hook drop");
  const { code, err } = await counter.run("webhooks ping $hook");
  equal(code, 1);
  match(
    err,
    /^Cannot ping the webhook: a fault dropped the event\n.*cli simulate faults clear\n$/,
  );
});

Deno.test("events trigger shows the number of receiving webhooks", async () => {
  using receiver = openReceiver();
  await using counter = await openOffice();
  const nobody = await counter.run("events trigger test");
  match(
    nobody.err,
    /\nNo webhook subscribes to it\. Send one to a webhook with: cli webhooks ping <id>\n/,
  );
  const consent = await counter.run("events trigger price_increase_consent_required");
  match(
    consent.err,
    /\nWebhooks cannot choose this type, and no webhook receives all types\.\n/,
  );
  const chosen = EVENT_TYPES.filter(({ type }) => canBeChosen(type)).map(({ type }) => type);
  deepEqual(chosen, CHOICES.map((type) => type.toUpperCase()));
  await subscribe(counter, receiver, "non_renewing_purchase");
  const somebody = await counter.run("events trigger non_renewing_purchase");
  match(somebody.err, /\nIt goes to 1 webhook\n/);
});

Deno.test("webhooks list counts many event types, and view names them", async () => {
  using receiver = openReceiver();
  await using counter = await openOffice(80);
  await subscribe(counter, receiver, "renewal,expiration");
  match(await run(counter, "webhooks list"), / renewal,expiration /);
  const many = "initial_purchase,renewal,cancellation,expiration,billing_issue";
  await run(counter, `webhooks update $hook --events ${many}`);
  match(await run(counter, "webhooks list"), / 5 types /);
  match(await run(counter, "webhooks view $hook"), /^event_types +initial_purchase, renewal, c/m);
  await updateWebhook(counter.desk.client, counter.ids["$hook"] ?? "", { event_types: null });
  match(await run(counter, "webhooks list"), / all /);
  const card = await run(counter, "webhooks view $hook");
  match(card, /^event_types +all\nenvironment +all\napp_id +all$/m);
  match(card, /^disabled_at +-$/m);
});

Deno.test("commands outside the API use only the local service", async () => {
  await using counter = await openOffice();
  counter.desk.env.CLI_BASE_URL = "https://service.example";
  const lines = [
    ...["webhooks ping a", "webhooks deliveries a", "webhooks attempts a", "events resend a"],
    ...["webhooks rotate-secret a -y", "events recover --since 2026-01-31", "events list"],
  ];
  for (const line of lines) {
    const { code, err } = await counter.run(line);
    equal(code, 2, line);
    match(err, /: it needs the local service/, line);
  }
  ok(counter.desk.sent.every(({ path }) => !path.startsWith("/_sim")));
});

/** The output at 80 columns. */
const SESSION = [
  "webhooks list",
  "webhooks create --name 'Renewals and more' --url $url --events renewal,non_renewing_purchase",
  "webhooks list",
  "webhooks view $hook",
  "webhooks ping $hook",
  "webhooks deliveries $hook",
  "webhooks deliveries $hook --state dead",
  "events list",
  "events view $event",
  "events resend $event",
  "webhooks attempts $delivery",
  "webhooks attempts nope",
  "events recover --since 2026-01-01",
  "events recover",
  "events recover --since 2026-11-28 --until 2026-11-27",
  "events resend $delivery",
  "webhooks update $hook --events RENEWED",
  "webhooks update $hook --url https://example.com/hook",
  "webhooks update $hook --url http://8.8.8.8/",
  "webhooks create --name A",
  "webhooks rotate-secret $hook",
  "webhooks rotate-secret $hook -y",
  "webhooks ping whintgrnope",
  "simulate faults add --status 503 --path /v2/**",
  "simulate faults add",
  "simulate faults add-delivery $hook duplicate",
  "simulate faults list",
  "simulate faults clear",
  "webhooks delete $hook -y",
  "events types",
  "events trigger renewal --customer ada --override purchase.price=4.99",
  "events trigger renewal --override purchase.prize=4.99",
  "events trigger renewed",
  "events trigger test",
  "events list --type RENEWED",
  "events listeners list",
  "events listen --forward-to $url --until-idle",
  "events listeners list",
  "events listeners secret default",
  "events listeners rotate-secret default",
  "events listeners rotate-secret default -y",
  "events listeners secret nope",
  "events listeners delete default",
  "events listeners delete default -y",
  "events listeners delete default -y",
];

Deno.test("webhooks and events at 80 columns match the reviewed text", async () => {
  using receiver = openReceiver();
  await using counter = await openOffice(80);
  counter.ids["$url"] = receiver.url;
  let text = "";
  for (const line of SESSION) {
    const ran = await counter.run(line);
    counter.ids["$hook"] ??= /^id +(whintgr\S+)$/m.exec(ran.out)?.[1] ?? counter.ids["$hook"] ?? "";
    if (counter.ids["$hook"] === "") delete counter.ids["$hook"];
    const [, delivery] = /^(dlv\S+) +NON_RENEW/m.exec(ran.out) ?? [];
    if (delivery !== undefined) counter.ids["$delivery"] = delivery;
    if (line.startsWith("webhooks ping $hook")) await buy(counter, "ada");
    await counter.desk.service.deliverer.idle();
    text += shown(line, ran);
  }
  const steady = text.replaceAll(`:${receiver.port}/`, ":40000/")
    .replace(/whsec_\S{32}/g, `whsec_${"A".repeat(32)}`)
    .replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, "00000000-0000-4000-8000-000000000000")
    .replace(/[0-9a-f]{8}-[0-9a-f]{4}-…/g, "00000000-0000-…")
    .replace(/ [0-9a-f]{6}… /g, " 000000… ");
  await matchScreen("webhooks", steady);
});

Deno.test("a webhook to a program that does not run gets a hint to start it", async () => {
  await using counter = await openCounter({ webhookTargets: "loopback", buyers: false });
  const url = "http://127.0.0.1:1/hooks";
  const { code, err } = await counter.run(
    `webhooks create --name Local --events renewal --url ${url}`,
  );
  ok(code !== 0);
  match(err, /'url' cannot be reached/);
  ok(err.includes(`Start the program at ${url} first`), err);
  ok(!err.includes("--webhook-targets"), err);
});

Deno.test("a refused webhook to this machine gets a hint with both alternatives", async () => {
  await using counter = await openCounter({ webhookTargets: "public", buyers: false });
  const create = "webhooks create --name Local --events renewal --url";
  for (const url of ["http://localhost:3000/hooks", "https://127.0.0.1/hooks"]) {
    const { code, err } = await counter.run(`${create} ${url}`);
    ok(code !== 0);
    ok(err.includes(`Forward events there with: cli events listen --forward-to ${url};`), err);
    match(err, /cli service start --webhook-targets loopback$/m);
  }
  match((await counter.run(`${create} https://10.0.0.7/`)).err, /--webhook-targets private$/m);
  const plain = await counter.run(`${create} http://acme.example.com/hooks`);
  ok(plain.code !== 0 && !plain.err.includes("--webhook-targets"), plain.err);
});
