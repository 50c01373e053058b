import { ok } from "node:assert/strict";
import { KINDS } from "../../../../lib/service/sim/people/kinds.ts";
import { arrive, buy } from "../../../../lib/service/sim/people/sales.ts";
import type { Item } from "../../../../lib/service/sim/people/world.ts";
import { onStage } from "../../../support/stage_fixture.ts";
import { DAY } from "../../../support/simulation.ts";

/** Something that somebody does at a time. */
function itemOf(act: Item["act"], person: number): Item {
  return { at: 1_800_000_000_000, number: person, act, person, key: person };
}

Deno.test("in each kind of app as many of those who come buy as usual, in the first nine days", async () => {
  await onStage({}, (stage, { planned }) => {
    for (const [kind, share] of [["notes", 0.3], ["games", 0.22], ["news", 0.45]] as const) {
      planned.length = 0;
      const world = { ...stage.world, habits: KINDS[kind] };
      for (let person = 0; person < 2000; person++) {
        arrive({ ...stage, world }, itemOf("arrive", person));
      }
      const waits = planned.map(({ at }) => (at - itemOf("arrive", 0).at) / DAY);
      const found = waits.length / 2000;
      ok(Math.abs(found - share) < 0.03, `${kind}: ${found}`);
      const last = Math.max(...waits);
      ok(last > 8.8 && last < 9, `${kind}: ${last}`);
    }
  });
});

Deno.test("most of those who may try a product for free do, and others pay at once", async () => {
  await onStage({}, async (stage, { steps }) => {
    for (let person = 0; person < 500; person++) await buy(stage, itemOf("buy", person));
    const { shops } = stage.world;
    const free = new Set(
      shops.flatMap(([{ subscriptions }]) =>
        subscriptions.flatMap(({ id, trial_duration }) => trial_duration === null ? [] : id)
      ),
    );
    const sold = steps.filter(({ after }) => free.has(after.product_id ?? ""));
    const share = sold.filter(({ after }) => after.status === "trialing").length / sold.length;
    ok(sold.length > 100 && Math.abs(share - KINDS.notes.tries) < 0.1, String(share));
  });
});
