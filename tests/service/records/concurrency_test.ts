import { deepEqual, equal, ok } from "node:assert/strict";
import { join } from "node:path";
import { type Api, apiOf } from "../../support/api.ts";
import { type Desk, openDesk } from "../../support/harness.ts";

/** The number of concurrent requests. */
const MANY = 64;

Deno.test("64 set-current at once all succeed, and every read sees exactly one current offering", async () => {
  await onDisk(async (desk) => {
    const api = apiOf(desk);
    const keys = ["default", "winter_sale"];
    for (let i = keys.length; i < 10; i++) {
      keys.push(
        (await api.post("/offerings", { lookup_key: `o${i}`, display_name: "x" })).lookup_key,
      );
    }
    let writing = true;
    const reader = async (): Promise<Set<string>> => {
      const seen = new Set<string>();
      while (writing) {
        const current = await currentOf(api);
        equal(current.length, 1, `${current} are current`);
        seen.add(current[0] ?? "");
        // Without a network, other work would never get its turn.
        await new Promise((resolve) => setImmediate(resolve));
      }
      return seen;
    };
    const readers = [reader(), reader()];
    for (let round = 0; round < 3; round++) {
      const answers = await Promise.all(Array.from({ length: MANY }, async (_, i) => {
        const key = keys[(i * 7 + round) % keys.length] ?? "";
        return await api.send("POST", `/offerings/${key}`, { is_current: true });
      }));
      deepEqual(answers.map(({ status }) => status), Array(MANY).fill(200));
      ok(answers.every(({ body }) => body.is_current), "each was current when it was answered");
    }
    writing = false;
    const seen = await Promise.all(readers);
    ok(seen.some((keysSeen) => keysSeen.size > 1), "the readers have seen the mark move");
    const log = await api.get("/audit_logs?limit=100");
    const moves = log.items.filter(({ action_type }) => action_type === "offering_set_current");
    ok(moves.length > 50, "neighbours move it to different offerings, and each move is logged");
  });
});

Deno.test("of 64 creates of one lookup key one succeeds, and the others get 409", async () => {
  await onDisk(async (desk) => {
    const api = apiOf(desk);
    for (const list of ["/offerings", "/entitlements"]) {
      const body = { lookup_key: "same", display_name: "x" };
      const answers = await atOnce(() => api.send("POST", list, body));
      deepEqual(countOf(answers.map(({ status }) => status)), { 201: 1, 409: MANY - 1 });
    }
  });
});

Deno.test("of 64 first offerings of a project exactly one is current", async () => {
  await onDisk(async (desk) => {
    const { id } = await apiOf(desk).post("/v2/projects", { name: "New" });
    const api = apiOf(desk, {}, id);
    const answers = await atOnce((i) =>
      api.send("POST", "/offerings", { lookup_key: `o${i}`, display_name: "x" })
    );
    equal(answers.filter(({ body }) => body.is_current).length, 1);
    equal((await currentOf(api)).length, 1);
  });
});

Deno.test("of 64 deletions one succeeds, and the others get 404", async () => {
  await onDisk(async (desk) => {
    const api = apiOf(desk);
    const answers = await atOnce(() => api.send("DELETE", "/offerings/winter_sale"));
    deepEqual(countOf(answers.map(({ status }) => status)), { 200: 1, 404: MANY - 1 });
  });
});

Deno.test("an app that gets a product while it is deleted has both or neither", async () => {
  await onDisk(async (desk) => {
    const api = apiOf(desk);
    for (let round = 0; round < 16; round++) {
      const app = await api.post("/apps", { name: "x", type: "stripe" });
      const product = { app_id: app.id, store_identifier: "p", type: "subscription" };
      const [gone, made] = await Promise.all([
        api.send("DELETE", `/apps/${app.id}`),
        api.send("POST", "/products", product),
      ]);
      const left = (await api.send("GET", `/apps/${app.id}`)).status;
      const outcome = [gone?.status, made?.status, left];
      const either = outcome[0] === 200 ? [200, 404, 404] : [409, 201, 200];
      deepEqual(outcome, either);
    }
  });
});

Deno.test("simultaneous creates get different positions", async () => {
  await onDisk(async (desk) => {
    const api = apiOf(desk);
    await api.post("/offerings", { lookup_key: "o", display_name: "x" });
    const answers = await atOnce((i) =>
      api.send("POST", "/packages", { offering_id: "o", lookup_key: `p${i}`, display_name: "x" })
    );
    const positions = answers.map(({ body }) => Number(body.position)).sort((a, b) => a - b);
    deepEqual(positions, Array.from({ length: MANY }, (_, i) => i));
    const { items } = await api.get("/offerings/o/packages?limit=100");
    deepEqual(items.map(({ position }) => position), positions);
  });
});

/** Runs a test with the database in a file, where reads have a connection of their own. */
async function onDisk(test: (desk: Desk) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "concurrency" });
  try {
    await using desk = await openDesk({ database: join(folder, "service.db") });
    await test(desk);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

function atOnce<T>(send: (i: number) => Promise<T>): Promise<T[]> {
  return Promise.all(Array.from({ length: MANY }, (_, i) => send(i)));
}

/** The number of occurrences of each value. */
function countOf(values: readonly number[]): Record<number, number> {
  const counts: Record<number, number> = {};
  for (const value of values) counts[value] = (counts[value] ?? 0) + 1;
  return counts;
}

/** The lookup keys of the offerings shown as current. */
async function currentOf(api: Api): Promise<string[]> {
  const { items } = await api.get("/offerings?limit=100");
  return items.filter(({ is_current }) => is_current).map(({ lookup_key }) => lookup_key);
}
