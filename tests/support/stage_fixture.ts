/**
 * A stage of a population for single deeds: what people do is taken down, but not stored.
 *
 * @module
 */

import { openJournal } from "../../lib/service/ledger/journal.ts";
import type { Step } from "../../lib/service/domain/step.ts";
import { beginWorld } from "../../lib/service/sim/people/begin.ts";
import { personOf } from "../../lib/service/sim/people/people.ts";
import type { Stage } from "../../lib/service/sim/people/stage.ts";
import type { Item } from "../../lib/service/sim/people/world.ts";
import { inProject } from "../../lib/service/store/mod.ts";
import type { NewPopulation } from "../../lib/simulator/population.ts";
import { openService } from "./engine.ts";

/** What was done on a stage. */
export interface Done {
  /** The steps of subscriptions. */
  readonly steps: Step[];
  /** What is planned. */
  readonly planned: Omit<Item, "number">[];
}

/** Runs something on the stage of a population that nobody has come to yet. */
export async function onStage(
  wanted: Partial<NewPopulation>,
  run: (stage: Stage, done: Done) => Promise<void> | void,
): Promise<void> {
  const now = Date.UTC(2026, 10, 28, 12);
  await using service = await openService({ clock: () => now, buyers: false });
  const id = service.projectId ?? "";
  await service.store.write(async (whole) => {
    const usual = { customers: 1000, months: 12, seed: 42, confirmed: true };
    const begun = { wanted: { ...usual, ...wanted }, wall: now, player: "test" };
    const world = await beginWorld(whole, id, begun);
    const tx = inProject(whole, id);
    const journal = await openJournal({ tx, project: world.project });
    const done: Done = { steps: [], planned: [] };
    const stage: Stage = {
      world,
      journal,
      person: (index) => personOf(world, index),
      current: (id = "") => world.subscriptions.get(id),
      record: (_, steps) => Promise.resolve(void done.steps.push(...[steps].flat())),
      recordPurchase: () => Promise.resolve(),
      plan: (item) => void done.planned.push(item),
      addIdle: () => {},
      takeIdle: () => undefined,
    };
    await run(stage, done);
  }, id);
}
