import { deepEqual, equal, match, ok } from "node:assert/strict";
import { each } from "../../../lib/page.ts";
import { listAuditLogs } from "../../../lib/resources/audit_logs.ts";
import {
  getCustomer,
  listCustomerAliases,
  listCustomers,
} from "../../../lib/resources/customers.ts";
import { acrossProjects, inProject, nextSeq } from "../../../lib/service/store/mod.ts";
import { alreadyThere, type Api, apiOf, badField, noSuch, signIn } from "../../support/api.ts";
import { testOnSqlite } from "../../support/engine.ts";
import { type Desk, openDesk } from "../../support/harness.ts";

/** Ids of apps' users that a URL would change unless they are encoded once. */
const STRANGE = [
  "$RCAnonymousID:0123456789abcdef0123456789abcdef",
  "a/b",
  "a%2Fb",
  "two words",
  "plus+and&query?#x",
  "naïve 👩‍👩‍👧 ✨",
  "a@example.com",
  "ü".repeat(750),
  "😀".repeat(375),
];

Deno.test("a new customer is the same in the answer, alone and in the list", async () => {
  await using desk = await openDesk({ clock: () => 1_700_000_000_000 });
  const api = apiOf(desk);
  const created = await api.post("/customers", { id: "user_1-A" });
  deepEqual(created, {
    object: "customer",
    id: "user_1-A",
    project_id: desk.projectId,
    first_seen_at: 1_700_000_000_000,
    last_seen_at: null,
    last_seen_app_version: null,
    last_seen_country: null,
    last_seen_platform: null,
    last_seen_platform_version: null,
  });
  const { items } = await api.get("/customers?limit=100");
  deepEqual(items.at(-1), created);
  const { active_entitlements, experiment, ...rest } = await api.get("/customers/user_1-A");
  deepEqual(rest, created);
  equal(experiment, null);
  deepEqual(active_entitlements, {
    object: "list",
    items: [],
    next_page: null,
    url: `/v2/projects/${desk.projectId}/customers/user_1-A/active_entitlements`,
  });
});

Deno.test("the id of a new customer has only letters, digits, _ and -, and is no placeholder", async () => {
  await using desk = await openDesk();
  const api = apiOf(desk);
  const blocked = ["no_user", "null", "none", "nil", "NaN", "unidentified", "undefined"];
  const others = ["unknown", "anonymous", "guest", "-1", "0"];
  const unfit = [
    "",
    "a b",
    "a/b",
    "$RCAnonymousID:1",
    "ä",
    "a.b",
    "(null)",
    "[object Object]",
    " ",
  ];
  for (const id of [...blocked, ...others]) {
    const error = badField("id", /'id' is a placeholder, not a customer id/);
    await api.refused(error, "POST", "/customers", { id });
  }
  for (const id of [...unfit, "x".repeat(1501), 5, null]) {
    await api.refused(badField("id"), "POST", "/customers", { id });
  }
  await api.refused(badField("id"), "POST", "/customers", {});
  await api.refused(badField("app_user_id"), "POST", "/customers", { id: "a", app_user_id: "a" });
  // The rule is exact: these are valid ids.
  for (const id of ["Null", "GUEST", "-2", "00", "x".repeat(1500)]) {
    equal((await api.post("/customers", { id })).id, id);
  }
});

Deno.test("an id in use, also as an alias, is refused", async () => {
  await using desk = await openDesk();
  const api = apiOf(desk);
  await addAlias(desk, "ada", "lovelace");
  const seen = (await api.get("/customers")).items.length;
  for (const id of ["ada", "lovelace"]) {
    const { message } = await api.refused(alreadyThere("id"), "POST", "/customers", { id });
    match(message, new RegExp(JSON.stringify(id)));
  }
  equal((await api.get("/customers")).items.length, seen);
  equal((await api.post("/customers", { id: "Ada" })).id, "Ada");
});

Deno.test("a customer is found by any of its ids, and has its main id in the answer", async () => {
  await using desk = await openDesk();
  const api = apiOf(desk);
  for (const [i, id] of STRANGE.entries()) {
    await addAlias(desk, "ada", id);
    const place = `/customers/${encodeURIComponent(id)}`;
    equal((await api.get(place)).id, "ada", id);
    equal((await getCustomer(desk.client, id)).id, "ada", id);
    const { items } = await api.get(`${place}/aliases?limit=100`);
    deepEqual(items.map((item) => item.id), ["ada", ...STRANGE.slice(0, i + 1)]);
    equal(items[0]?.object, "customer.alias");
  }
  const walked = each(desk.client, listCustomerAliases(desk.client, "ada", { limit: 2 }));
  deepEqual((await Array.fromAsync(walked)).map(({ id }) => id), ["ada", ...STRANGE]);
  const after = `/customers/ada/aliases?starting_after=${encodeURIComponent("a/b")}&limit=1`;
  deepEqual((await api.get(after)).items.map(({ id }) => id), ["a%2Fb"]);
  await api.refused(badField("starting_after"), "GET", "/customers/ada/aliases?starting_after=x");
  await api.refused(
    badField("starting_after"),
    "GET",
    `/customers/ada/aliases?starting_after=grace`,
  );
});

Deno.test("aliases are listed oldest first, whatever the order of the database", async () => {
  await using desk = await openDesk();
  for (const alias of ["zoe", "bea", "mia"]) await addAlias(desk, "ada", alias);
  const { items } = await listCustomerAliases(desk.client, "ada");
  deepEqual(items.map(({ id }) => id), ["ada", "zoe", "bea", "mia"]);
});

Deno.test("an unknown customer is 404, and the error for a too long id says so", async () => {
  await using desk = await openDesk();
  const api = apiOf(desk);
  for (const path of ["", "/aliases", "/attributes"]) {
    await api.refused(noSuch(), "GET", `/customers/nobody${path}`);
    await api.refused(noSuch(), "GET", `/customers/Ada${path}`);
    const long = "x".repeat(1501);
    await api.refused(badField("customer_id", /1500/), "GET", `/customers/${long}${path}`);
  }
  await api.refused(noSuch(), "DELETE", "/customers/nobody");
  await api.refused(noSuch(), "POST", "/customers/nobody/attributes", {});
  const emoji = encodeURIComponent("😀".repeat(375));
  await api.refused(noSuch(), "GET", `/customers/${emoji}`);
  // The limit is one of bytes.
  const more = encodeURIComponent("😀".repeat(376));
  await api.refused(badField("customer_id", /1500/), "GET", `/customers/${more}`);
});

Deno.test("search finds customers by their exact e-mail address, page by page", async () => {
  await using desk = await openDesk();
  const api = apiOf(desk);
  const mail = "a+b%@example.com";
  const attributes = [{ name: "$email", value: mail }];
  for (const id of ["m1", "m2", "m3"]) await api.post("/customers", { id, attributes });
  const other = [{ name: "$email", value: mail.toUpperCase() }, { name: "email", value: mail }];
  await api.post("/customers", { id: "m4", attributes: other });
  const query = { search: mail, limit: 2 };
  const found = await Array.fromAsync(each(desk.client, listCustomers(desk.client, query)));
  deepEqual(found.map(({ id }) => id), ["m1", "m2", "m3"]);
  const paged = desk.sent.filter(({ path }) => path.includes("search="));
  equal(paged.length, 2);
  ok(paged.every(({ path }) => path.includes("search=a%2Bb%25%40example.com")), paged[1]?.path);
  await api.post("/customers/m2/attributes", { attributes: [{ name: "$email", value: null }] });
  const left = await listCustomers(desk.client, { search: mail });
  deepEqual(left.items.map(({ id }) => id), ["m1", "m3"]);
  equal((await listCustomers(desk.client, { search: "a+b_@example.com" })).items.length, 0);
  await api.refused(badField("search"), "GET", "/customers?search=");
  await api.refused(badField("search"), "GET", `/customers?search=${"x".repeat(256)}`);
});

testOnSqlite("search reads an index", "reads a plan in the words of SQLite", async () => {
  await using desk = await openDesk();
  const { sql } = await import("kysely");
  const { rows } = await desk.service.store.read((tx) =>
    sql<{ detail: string }>`explain query plan
      select * from customers where project_id = 'p' and 1 = 1 and id in (
        select customer_id from customer_attributes
        where project_id = 'p' and name = '$email' and value = 'x')
      order by seq asc limit 20`.execute(tx)
  );
  const plan = rows.map(({ detail }) => detail).join("\n");
  match(plan, /customer_attributes_by_email/);
  ok(!/SCAN/.test(plan), plan);
});

Deno.test("deleting a customer deletes its aliases and attributes, and frees its id", async () => {
  await using desk = await openDesk();
  const api = apiOf(desk);
  await addAlias(desk, "ada", "lovelace");
  const { deleted_at, ...deleted } = await api.remove("/customers/lovelace");
  deepEqual(deleted, { object: "customer", id: "ada" });
  equal(typeof deleted_at, "number");
  for (const id of ["ada", "lovelace"]) await api.refused(noSuch(), "GET", `/customers/${id}`);
  // A walk at the customer continues after it.
  const { items } = await api.get("/customers?starting_after=ada");
  deepEqual(items.map(({ id }) => id)[0], "grace");
  await api.post("/customers", { id: "lovelace" });
  await api.post("/customers", { id: "ada" });
  equal((await api.get("/customers/ada/attributes")).items.length, 0);
});

Deno.test("every change to a customer is in the audit log, under its own id", async () => {
  await using desk = await openDesk();
  const api = apiOf(desk);
  await addAlias(desk, "ada", "love/lace");
  await api.post("/customers", { id: "new" });
  const attributes = [{ name: "plan", value: "solo" }];
  await api.post("/customers/love%2Flace/attributes", { attributes });
  await api.remove("/customers/love%2Flace");
  const { items } = await listAuditLogs(desk.client);
  deepEqual(items.map((entry) => [entry.action_type, entry.target_type, entry.target_identifier]), [
    ["customer_deleted", "customer", "ada"],
    ["customer_attributes_updated", "customer", "ada"],
    ["customer_created", "customer", "new"],
  ]);
  ok(!JSON.stringify(items).includes("solo"), "the log holds what only the customer should");
});

Deno.test("reading customers needs the read permission, changing them the write permission", async () => {
  await using desk = await openDesk();
  const scope = "customer_information:customers:read";
  const reader = apiOf(desk, await signIn(desk, { scope }));
  await reader.get("/customers/ada?expand=attributes");
  const writes: [string, string, unknown?][] = [
    ["POST", "/customers", { id: "x" }],
    ["DELETE", "/customers/ada"],
    ["POST", "/customers/ada/attributes", { attributes: [{ name: "a", value: "b" }] }],
  ];
  for (const [method, path, body] of writes) {
    const { status, body: error } = await reader.send(method, path, body);
    equal(status, 403);
    match(error.message, /"customer_information:customers:read_write"/);
  }
  const other = "project_configuration:offerings:read_write";
  await expectForbidden(apiOf(desk, await signIn(desk, { scope: other })));
});

Deno.test("a walk over many customers returns each remaining one exactly once", async () => {
  await using desk = await openDesk();
  const { client } = desk;
  const api = apiOf(desk);
  const stable = Array.from({ length: 60 }, (_, i) => `stable_${i}`);
  for (const [i, id] of stable.entries()) {
    await api.post("/customers", { id });
    await api.post("/customers", { id: `passing_${i}` });
  }
  const seen: string[] = [];
  for await (const { id } of each(client, listCustomers(client, { limit: 7 }))) {
    seen.push(id);
    const number = /^passing_(\d+)$/.exec(id)?.[1];
    if (number !== undefined) await api.remove(`/customers/${id}`);
    if (id.startsWith("stable_")) await api.post("/customers", { id: `late_${id}` });
  }
  deepEqual(seen.filter((id) => id.startsWith("stable_")), stable);
  equal(new Set(seen).size, seen.length);
});

/** Expects that no data of customers can be read. */
async function expectForbidden(api: Api): Promise<void> {
  for (const path of ["/customers", "/customers/ada", "/customers/ada/attributes"]) {
    equal((await api.send("GET", path)).status, 403);
  }
}

/** Adds an id to a customer, like a login in an app. */
async function addAlias(desk: Desk, customer_id: string, alias: string): Promise<void> {
  const project_id = desk.projectId;
  await desk.service.store.write(async (tx) => {
    const seq = await nextSeq(inProject(tx, project_id));
    const row = { project_id, alias, customer_id, seq, created_at: 1 };
    await acrossProjects(tx).insertInto("customer_aliases").values(row).execute();
  });
}
