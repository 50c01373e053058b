import { deepEqual, equal } from "node:assert/strict";
import { tryHandler } from "../../../lib/scenario/verify/deliver.ts";

/** Compares the states of a handler with the truth about Ada. Bob has no access. */
async function compare(hasAccess: boolean, states: readonly (boolean | undefined)[]) {
  const waits: number[] = [];
  let asked = 0;
  const handler = {
    deliver: () => Promise.resolve({ status: 200, ms: 1 }),
    state: (customer: string) =>
      Promise.resolve(customer === "ada" ? states[Math.min(asked++, states.length - 1)] : false),
    pause: (ms: number) => Promise.resolve(void waits.push(ms)),
  };
  const played = {
    ...{ customers: ["ada", "bob"], told: ["ada", "bob"] } as const,
    ...{ names: ["ada-1-0", "bob-1-0"], signed: ["ada-1-0", "bob-1-0"] } as const,
    events: [],
    truth: new Map([["ada", hasAccess ? ["pro"] : ["other"]]]),
    steps: [],
  };
  const options = { tricks: [], entitlement: "pro", coverage: new Map() };
  const complaint = await tryHandler(handler, played, options);
  return { message: complaint?.message, kind: complaint?.kind, waits };
}

Deno.test("a handler need not know a customer without access, and gets a second to know others", async () => {
  const all = [10, 30, 100, 300, 600];
  for (const state of [false, undefined]) {
    deepEqual((await compare(false, [state])).waits, []);
    equal((await compare(false, [state])).message, undefined);
  }
  deepEqual((await compare(true, [true])).waits, []);
  const late = await compare(true, [undefined, false, true]);
  deepEqual([late.message, late.waits], [undefined, [10, 30]]);
  const never = await compare(true, [undefined]);
  deepEqual(never, {
    message: "the handler does not say whether ada has access",
    kind: "state",
    waits: all,
  });
  const wrong = await compare(true, [false]);
  equal(wrong.message, "ada has no access at the handler, and must have it");
  const kept = await compare(false, [true]);
  deepEqual([kept.message, kept.waits], [
    "ada has access at the handler, and must not have it",
    all,
  ]);
});
