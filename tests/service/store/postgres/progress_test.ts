import { deepEqual, equal, ok } from "node:assert/strict";
import { ONLY_POSTGRES } from "../../../support/engine.ts";
import { openTogether, type Together, until } from "../../../support/together.ts";

Deno.test(
  "the progress of an advance is the same in every process, and ends in all of them",
  ONLY_POSTGRES,
  async () => {
    await using all = await openTogether(2, { role: "api" });
    const clock = `/_sim/projects/${all.projectId}/clock`;
    const json = async (place: number, method: string, path: string, body?: unknown) =>
      await (await all.send(place, method, path, body)).json();
    // More steps than a few batches have: each batch is seen only until the next one.
    for (const product of await monthlyProducts(all)) {
      await Promise.all(
        Array.from(
          { length: 30 },
          (_, i) =>
            json(0, "POST", `/_sim/projects/${all.projectId}/purchases`, {
              customer_id: `${product}-${i}`,
              product_id: product,
            }),
        ),
      );
    }
    const { due } = await json(0, "POST", `${clock}/preview`, { by: "P4Y" });
    ok(due > 2000, `${due} steps are due`);
    const begun = await json(0, "POST", `${clock}/begin`, { by: "P4Y", confirmed: true });
    ok(begun.from > 0, JSON.stringify(begun));
    const seen: { done: number; left_ms: number | null; now: number; moving: boolean }[] = [];
    let listed: { project_id: string; done: number }[] = [];
    await until(
      async () => {
        const progress = await json(1, "GET", `${clock}/progress`);
        if (progress.moving && progress.done > 0) {
          seen.push(progress);
          if (listed.length === 0) ({ items: listed } = await json(1, "GET", "/_sim/progress"));
        }
        return !progress.moving && seen.length > 0;
      },
      "the end of the advance",
      60_000,
    );
    const [first] = seen;
    ok(first && first.left_ms !== null && first.now > begun.from, JSON.stringify(first));
    deepEqual(seen.map(({ done }) => done), seen.map(({ done }) => done).toSorted((a, b) => a - b));
    equal(listed[0]?.project_id, all.projectId);
    ok((listed[0]?.done ?? 0) >= first.done);
    for (const place of [0, 1]) {
      await until(
        async () => (await json(place, "GET", "/_sim/progress")).items.length === 0,
        "the end of the list",
      );
    }
  },
);

Deno.test(
  "a second program under a listener's name ends the wait of the first, in another process",
  ONLY_POSTGRES,
  async () => {
    await using all = await openTogether(2, { role: "api" });
    const listener = `/_sim/projects/${all.projectId}/listeners/laptop`;
    const { session } = await (await all.send(0, "POST", listener, {})).json();
    const began = Date.now();
    const waiting = all.send(1, "GET", `${listener}/events?wait_ms=20000&session=${session}`);
    // The request is under way before the listener changes hands.
    await new Promise((resolve) => setTimeout(resolve, 300));
    const opened = await all.send(0, "POST", listener, {});
    await opened.body?.cancel();
    const answer = await waiting;
    equal(answer.status, 409, await answer.text());
    ok(Date.now() - began < 10_000);
  },
);

/** The products that renew each month. */
async function monthlyProducts(all: Together): Promise<string[]> {
  const listed = await all.send(0, "GET", `/v2/projects/${all.projectId}/products?limit=100`);
  const { items }: { items: { id: string; subscription?: { duration?: string } | null }[] } =
    await listed.json();
  return items.filter(({ subscription }) => subscription?.duration === "P1M").map(({ id }) => id);
}
