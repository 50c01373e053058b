import { equal, match } from "node:assert/strict";
import type { Bench } from "../../../lib/scenario/run/bench.ts";
import { compareHandler } from "../../../lib/scenario/run/compare_handler.ts";
import type { Step } from "../../../lib/scenario/file/scenario.ts";
import type { Node } from "../../../lib/scenario/values/tree.ts";

Deno.test("a handler that does not answer uses its time up", async () => {
  let asked = 0;
  const bench = {
    seen: [],
    match: { vars: {}, zone: "UTC", value: () => undefined },
    stage: {
      ask: () => Promise.resolve({ status: 0, body: "timed out", ms: asked++ && 10_000 }),
      pause: () => Promise.resolve(),
    },
  } as unknown as Bench;
  const at = { line: 1, column: 1 };
  const item: Node = { kind: "map", at, route: [], entries: [] };
  const step = { number: 1, title: "expect" } as Step;
  const [failure] = await compareHandler(bench, step, item);
  match(failure?.message ?? "", /^The handler did not answer: timed out$/);
  equal(asked, 2, "the second answer took longer than all of the 5 seconds");
});
