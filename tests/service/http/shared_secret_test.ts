import { deepEqual, equal, rejects } from "node:assert/strict";
import { agreeOnSecret } from "../../../lib/service/http/shared_secret.ts";
import { acrossProjects } from "../../../lib/service/store/mod.ts";
import { openService } from "../../support/engine.ts";

const DAY = 86_400_000;
const NOW = Date.UTC(2026, 10, 27);

/** A database with processes that start one after another. Those in the set are alive. */
async function openProcesses() {
  const service = await openService({ empty: true });
  const { store } = service;
  const living = new Set<string>();
  const alive = (_: unknown, holders: readonly string[]) =>
    Promise.resolve(new Set(holders.filter((holder) => living.has(holder))));
  return {
    living,
    async start(holder: string, adminSecret: string, formerAdminSecret?: string, now = NOW) {
      const others = { holder, alive };
      const shared = { read: store.read, write: store.write, others };
      await agreeOnSecret(shared, { adminSecret, formerAdminSecret, now });
      living.add(holder);
    },
    /** The checks in the database, by their processes. */
    async checks() {
      const rows = await store.read((tx) =>
        acrossProjects(tx).selectFrom("secret_checks").selectAll().orderBy("holder").execute()
      );
      return Object.fromEntries(rows.map(({ holder, ...check }) => [holder, check]));
    },
    [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
  };
}

Deno.test("a process starts with the secret of those that are alive, or names it as the former one", async () => {
  await using processes = await openProcesses();
  await processes.start("a", "adm_old");
  const message =
    "Cannot start the service: a process on the same database has another admin secret";
  await rejects(processes.start("b", "adm_new"), {
    name: "ConfigError",
    message,
    hint: /^Set CLI_SERVICE_ADMIN_SECRET to the secret of the other processes\. .*FORMER.*steps\.$/,
  });
  await rejects(processes.start("b", "adm_new", "adm_other"), {
    message,
    hint: /^Neither CLI_SERVICE_ADMIN_SECRET nor CLI_SERVICE_FORMER_ADMIN_SECRET is .* change/,
  });
  await processes.start("b", "adm_new", "adm_old");
  const { a, b, ...more } = await processes.checks();
  deepEqual([more, a?.salt === b?.salt, a?.digest === b?.digest], [{}, true, false]);
  equal(/^[0-9a-f]{32}$/.test(a?.salt ?? ""), true);
  equal(/^[0-9a-f]{64}$/.test(a?.digest ?? ""), true);
  // The old secret ends with its process.
  processes.living.delete("a");
  await processes.start("c", "adm_new");
});

Deno.test("the check of a process that ended a week ago is deleted, and no other one", async () => {
  await using processes = await openProcesses();
  // They start at once, and the second uses the salt of the first.
  await Promise.all(["gone", "alive"].map((holder) => processes.start(holder, "adm_one")));
  const { gone, alive } = await processes.checks();
  deepEqual([gone?.salt, gone?.digest], [alive?.salt, alive?.digest]);
  processes.living.delete("gone");
  await processes.start("late", "adm_one", undefined, NOW + 7 * DAY);
  deepEqual(Object.keys(await processes.checks()), ["alive", "gone", "late"]);
  await processes.start("later", "adm_one", undefined, NOW + 7 * DAY + 1);
  deepEqual(Object.keys(await processes.checks()), ["alive", "late", "later"]);
});

Deno.test("a process that starts at once with one of another secret does not start", async () => {
  await using processes = await openProcesses();
  const { living } = processes;
  living.add("a").add("b");
  const starts = await Promise.allSettled([
    processes.start("a", "adm_one"),
    processes.start("b", "adm_two"),
  ]);
  deepEqual(starts.map(({ status }) => status).sort(), ["fulfilled", "rejected"]);
});
