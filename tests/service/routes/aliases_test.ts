/**
 * The public spellings, for clients of the public API: each gives the same answer as the API
 * document's spelling.
 *
 * @module
 */

import { deepEqual, equal } from "node:assert/strict";
import { routes } from "../../../lib/service/routes/mod.ts";
import type { Operation } from "../../../lib/service/contract/route.ts";
import { type Answer, apiOf, checkRefusal, type Wire } from "../../support/api.ts";
import { openDesk } from "../../support/harness.ts";

Deno.test("a package can be created below its offering, in the public spelling", async () => {
  await using desk = await openDesk();
  const api = apiOf(desk);
  const { id } = await api.get("/offerings/winter_sale");
  const own = (body: object) => api.send("POST", "/packages", { offering_id: id, ...body });
  const bodies: Record<string, unknown>[] = [
    { lookup_key: "a", display_name: "A" },
    { lookup_key: "b", display_name: "B", position: 7 },
    { lookup_key: "c", display_name: "C", position: null },
    { lookup_key: "b", display_name: "taken" },
    { display_name: "no key" },
    { lookup_key: "d", display_name: "D", position: -1 },
    { lookup_key: "e", display_name: "E", surprise: 1 },
  ];
  for (const key of [id, "winter_sale"]) {
    for (const body of bodies) {
      const expected = await own(body);
      if (expected.status === 201) await api.remove(`/packages/${expected.body.id}`);
      const answer = await api.send("POST", `/offerings/${key}/packages`, body);
      checkSame(answer, expected);
      if (answer.status !== 201) continue;
      deepEqual(await api.get(`/packages/${answer.body.id}`), answer.body);
    }
    for (const { id } of (await api.get(`/offerings/${key}/packages`)).items) {
      await api.remove(`/packages/${id}`);
    }
  }
  const answer = await api.send("POST", "/offerings/none/packages", bodies[0]);
  checkRefusal(
    answer,
    { status: 404, type: "resource_missing" },
    "the offering is in the path here",
  );
  const both = await api.send("POST", `/offerings/${id}/packages`, {
    offering_id: id,
    ...bodies[0],
  });
  checkRefusal(both, { status: 400, type: "parameter_error", param: "offering_id" }, "named twice");
});

Deno.test("a product can be created in its store, in the public spelling", async () => {
  await using desk = await openDesk();
  const api = apiOf(desk);
  const app_store = { bundle_id: "a", app_store_connect_api_key: "key" };
  const app = await api.post("/apps", { name: "x", type: "app_store", app_store });
  const ready = await api.post("/products", {
    app_id: app.id,
    store_identifier: "p",
    type: "subscription",
    display_name: "Pro",
  });
  const { items } = await api.get("/products?limit=100");
  const store_information = { duration: "ONE_YEAR", subscription_group_name: "Pro" };
  for (const { id } of [...items, { id: "none" } as Wire]) {
    for (
      const body of [undefined, {}, { store_information }, { store_information: {} }, { x: 1 }]
    ) {
      const expected = await api.send("POST", `/products/${id}/actions/push_to_store`, body);
      const answer = await api.send("POST", `/products/${id}/create_in_store`, body);
      checkSame(answer, expected);
      if (id === ready.id && body === undefined) equal(answer.status, 201);
    }
  }
});

Deno.test("a client can find everything with ids and page addresses only", async () => {
  await using desk = await openDesk();
  const api = apiOf(desk);
  for (const resource of ["apps", "products", "entitlements", "offerings"]) {
    for (const item of (await api.get(`/${resource}`)).items) {
      deepEqual(await api.get(`/${resource}/${item.id}`), item);
    }
  }
  const { items: [offering] } = await api.get("/offerings");
  const byKey = await api.get(`/offerings/${offering?.lookup_key}/packages`);
  const byId = await api.get(`/offerings/${offering?.id}/packages`);
  deepEqual(byId.items, byKey.items);
});

Deno.test("an alias stands for an operation of the document, with its permission and answer", () => {
  const aliases = routes.filter((route) => route.alias !== undefined);
  equal(aliases.length > 0, true);
  for (const alias of aliases) {
    const own = routes.find((route) => route.name === alias.alias);
    equal(own?.alias, undefined, `${alias.name} stands for an operation of the document`);
    const read = (route: Operation) => route.scopes.map((scope) => scope.replace(/_write$/, ""));
    deepEqual(own && read(own), read(alias), alias.name);
    equal(own?.rate, alias.rate, alias.name);
  }
});

/** Checks that two answers are equal except for generated values. */
function checkSame(answer: Answer, expected: Answer): void {
  const plain = ({ id: _, created_at: __, ...rest }: Wire) => rest;
  deepEqual([answer.status, plain(answer.body)], [expected.status, plain(expected.body)]);
}
