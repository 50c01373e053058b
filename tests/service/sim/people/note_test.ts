import { deepEqual } from "node:assert/strict";
import { type Note, show } from "../../../../lib/service/sim/people/note.ts";

Deno.test("a population says how long the rest takes, when enough of it is there", () => {
  const note: Note = {
    maker: "test",
    running: true,
    stop: false,
    cancelled: false,
    error: null,
    began_at: 1000,
    wanted: 100,
    counts: { customers: 0, subscriptions: 0, purchases: 0, steps: 0 },
    from: 0,
    now: 10,
    to: 20,
  };
  const left = (customers: number) =>
    show({ ...note, counts: { ...note.counts, customers } }, 4000, true).left_ms;
  // Each day takes longer than the one before: after half of the people most of the work is left.
  deepEqual([1, 20, 50, 100].map(left), [null, 22_000, 5000, 0]);
  // What had come before an interruption has taken none of the time since.
  const counts = { ...note.counts, customers: 75 };
  deepEqual(show({ ...note, first: 50, counts }, 4000, true).left_ms, 3667);
});
