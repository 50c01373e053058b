import { deepEqual, match } from "node:assert/strict";
import { getMetricsOverview } from "../../lib/resources/metrics.ts";
import { commandOf, deno, runExample, withShop } from "../support/shop.ts";

Deno.test("nightly_metrics prints one line of CSV that fits its header", async () => {
  await withShop(async (shop) => {
    const words = await commandOf("nightly_metrics");
    const header = await deno([...words, "header"], { env: {} });
    match(header.out, /^date,active_trials,active_subscriptions,mrr,revenue,.*\n$/);
    const { metrics } = await getMetricsOverview(shop.client);
    const [day, ...values] = (await runExample("nightly_metrics", shop)).trimEnd().split(",");
    match(day ?? "", /^\d{4}-\d\d-\d\d$/);
    const names = header.out.trimEnd().split(",").slice(1);
    deepEqual(
      values.map((value, i) => [names[i], Number(value)]),
      metrics.map(({ id, value }) => [id, value]),
    );
    const refused = await deno([...words, "dollars"], shop);
    deepEqual([refused.code, refused.out], [1, ""]);
    match(refused.err, /^'currency' must be one of USD, EUR, /);
  });
});
