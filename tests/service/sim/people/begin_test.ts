import { deepEqual, equal, ok } from "node:assert/strict";
import { createClient } from "../../../../lib/client.ts";
import { createApp } from "../../../../lib/resources/apps.ts";
import { createProduct } from "../../../../lib/resources/products.ts";
import { inProject } from "../../../../lib/service/store/mod.ts";
import { setProductPrice } from "../../../../lib/simulator/catalogue.ts";
import { startPopulation } from "../../../../lib/simulator/population.ts";
import { beginProject } from "../../../../lib/simulator/service.ts";
import { openService } from "../../../support/engine.ts";
import { BASE_URL } from "../../../support/harness.ts";
import { simulatorOf, whenMade } from "../../../support/population_fixture.ts";

const NOW = Date.UTC(2026, 10, 28, 12);

Deno.test("a project sells its own products to a population, down to a single customer", async () => {
  await using service = await openService({ clock: () => NOW, buyers: false });
  const { client } = simulatorOf(service);
  const { id } = await beginProject(client, { name: "Own", now: NOW });
  const simulator = simulatorOf(service, id);
  const { access_token } = await service.oauth.issueToken({});
  const fetch = (request: Request) => service.fetch(request);
  const owner = createClient({ baseUrl: BASE_URL, credential: access_token, projectId: id, fetch });
  const app_store = { bundle_id: "own" };
  const app = await createApp(owner, { name: "Own", type: "app_store", app_store });
  const names = { store_identifier: "own", display_name: "Own" };
  const sold = await createProduct(owner, { ...names, app_id: app.id, type: "subscription" });
  await setProductPrice(simulator, sold.id, { price: 3, duration: "P1M" });
  const usual = { months: 12, seed: 1, confirmed: true };
  await startPopulation(simulator, { ...usual, customers: 1 });
  equal((await whenMade(simulator)).customers, 1);
  await startPopulation(simulator, { ...usual, customers: 60, seed: 2 });
  ok((await whenMade(simulator)).subscriptions > 5);
  const products = await service.store.read((whole) =>
    inProject(whole, id).selectFrom("products").select("store_identifier").execute()
  );
  deepEqual(products, [{ store_identifier: "own" }]);
});
