import { deepEqual, equal, match } from "node:assert/strict";
import { insertCustomer } from "../../../lib/service/records/changes.ts";
import { ensureFileKey, fileKey } from "../../../lib/service/records/file_key.ts";
import { showSubscription } from "../../../lib/service/records/subscriptions.ts";
import { acrossProjects, inProject } from "../../../lib/service/store/mod.ts";
import type { Row } from "../../../lib/service/store/tables.ts";
import { openService } from "../../support/engine.ts";

const NOW = Date.UTC(2026, 4, 17);

/** Does some work in the project of a new service. */
async function inNewProject<T>(
  work: (call: Parameters<typeof insertCustomer>[0] & { project: Row<"projects"> }) => Promise<T>,
): Promise<T> {
  await using service = await openService({ clock: () => NOW });
  return await service.store.write(async (whole) => {
    const tx = inProject(whole, service.projectId ?? "");
    const project = await tx.selectFrom("projects").selectAll().executeTakeFirstOrThrow();
    return await work({ tx, project, now: NOW });
  });
}

Deno.test("a new customer has what its app was seen with, and is found by its id", async () => {
  const seen = {
    last_seen_app_version: "2.0.0",
    last_seen_country: "DE",
    last_seen_platform: "iOS",
    last_seen_platform_version: "19.1",
  };
  const [known, unknown, aliases] = await inNewProject(async (call) => [
    await insertCustomer(call, "mary", seen),
    await insertCustomer(call, "nobody"),
    await call.tx.selectFrom("customer_aliases").select("alias").where("customer_id", "=", "mary")
      .execute(),
  ]);
  const { seq: _, project_id: _project, ...shown } = known;
  const times = { first_seen_at: NOW, last_seen_at: NOW };
  deepEqual(shown, { id: "mary", ...times, ...seen, paid_in: 0 });
  deepEqual([unknown.last_seen_at, unknown.last_seen_country], [null, null]);
  deepEqual(aliases, [{ alias: "mary" }]);
});

Deno.test("a subscription that has renewed already ends with its next period", async () => {
  const ends = await inNewProject(async (call) => {
    const row = await call.tx.selectFrom("subscriptions").selectAll()
      .where("period_ends_at", "is not", null).limit(1).executeTakeFirstOrThrow();
    const renewed = { ...row, renewed_until: (row.period_ends_at ?? 0) + 5 };
    const shown = [await showSubscription(call, row), await showSubscription(call, renewed)];
    return shown.map(({ ends_at }) => (ends_at ?? 0) - (row.period_ends_at ?? 0));
  });
  deepEqual(ends, [0, 5]);
});

Deno.test("a database gets one key for files, and keeps it", async () => {
  await using service = await openService({ empty: true });
  const key = () => service.store.read((tx) => fileKey(tx));
  const first = await key();
  match(first, /^[\w-]{43}$/);
  await service.store.write((tx) => ensureFileKey(tx));
  equal(await key(), first);
  await service.store.write(async (tx) => {
    await acrossProjects(tx).deleteFrom("settings").where("name", "=", "file_key").execute();
    await ensureFileKey(tx);
  });
  match(await key(), /^[\w-]{43}$/);
});
