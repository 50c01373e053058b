import { deepEqual, equal, match } from "node:assert/strict";
import { getMetricsOverview } from "../../../mod.ts";
import { METRICS } from "../../../lib/scenario/file/resource_fields.ts";
import { openDesk } from "../../support/harness.ts";
import { openFolder, START } from "../../support/scenarios.ts";

Deno.test("an unknown metric or field is refused with its line, also with absent", async () => {
  await using folder = await openFolder();
  const file = await folder.write(
    "a.yaml",
    `${START.trimEnd()}
      coins: { app: ios, type: consumable, price: 1 }
steps:
  - purchase: { customer: ada, product: pro.monthly }
    as: s
  - purchase: { customer: ada, product: coins }
    as: c
    expect:
      metrics: { mr: 0, activ_subscriptions: { absent: true } }
      subscription: { s: { pending_change: { absent: true }, status: active } }
      purchase:
        c: { store_subscription_identifier: { absent: true } }
`,
  );
  const { code, out } = await folder.run("scenario", "run", file);
  equal(code, 2);
  match(out, /a\.yaml:14:18: there is no metric "mr"\. There are: active_trials, .*mrr/);
  match(out, /there is no metric "activ_subscriptions"; did you mean "active_subscriptions"\?/);
  match(
    out,
    /a\.yaml:15:\d+: no subscription has the field "pending_change"; did you mean "pending_c/,
  );
  match(out, /a\.yaml:17:\d+: no purchase has the field "store_subscription_identifier"/);
});

Deno.test("known metrics and fields are accepted", async () => {
  await using folder = await openFolder();
  const file = await folder.write(
    "a.yaml",
    `${START}steps:
  - purchase: { customer: ada, product: pro.monthly }
    as: s
    expect:
      metrics: { mrr: { near: 9, within: 9 } }
      subscription: { s: { pending_changes: { absent: true }, "\${FIELD}": active } }
`,
  );
  const { code, out } = await folder.run("scenario", "run", file, "--var", "FIELD=status");
  equal(code, 0, out);
});

Deno.test("the known metrics are those of the service", async () => {
  await using desk = await openDesk();
  const { metrics } = await getMetricsOverview(desk.client);
  deepEqual(metrics.map(({ id }) => id), METRICS);
});
