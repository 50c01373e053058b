import { deepEqual, equal } from "node:assert/strict";
import { listApps } from "../../../lib/resources/apps.ts";
import { createProduct } from "../../../lib/resources/products.ts";
import { playText, recordFrom } from "../../support/recording.ts";

Deno.test("a product of the same name that another app sells is not in the recording", async () => {
  await using played = await playText(`start:
  at: 2026-01-31
  catalogue:
    apps: { ios: app_store, android: play_store }
    products:
      pro: { app: ios, duration: P1M, price: 9.99, entitlements: [pro] }
      coins: { app: android, type: consumable, price: 1 }
steps:
  - purchase: { customer: ada, product: pro }
  - purchase: { customer: ada, product: coins }
`);
  deepEqual(played.failures, []);
  const { client } = played.stage;
  const app_id = (await listApps(client)).items.find(({ type }) => type === "play_store")?.id ?? "";
  await createProduct(client, { app_id, store_identifier: "pro", type: "consumable" });
  const recorded = await recordFrom(played, "ada");
  deepEqual(recorded.notes, []);
  equal(recorded.text.match(/^ +pro\b.*app:/gm)?.length, 1, recorded.text);
});
