import { ok } from "node:assert/strict";
import { subscribe } from "../../../../lib/service/domain/purchase.ts";
import { ACTS } from "../../../../lib/service/sim/people/deeds.ts";
import { onStage } from "../../../support/stage_fixture.ts";

Deno.test("of those who pause a subscription fewer than half go on earlier", async () => {
  await onStage({}, async (stage, { steps, planned }) => {
    const at = stage.world.span.from;
    const { after } = subscribe({
      project_id: stage.world.project.id,
      id: "sub0",
      customer_id: "ada",
      app_id: "app0",
      store: "play_store",
      environment: "production",
      ownership: "purchased",
      currency: "USD",
      country: "US",
      platform: "android",
      offering_id: null,
      product_id: "prod0",
      price_micros: 1_000_000,
      duration: "P1M",
      grace_duration: null,
      trial_duration: null,
      starts_at: at,
      paid: true,
    }, at);
    stage.world.subscriptions.set(after.id, after);
    for (let key = 0; key < 4000; key++) {
      const item = { at: at + 1, number: key, act: "consider", person: 0, key, subject: after.id };
      await ACTS.consider(stage, { ...item, act: "consider" });
    }
    const paused = steps.filter(({ after }) => after.resumes_at !== null).length;
    const share = planned.filter(({ act }) => act === "resume").length / paused;
    ok(paused > 50 && share > 0.2 && share < 0.4, `${share} of ${paused}`);
  });
});
