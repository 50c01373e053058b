import { deepEqual, equal, match } from "node:assert/strict";
import { apiOf, badField, noSuch, signIn } from "../../support/api.ts";
import { checkFields } from "../../support/field_rules.ts";
import { openDesk } from "../../support/harness.ts";

Deno.test("a project is created empty, with its creator as the owner", async () => {
  await using desk = await openDesk();
  const api = apiOf(desk);
  const { status, body: project } = await api.send("POST", "/v2/projects", { name: "Second" });
  equal(status, 200, "this create answers 200, every other 201");
  match(project.id, /^proj[0-9a-f]{8}$/);
  deepEqual({ ...project, id: 0, created_at: 0 }, {
    object: "project",
    id: 0,
    name: "Second",
    created_at: 0,
    icon_url: null,
    icon_url_large: null,
  });
  deepEqual(await api.get(`/v2/projects/${project.id}`), project);
  const { items } = await api.get("/v2/projects");
  deepEqual(items.map(({ id }) => id), [desk.projectId, project.id]);
  const inside = apiOf(desk, {}, project.id);
  for (const list of ["apps", "products", "entitlements", "offerings"]) {
    deepEqual((await inside.get(`/${list}`)).items, [], list);
  }
  const { items: [owner, ...others] } = await inside.get("/collaborators");
  deepEqual([owner?.email, owner?.role, others], ["owner@example.com", "owner", []]);
});

Deno.test("a project's name has 1 to 255 characters, and need not be unique", async () => {
  await using desk = await openDesk();
  const api = apiOf(desk);
  await checkFields(api, { path: "/v2/projects", body: () => ({ name: "x" }) }, [
    { field: "name", text: [1, 255], required: true },
  ]);
});

Deno.test("a project of others cannot be read, and neither can its objects", async () => {
  await using desk = await openDesk();
  const api = apiOf(desk);
  const stranger = apiOf(desk, await signIn(desk, { email: "stranger@example.com" }));
  const own = await stranger.post("/v2/projects", { name: "Own" });
  deepEqual((await stranger.get("/v2/projects")).items, [own]);
  deepEqual((await api.get("/v2/projects")).items.map(({ id }) => id), [desk.projectId]);
  for (const id of [desk.projectId, "proj00000000", "none", "%2E%2E%2Fx"]) {
    await stranger.refused(noSuch(), "GET", `/v2/projects/${id}`);
    const closed = {
      status: 403,
      type: "authorization_error",
      message: /has no access to the project/,
    };
    await stranger.refused(closed, "GET", `/v2/projects/${id}/apps`);
    await stranger.refused(closed, "GET", `/v2/projects/${id}/apps/none`);
    await stranger.refused(closed, "POST", `/v2/projects/${id}/offerings`, { broken: 1 });
    await stranger.refused(closed, "DELETE", `/v2/projects/${id}/offerings/default`);
  }
  await api.refused(noSuch(), "GET", `/v2/projects/${own.id}`);
  await api.refused(badField("starting_after"), "GET", `/v2/projects?starting_after=${own.id}`);
});

Deno.test("objects of one project are not found in another", async () => {
  await using desk = await openDesk();
  const api = apiOf(desk);
  const { id } = await api.post("/v2/projects", { name: "Other" });
  const other = apiOf(desk, {}, id);
  const { items: [offering] } = await api.get("/offerings?expand=items.package.product");
  const { items: [app] } = await api.get("/apps");
  const { items: [product] } = await api.get("/products");
  const { items: [pack] } = await api.get(`/offerings/${offering?.id}/packages`);
  await other.post("/entitlements", { lookup_key: "pro", display_name: "x" });
  await other.refused(noSuch(), "GET", `/apps/${app?.id}`);
  await other.refused(noSuch(), "GET", `/offerings/${offering?.id}`);
  await other.refused(noSuch(), "GET", "/offerings/default");
  await other.refused(noSuch(), "DELETE", `/products/${product?.id}`);
  await other.refused(noSuch(), "POST", `/packages/${pack?.id}`, { position: 1 });
  const attach = "/entitlements/pro/actions/attach_products";
  await other.refused(noSuch("product_ids"), "POST", attach, { product_ids: [product?.id] });
  await other.refused(noSuch("offering_id"), "POST", "/packages", {
    offering_id: offering?.id,
    lookup_key: "x",
    display_name: "x",
  });
});
