import { equal, rejects } from "node:assert/strict";
import { insist } from "../../../lib/service/events/insist.ts";
import { StoreError } from "../../../lib/service/store/mod.ts";

const LOST = new StoreError("Cannot use the database: gone", { failure: "unreachable" });

/** Fails so often, then succeeds. Returns the number of tries. */
async function tries(
  failures: number,
  { error = LOST, until = Infinity, signal = new AbortController().signal }: {
    error?: Error;
    until?: number;
    signal?: AbortSignal;
  } = {},
): Promise<number> {
  let count = 0;
  await insist(async () => {
    count++;
    if (count <= failures) throw error;
  }, { clock: () => count, until, signal });
  return count;
}

Deno.test("a result is stored again while the database cannot be used", async () => {
  equal(await tries(0), 1);
  equal(await tries(3), 4);
});

Deno.test("a result is given up with its lease, with its worker, and for other errors", async () => {
  await rejects(() => tries(9, { until: 1 }), LOST);
  await rejects(() => tries(1, { signal: AbortSignal.abort() }), LOST);
  const error = new Error("other");
  await rejects(() => tries(1, { error }), error);
});
