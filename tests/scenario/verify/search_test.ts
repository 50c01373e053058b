import { equal, ok } from "node:assert/strict";
import { createStages } from "../../../lib/cli/scenario/stocked.ts";
import { searchFaults } from "../../../lib/scenario/verify/search.ts";
import { CONTEXT } from "../../support/recording.ts";

Deno.test("a search tries as many histories as it should, without those that make a fault small", async () => {
  const stages = createStages(CONTEXT);
  // Each history has a delivery, so each one shows a fault.
  const handler = {
    deliver: () => Promise.resolve({ status: 500, ms: 0 }),
    state: () => Promise.resolve(undefined),
    pause: () => Promise.resolve(),
  };
  let tried = 0;
  const { found, lives } = await searchFaults({
    ...{ runs: 3, faults: 5, seed: 1, entitlement: "pro", prefix: "v", handler },
    open: stages.open,
    signal: CONTEXT.signal,
    tell: (count) => tried = count,
  }).finally(stages.close);
  equal(found.length, 3);
  equal(lives, 1);
  ok(tried > 3, `${tried}`);
});
