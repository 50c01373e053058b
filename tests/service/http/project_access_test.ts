import { deepEqual, equal, ok, rejects } from "node:assert/strict";
import {
  caughtUpProject,
  presentOf,
  type PresentProject,
  projectFor,
} from "../../../lib/service/http/project.ts";
import type { Service } from "../../../lib/service/mod.ts";
import { openService } from "../../support/engine.ts";
import { openDesk } from "../../support/harness.ts";
import { withLasting } from "../../support/lasting.ts";
import { simulate } from "../../support/simulation.ts";
import { acrossProjects } from "../../../lib/service/store/mod.ts";

/** Runs a test on a service whose data is not in memory: reads have snapshots of their own there. */
async function onDisk(
  test: (service: Service, read: (path: string) => Promise<Response>) => Promise<void>,
): Promise<void> {
  await withLasting(async ({ database }) => {
    await using service = await openService({ database });
    const { access_token } = await service.oauth.issueToken();
    const headers = { Authorization: `Bearer ${access_token}` };
    const base = `http://127.0.0.1:4010/v2/projects/${service.projectId}`;
    await test(service, (path) => service.fetch(new Request(base + path, { headers })));
  });
}

Deno.test("a removed collaborator is refused from the next request on", () =>
  onDisk(async (service, read) => {
    const path = "/offerings/default";
    deepEqual([(await read(path)).status, (await read(path)).status], [200, 200]);
    const seats = await service.store.read((tx) =>
      acrossProjects(tx).selectFrom("collaborators").selectAll().where("role", "=", "owner")
        .execute()
    );
    await service.store.write((tx) =>
      acrossProjects(tx).deleteFrom("collaborators").where("role", "=", "owner").execute()
    );
    deepEqual([(await read(path)).status, (await read(path)).status], [403, 403]);
    await service.store.write((tx) =>
      acrossProjects(tx).insertInto("collaborators").values(seats).execute()
    );
    equal((await read(path)).status, 200);
  }));

Deno.test("a read sees the project after its last change", () =>
  onDisk(async (service, read) => {
    const isCurrent = async () => (await (await read("/offerings/winter_sale")).json()).is_current;
    equal(await isCurrent(), false);
    await service.store.write(async (tx) => {
      const { id } = await acrossProjects(tx).selectFrom("offerings").select("id")
        .where("lookup_key", "=", "winter_sale").executeTakeFirstOrThrow();
      await acrossProjects(tx).updateTable("projects").set({ current_offering_id: id }).execute();
    });
    equal(await isCurrent(), true);
  }));

Deno.test("a role in one project gives access to no other, and only to its account", () =>
  onDisk(async (service, read) => {
    equal((await read("/offerings")).status, 200);
    const other = "proj00000009";
    await service.store.write((tx) =>
      acrossProjects(tx).insertInto("projects").values({
        id: other,
        seq: 1_000,
        name: "Another",
        icon_url: null,
        icon_url_large: null,
        created_at: 1,
        current_offering_id: null,
        clock_frozen_at: null,
      }).execute()
    );
    equal((await read(`/../${other}/offerings`)).status, 403);
    equal((await read("/offerings")).status, 200);
    equal((await read(`/../${other}/offerings`)).status, 403);
  }));

Deno.test("a change that finds due steps runs them first, or asks to come again", async () => {
  let now = Date.UTC(2026, 0, 31);
  await using desk = await openDesk({ clock: () => now, later: () => () => {} });
  const { store } = desk.service;
  const { id: account_id } = await store.read((tx) =>
    tx.selectFrom("accounts").select("id").executeTakeFirstOrThrow()
  );
  const none = { email: "", name: null, has_mfa: false, client_id: "", scope: "" };
  const actor = { ...none, account_id };
  await simulate(desk).subscribe({ product_id: "notes.pro.monthly", customer_id: "ada" });
  const find = () =>
    store.write((tx) => caughtUpProject(tx, desk.projectId, actor, now), desk.projectId);
  // What one read has found is not another project, nor that of another account.
  await rejects(
    store.read(async (tx) => {
      await projectFor(tx, desk.projectId, actor);
      await projectFor(tx, "proj00000009", actor);
    }),
    { status: 403, message: 'The credential has no access to the project "proj00000009"' },
  );
  await rejects(
    store.read(async (tx) => {
      await projectFor(tx, desk.projectId, actor);
      await projectFor(tx, desk.projectId, { ...actor, account_id: "acct0" });
    }),
    { status: 403 },
  );
  const first = await find();
  ok(first.next_due_at !== null && first.next_due_at > now);
  now = first.next_due_at;
  const { next_due_at } = await find();
  ok(next_due_at !== null && next_due_at > now, "the step was run");
  await store.write((tx) =>
    acrossProjects(tx).updateTable("projects").set({ clock_advancing_to: now + 1 }).execute()
  );
  await rejects(find(), { name: "Refusal", status: 503, message: /catching up.*; try again\.$/ });
});

Deno.test("while a step is due, a project's time is the moment before it", async () => {
  await using desk = await openDesk();
  const project = await desk.service.store.read((tx) =>
    acrossProjects(tx).selectFrom("projects").selectAll().executeTakeFirstOrThrow()
  );
  const at = (changes: Partial<PresentProject>) =>
    presentOf({ ...project, clock_frozen_at: 100, next_due_at: null, ...changes }, 900);
  equal(at({}), 100);
  equal(at({ next_due_at: 101 }), 100);
  equal(at({ next_due_at: 100 }), 99);
  equal(at({ next_due_at: 40 }), 39);
  equal(at({ clock_frozen_at: null, clock_offset: 5 }), 905);
  equal(at({ clock_advancing_to: 500 }), 100, "an advance that has nothing to do yet");
});
