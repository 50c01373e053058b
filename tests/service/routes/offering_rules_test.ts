import { deepEqual, equal, match } from "node:assert/strict";
import { againstRule, alreadyThere, type Api, apiOf, badField, noSuch } from "../../support/api.ts";
import { checkFields } from "../../support/field_rules.ts";
import { openDesk } from "../../support/harness.ts";

Deno.test("an offering is created, shown and changed within its limits", async () => {
  await using desk = await openDesk();
  const api = apiOf(desk);
  const metadata = { badge: "Save 40 %", nested: { list: [1, 0.5, null, true, "é😀"] } };
  const made = await api.post("/offerings", { lookup_key: "a", display_name: "A", metadata });
  match(made.id, /^ofrng[0-9a-f]{10}$/);
  deepEqual({ ...made, id: 0, created_at: 0 }, {
    object: "offering",
    id: 0,
    lookup_key: "a",
    display_name: "A",
    is_current: false,
    state: "active",
    created_at: 0,
    project_id: desk.projectId,
    metadata,
  });
  deepEqual(await api.get("/offerings/a"), made);
  deepEqual(await api.get(`/offerings/${made.id}`), made);
  let count = 0;
  await checkFields(api, {
    path: "/offerings",
    body: () => ({ lookup_key: `key${count++}`, display_name: "x" }),
  }, [
    { field: "lookup_key", text: [1, 200], required: true },
    { field: "display_name", text: [1, 1500], required: true },
  ]);
  await checkFields(api, { path: "/offerings/a", body: () => ({}) }, [
    { field: "display_name", text: [1, 1500] },
  ]);
  for (const [path, field] of [["/offerings", "is_current"], ["/offerings/a", "lookup_key"]]) {
    const body = {
      lookup_key: "z",
      display_name: "x",
      ...field === "is_current" && { [field]: true },
    };
    await api.refused(
      badField(field ?? "", /not a known field|cannot be changed/),
      "POST",
      path ?? "",
      body,
    );
  }
  await api.refused(badField("is_current", /true or false/), "POST", "/offerings/a", {
    is_current: "true",
  });
  const before = await api.get("/offerings/a");
  deepEqual(await api.post("/offerings/a", {}), before, "an empty change changes nothing");
});

Deno.test("metadata is an object of at most 4,000 characters, comes back as sent, null clears it", async () => {
  await using desk = await openDesk();
  const api = apiOf(desk);
  // {"t":"…"} takes eight characters besides its text.
  for (const text of ["x".repeat(3992), "😀".repeat(3992)]) {
    deepEqual((await api.post("/offerings/default", { metadata: { t: text } })).metadata, {
      t: text,
    });
    await api.refused(
      badField("metadata", /must have at most 4000 characters/),
      "POST",
      "/offerings/default",
      {
        metadata: { t: `${text}x` },
      },
    );
  }
  for (const metadata of [[], "x", 1, true]) {
    const rule = badField("metadata", /must be an object/);
    await api.refused(rule, "POST", "/offerings/default", { metadata });
  }
  const text =
    '{"metadata":{"z":1.10,"a":-0.5,"big":9007199254740991,"constructor":{"x":"\\u00e9"}}}';
  const { metadata } = await api.post("/offerings/default", text);
  equal(
    JSON.stringify(metadata),
    '{"z":1.1,"a":-0.5,"big":9007199254740991,"constructor":{"x":"é"}}',
  );
  deepEqual((await api.get("/offerings/default")).metadata, metadata);
  equal((await api.post("/offerings/default", { display_name: "x" })).display_name, "x");
  deepEqual((await api.get("/offerings/default")).metadata, metadata, "what is not named stays");
  equal((await api.post("/offerings/default", { metadata: null })).metadata, null);
  equal((await api.post("/offerings/default", { metadata: {} })).metadata instanceof Object, true);
});

Deno.test("set-current changes the current offering, and no change leaves none", async () => {
  await using desk = await openDesk();
  const api = apiOf(desk);
  deepEqual(await currentOf(api), ["default"]);
  equal((await api.post("/offerings/default", { is_current: true })).is_current, true);
  equal((await api.post("/offerings/winter_sale", { is_current: false })).is_current, false);
  const rule = againstRule(
    /stays current until another offering becomes current/,
    "is_current",
  );
  await api.refused(rule, "POST", "/offerings/default", {
    is_current: false,
    display_name: "Lost",
  });
  equal((await api.get("/offerings/default")).display_name, "Standard prices");
  const moved = await api.post("/offerings/winter_sale", {
    is_current: true,
    display_name: "Both",
  });
  deepEqual([moved.is_current, moved.display_name], [true, "Both"]);
  deepEqual(await currentOf(api), ["winter_sale"]);
});

Deno.test("an archived offering is not current, and the current one is not archived", async () => {
  await using desk = await openDesk();
  const api = apiOf(desk);
  const current = againstRule(/current offering cannot be archived/);
  await api.refused(current, "POST", "/offerings/default/actions/archive");
  const sale = await api.get("/offerings/winter_sale");
  for (const [action, state] of [["archive", "inactive"], ["unarchive", "active"]]) {
    for (let time = 1; time <= 2; time++) {
      const path = `/offerings/winter_sale/actions/${action}`;
      deepEqual(await api.post(path), { ...sale, state });
    }
  }
  await api.post("/offerings/winter_sale/actions/archive");
  const archived = againstRule(/An archived offering cannot become current/, "is_current");
  await api.refused(archived, "POST", "/offerings/winter_sale", { is_current: true });
  const changed = await api.post("/offerings/winter_sale", { display_name: "Old" });
  deepEqual([changed.state, changed.display_name], ["inactive", "Old"]);
  deepEqual(await currentOf(api), ["default"]);
});

Deno.test("the current offering is deleted only when no other is active", async () => {
  await using desk = await openDesk();
  const api = apiOf(desk);
  const { id } = await api.get("/offerings/default");
  const rule = againstRule(/current offering cannot be deleted while others are active/);
  await api.refused(rule, "DELETE", "/offerings/default");
  await api.post("/offerings/winter_sale/actions/archive");
  const gone = await api.remove("/offerings/default");
  deepEqual([gone.object, gone.id, typeof gone.deleted_at], ["offering", id, "number"]);
  deepEqual(await currentOf(api), []);
});

Deno.test("without a current offering, the next created or unarchived one becomes current", async () => {
  await using desk = await openDesk();
  const api = apiOf(desk);
  await api.post("/offerings/winter_sale/actions/archive");
  await api.remove("/offerings/default");
  const back = await api.post("/offerings/winter_sale/actions/unarchive");
  deepEqual([back.state, back.is_current], ["active", true]);
  await api.remove("/offerings/winter_sale");
  const made = await api.post("/offerings", { lookup_key: "new", display_name: "New" });
  equal(made.is_current, true);
  deepEqual(await currentOf(api), ["new"]);
});

Deno.test("an offering with archived products cannot be unarchived before them", async () => {
  await using desk = await openDesk();
  const api = apiOf(desk);
  const { items } = await api.get("/entitlements/sync/products");
  const ids = items.map(({ id }) => id);
  const path = "/offerings/winter_sale/actions";
  await api.post(`${path}/archive`);
  for (const id of ids) await api.post(`/products/${id}/actions/archive`);
  const rule = {
    status: 422,
    type: "entity_references_archived_entities",
    message: /archived products/,
  };
  for (const body of [undefined, {}, { unarchive_referenced_entities: false }]) {
    const refusal = await api.refused(rule, "POST", `${path}/unarchive`, body);
    deepEqual(refusal.referenced_object_ids, [...ids].sort());
  }
  equal((await api.get("/offerings/winter_sale")).state, "inactive");
  const flag = badField("unarchive_referenced_entities", /must be true or false/);
  await api.refused(flag, "POST", `${path}/unarchive`, { unarchive_referenced_entities: "yes" });
  await api.refused(badField("force", /not a known field/), "POST", `${path}/unarchive`, {
    force: 1,
  });
  const back = await api.post(`${path}/unarchive`, { unarchive_referenced_entities: true });
  equal(back.state, "active");
  for (const id of ids) equal((await api.get(`/products/${id}`)).state, "active");
});

Deno.test("an offering's lookup key is unique in the project, and free after a deletion", async () => {
  await using desk = await openDesk();
  const api = apiOf(desk);
  const body = { lookup_key: "winter_sale", display_name: "x" };
  await api.refused(alreadyThere("lookup_key"), "POST", "/offerings", body);
  await api.post("/offerings/winter_sale/actions/archive");
  await api.refused(alreadyThere("lookup_key"), "POST", "/offerings", body);
  const { id } = await api.remove("/offerings/winter_sale");
  for (const key of ["winter_sale", id]) {
    await api.refused(noSuch(), "GET", `/offerings/${key}`);
    await api.refused(noSuch(), "POST", `/offerings/${key}`, { is_current: true });
    await api.refused(noSuch(), "DELETE", `/offerings/${key}`);
    await api.refused(noSuch(), "GET", `/offerings/${key}/packages`);
    await api.refused(noSuch(), "POST", `/offerings/${key}/actions/archive`);
    await api.refused(noSuch(), "POST", `/offerings/${key}/actions/unarchive`);
  }
  await api.post("/offerings", body);
});

/** The lookup keys of the offerings shown as current. */
async function currentOf(api: Api): Promise<string[]> {
  const { items } = await api.get("/offerings");
  return items.filter(({ is_current }) => is_current).map(({ lookup_key }) => lookup_key);
}
