/** The times of two projects with the same ids: steps and movements of one do not count for the other. */

import { deepEqual, equal } from "node:assert/strict";
import { behindAt } from "../../../lib/service/ledger/catch_up.ts";
import { inProject, type Store } from "../../../lib/service/store/mod.ts";
import { START } from "../../support/clock_fixture.ts";
import { BASE_URL, type Desk, openDesk } from "../../support/harness.ts";
import { withLasting } from "../../support/lasting.ts";
import { appOf } from "../../support/sdk_fixture.ts";
import { DAY, simulate } from "../../support/simulation.ts";
import { copyProject, TWINS } from "../../support/twin_project.ts";

/** Freezes a project at a time, or lets it run so far ahead of the wall clock. */
async function setClock(
  store: Store,
  project: string,
  clock: { clock_frozen_at: number | null; clock_offset?: number },
): Promise<void> {
  await store.write(async (tx) => {
    await inProject(tx, project).updateTable("projects").set(clock).execute();
  });
}

/** The answer to a read, with times by the project's clock. */
async function ask(
  { service }: Desk,
  path: string,
  credential: string,
): Promise<Record<string, unknown>> {
  const headers = { "Authorization": `Bearer ${credential}`, "X-Dates": "project" };
  const response = await service.fetch(new Request(BASE_URL + path, { headers }));
  equal(response.status, 200, path);
  return await response.json();
}

for (const [place, twin] of Object.entries(TWINS)) {
  Deno.test(`a project is not behind because another one is (${place})`, async () => {
    await using desk = await openDesk({ clock: () => START });
    const { service: { store }, projectId } = desk;
    await simulate(desk).subscribe({ product_id: "notes_web_monthly", customer_id: "ada" });
    await copyProject(store, projectId, { id: twin, now: START });
    // What the first one has is due never, what the second one has is due long before.
    const later = START + 90 * DAY;
    await store.write(async (tx) => {
      await inProject(tx, projectId).updateTable("subscriptions").set({ due_at: null }).execute();
    });
    for (const project of [projectId, twin]) {
      await setClock(store, project, { clock_frozen_at: later });
    }
    deepEqual(await store.read((tx) => behindAt(tx, START)), [twin]);
    const { key } = await appOf(desk, "svc_billing");
    const seen = await ask(desk, "/v1/subscribers/ada", key);
    equal(seen["request_date_ms"], later);
  });

  Deno.test(`the clock starts after the last movement by its own project's clock (${place})`, () =>
    withLasting(async ({ database }) => {
      let first: string;
      {
        await using desk = await openDesk({ database, clock: () => START });
        const { service: { store }, projectId } = desk;
        first = projectId;
        await simulate(desk).subscribe({ product_id: "notes_web_monthly" });
        await copyProject(store, projectId, { id: twin, now: START });
        const ahead = 90 * DAY;
        await setClock(store, twin, { clock_frozen_at: null, clock_offset: ahead });
        await store.write(async (tx) => {
          await inProject(tx, twin).updateTable("movements")
            .set((row) => ({ at: row.eb("at", "+", ahead) })).execute();
        });
      }
      // The wall clock was set back.
      await using desk = await openDesk({ database, clock: () => START - DAY });
      const path = `/_sim/projects/${first}/clock`;
      equal((await ask(desk, path, desk.service.adminSecret))["now"], START);
    }));
}
