import { deepEqual, equal, match, notEqual, ok } from "node:assert/strict";
import { join } from "node:path";
import { listApps } from "../../../lib/resources/apps.ts";
import {
  createWebhook,
  getWebhook,
  listWebhooks,
  type NewWebhook,
  updateWebhook,
} from "../../../lib/resources/webhooks.ts";
import { apiOf, badField, noSuch } from "../../support/api.ts";
import {
  LOCAL_ADDRESSES,
  RESERVED,
  THIS_MACHINE,
  WRONG_URLS,
} from "../../support/forbidden_targets.ts";
import { openDesk } from "../../support/harness.ts";
import { HOST, type Internet, openInternet, PUBLIC, TLS } from "../../support/internet.ts";
import { inFolder } from "../../support/store_fixture.ts";

const URL = `https://${HOST}/events`;

/** A receiver on the Internet that only completes the TLS handshake. */
function openReceiver(): Internet & Disposable {
  const internet = openInternet();
  const listener = Deno.listenTls({ hostname: "127.0.0.1", port: 0, ...TLS });
  internet.names.set(HOST, [PUBLIC]);
  internet.ports.set(PUBLIC, (listener.addr as Deno.NetAddr).port);
  void (async () => {
    for await (const conn of listener) {
      await conn.read(new Uint8Array(1)).catch(() => null);
      conn.close();
    }
  })();
  return { ...internet, [Symbol.dispose]: () => listener.close() };
}

/** A valid body. */
function newWebhook(more: Partial<NewWebhook> = {}): NewWebhook {
  return { name: "Renewals", url: URL, event_types: ["renewal"], ...more };
}

Deno.test("a webhook keeps its fields, and never shows its secrets", async () => {
  using internet = openReceiver();
  await using desk = await openDesk({ network: internet.network });
  const { client } = desk;
  const { items: [app] } = await listApps(client);
  const created = await createWebhook(
    client,
    newWebhook({
      event_types: ["renewal", "expiration", "renewal"],
      authorization_header: "Bearer hush hush",
      environment: "sandbox",
      app_id: app?.id ?? null,
    }),
  );
  const { signing_secret, ...rest } = created;
  match(signing_secret ?? "", /^whsec_[A-Za-z0-9+/]{32}$/);
  match(rest.id, /^whintgr[0-9a-f]{10}$/);
  deepEqual(rest, {
    object: "webhook_integration",
    id: rest.id,
    project_id: desk.projectId,
    name: "Renewals",
    url: URL,
    event_types: ["renewal", "expiration"],
    environment: "sandbox",
    app_id: app?.id,
    created_at: rest.created_at,
    disabled_at: null,
  });
  deepEqual(await getWebhook(client, rest.id), rest);
  const other = await createWebhook(client, newWebhook());
  notEqual(other.signing_secret, signing_secret);
  deepEqual([other.environment, other.app_id], [null, null]);
  deepEqual((await listWebhooks(client)).items.map(({ id }) => id), [rest.id, other.id]);
});

Deno.test("an update changes only its fields, and null means all", async () => {
  using internet = openReceiver();
  await using desk = await openDesk({ network: internet.network });
  const { client } = desk;
  const { id, signing_secret: _, ...before } = await createWebhook(
    client,
    newWebhook({ environment: "production", authorization_header: "a" }),
  );
  const dialled = internet.dialled.length;
  deepEqual(await updateWebhook(client, id, {}), { ...before, id });
  const named = await updateWebhook(client, id, { name: "All", event_types: null });
  deepEqual([named.name, named.event_types, named.environment], ["All", null, "production"]);
  equal((await updateWebhook(client, id, { environment: null })).environment, null);
  // Only a URL is checked.
  equal(internet.dialled.length, dialled);
  equal((await updateWebhook(client, id, { url: URL })).url, URL);
  equal((await updateWebhook(client, id, { url: `${URL}/2` })).url, `${URL}/2`);
  equal(internet.dialled.length, dialled + 2);
  // A URL already in use need not answer.
  internet.names.clear();
  equal((await updateWebhook(client, id, { url: `${URL}/2`, name: "B" })).name, "B");
});

Deno.test("the fields of a webhook are validated", async () => {
  using internet = openReceiver();
  await using desk = await openDesk({ network: internet.network });
  const api = apiOf(desk);
  const { id } = await createWebhook(desk.client, newWebhook());
  const at = `/integrations/webhooks/${id}`;
  const bad: [field: string, value: unknown, message: RegExp][] = [
    ["name", "", /must have 1 to 1500 characters/],
    ["name", "a".repeat(1501), /must have 1 to 1500 characters/],
    ["name", null, /must be text/],
    ["url", "", /must have 1 to 5000 characters/],
    ["url", 1, /must be text/],
    ["event_types", [], /must have 1 to 100 items/],
    ["event_types", "renewal", /must be a list/],
    ["authorization_header", "", /must have 1 to 5000 characters/],
    ["authorization_header", "a\r\nX-Other: b", /must be printable ASCII/],
    ["authorization_header", " a", /must be printable ASCII/],
    ["authorization_header", "\u00e9", /must be printable ASCII/],
    ["environment", "test", /must be one of production, sandbox/],
    ["app_id", "", /must have 1 to 255 characters/],
  ];
  for (const [field, value, message] of bad) {
    const body = { ...newWebhook(), [field]: value };
    await api.refused(badField(field, message), "POST", "/integrations/webhooks", body);
    await api.refused(badField(field, message), "POST", at, { [field]: value });
  }
  for (const field of ["name", "url", "event_types"]) {
    const { [field]: _, ...body }: Record<string, unknown> = { ...newWebhook() };
    const needed = badField(field, /is a required property/);
    await api.refused(needed, "POST", "/integrations/webhooks", body);
  }
  for (const type of ["RENEWAL", "Renewal", "test", "subscriber_alias", "*", 1]) {
    const listing = badField(
      "event_types.1",
      /must be one of initial_purchase, .*, in lower case$/,
    );
    const event_types = ["renewal", type];
    await api.refused(listing, "POST", at, { event_types });
  }
  const noApp = { status: 404, type: "resource_missing", param: "app_id" };
  const body = newWebhook({ app_id: "app0" });
  await api.refused(noApp, "POST", "/integrations/webhooks", body);
  await api.refused(noApp, "POST", at, { app_id: "app0" });
  const unknown = { status: 404, type: "resource_missing" };
  // An unknown webhook is reported before an invalid URL.
  await api.refused(unknown, "POST", "/integrations/webhooks/whintgr0", { url: "http://a" });
  const surprise = { ...newWebhook(), surprise: 1, id: "mine" };
  notEqual((await api.post("/integrations/webhooks", surprise)).id, "mine");
});

Deno.test("a forbidden URL is 400, and one that does not answer 422", async () => {
  using internet = openReceiver();
  await using desk = await openDesk({ network: internet.network });
  const api = apiOf(desk);
  const create = (url: string) => ({ ...newWebhook(), url });
  const forbidden = badField("url");
  const dialled = internet.dialled.length;
  const urls = [...[...THIS_MACHINE, ...RESERVED].map((host) => `https://${host}/`), ...WRONG_URLS];
  for (const address of LOCAL_ADDRESSES) {
    const name = `h${urls.length}.acme.dev`;
    internet.names.set(name, [PUBLIC, address]);
    urls.push(`https://${name}/`);
  }
  // The body's own check refuses a NUL before that.
  for (const url of urls.filter((url) => !url.includes("\0"))) {
    await api.refused(forbidden, "POST", "/integrations/webhooks", create(url));
  }
  equal(internet.dialled.length, dialled);
  const unreachable = { status: 422, type: "unprocessable_entity_error", param: "url" };
  internet.names.set("closed.acme.dev", ["1.2.3.4"]);
  internet.names.set("other.acme.dev", [PUBLIC]);
  internet.names.set("empty.acme.dev", []);
  for (const name of ["nobody", "empty", "closed", "other"]) {
    const body = create(`https://${name}.acme.dev/`);
    await api.refused(unreachable, "POST", "/integrations/webhooks", body);
  }
  const { id } = await createWebhook(desk.client, newWebhook());
  const at = `/integrations/webhooks/${id}`;
  await api.refused(unreachable, "POST", at, { url: "https://nobody.acme.dev/" });
  await api.refused(forbidden, "POST", at, { url: "https://localhost/" });
  equal((await getWebhook(desk.client, id)).url, URL);
  equal((await listWebhooks(desk.client)).items.length, 1);
});

Deno.test("an unchanged URL is checked again in an update", async () => {
  await inFolder(async (folder) => {
    const database = join(folder, "data.db");
    using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    const url = `http://127.0.0.1:${listener.addr.port}/`;
    const before = await openDesk({ database, webhookTargets: "loopback" });
    const { id } = await createWebhook(before.client, newWebhook({ url }));
    await before[Symbol.asyncDispose]();
    await using desk = await openDesk({ database, webhookTargets: "public" });
    const api = apiOf(desk);
    await api.refused(badField("url"), "POST", `/integrations/webhooks/${id}`, { url });
    equal((await updateWebhook(desk.client, id, { name: "B" })).name, "B");
  });
});

Deno.test("a repeated creation gets the first answer, even if the receiver no longer answers", async () => {
  using internet = openReceiver();
  await using desk = await openDesk({ network: internet.network });
  const api = apiOf(desk);
  const key = { "Idempotency-Key": "one" };
  const first = await api.send("POST", "/integrations/webhooks", newWebhook(), key);
  equal(first.status, 201);
  internet.ports.clear();
  const again = await api.send("POST", "/integrations/webhooks", newWebhook(), key);
  deepEqual([again.status, again.body], [201, first.body]);
  equal((await listWebhooks(desk.client)).items.length, 1);
});

Deno.test("an app cannot be deleted while a webhook is limited to it", async () => {
  using internet = openReceiver();
  await using desk = await openDesk({ network: internet.network });
  const api = apiOf(desk);
  const app = await api.post("/apps", { name: "New", type: "stripe", stripe: {} });
  const { id } = await createWebhook(desk.client, newWebhook({ app_id: app.id }));
  const inTheWay = await api.refused(
    {
      status: 409,
      type: "unprocessable_entity_error",
      message: /Webhook integrations use this app/,
    },
    "DELETE",
    `/apps/${app.id}`,
  );
  deepEqual(inTheWay.referenced_object_ids, [id]);
  await updateWebhook(desk.client, id, { app_id: null });
  await api.remove(`/apps/${app.id}`);
});

Deno.test("an app deleted during the check of a URL is refused before any write", async () => {
  using internet = openReceiver();
  let meanwhile: () => Promise<unknown> = () => Promise.resolve();
  const connect: Internet["network"]["connect"] = async (...where) => {
    await meanwhile();
    return await internet.network.connect(...where);
  };
  await using desk = await openDesk({ network: { ...internet.network, connect } });
  const api = apiOf(desk);
  const { id } = await createWebhook(desk.client, newWebhook());
  const before = await api.get("/integrations/webhooks");
  for (const path of ["/integrations/webhooks", `/integrations/webhooks/${id}`]) {
    const app = await api.post("/apps", { name: "New", type: "stripe", stripe: {} });
    meanwhile = () => api.remove(`/apps/${app.id}`);
    await api.refused(noSuch("app_id"), "POST", path, newWebhook({ app_id: app.id, name: "Late" }));
    meanwhile = () => Promise.resolve();
    await api.refused(noSuch(), "GET", `/apps/${app.id}`);
  }
  deepEqual(await api.get("/integrations/webhooks"), before);
});

Deno.test("changes of webhooks are audited, and need their permission", async () => {
  using internet = openReceiver();
  await using desk = await openDesk({ network: internet.network });
  const api = apiOf(desk);
  const { id } = await createWebhook(desk.client, newWebhook());
  await updateWebhook(desk.client, id, { name: "B" });
  await api.remove(`/integrations/webhooks/${id}`);
  await api.refused(
    { status: 404, type: "resource_missing" },
    "GET",
    `/integrations/webhooks/${id}`,
  );
  const entries = (await api.get("/audit_logs?limit=3")).items;
  deepEqual(entries.map((entry) => [entry.action_type, entry.target_identifier]), [
    ["webhook_integration_deleted", id],
    ["webhook_integration_updated", id],
    ["webhook_integration_created", id],
  ]);
  for (const { additional_data } of entries) ok(!JSON.stringify(additional_data).includes("whsec"));
  await using reader = await openDesk({ scope: "project_configuration:integrations:read" });
  equal((await listWebhooks(reader.client)).items.length, 0);
  await apiOf(reader).refused(
    { status: 403, type: "authorization_error" },
    "POST",
    "/integrations/webhooks",
    newWebhook(),
  );
});

Deno.test("webhooks on the command line", async () => {
  using internet = openReceiver();
  const files: Record<string, string> = {
    "webhook.json": JSON.stringify({ ...newWebhook(), authorization_header: "Bearer hush" }),
  };
  await using desk = await openDesk({ network: internet.network, files });
  const { run } = desk;
  const created = await run(
    ...["webhooks", "create", "--name", "Renewals", "--url", URL],
    ...["--events", "RENEWAL, Initial_Purchase,"],
  );
  match(created.out, /^signing_secret +whsec_\S+$/m);
  match(created.err, /^The signing secret is shown only once/);
  const id = /^id +(\S+)$/m.exec(created.out)?.[1] ?? "";
  match(
    (await run("webhooks", "list")).out,
    /^whintgr\S+ +Renewals +https:\S+ +renewal,initial_p/m,
  );
  const view = await run("webhooks", "view", id);
  match(view.out, /^event_types +renewal, initial_purchase$/m);
  ok(!view.out.includes("whsec_"));
  match((await run("webhooks", "update", id, "--events", "EXPIRATION")).out, /types +expiration$/m);
  match((await run("webhooks", "update", id, "--name", "Ends")).out, /^name +Ends$/m);
  const json = await run("webhooks", "create", "-f", "webhook.json", "--output", "json");
  match(String(Object(json.json()).signing_secret), /^whsec_/);
  equal((await run("webhooks", "delete", id)).code, 3);
  equal((await run("webhooks", "delete", id, "-y")).code, 0);

  const writes = desk.sent.length;
  const missing = await run("webhooks", "create", "--name", "A", "--url", URL);
  equal(missing.code, 2);
  match(missing.err, /--events is missing\n/);
  const none = await run("webhooks", "create", "--name", "A", "--url", URL, "--events", " , ");
  equal(none.code, 2);
  match(none.err, /it names no event type\n/);
  equal(desk.sent.length, writes);
  const wrong = await run("webhooks", "create", "--name", "A", "--url", URL, "--events", "renewed");
  equal(wrong.code, 1);
  match(wrong.err, /must be one of initial_purchase, renewal, /);
  const local = ["--name", "A", "--url", "https://localhost/", "--events", "renewal"];
  match((await run("webhooks", "create", ...local)).err, /'url' must not use the reserved host/);
});
