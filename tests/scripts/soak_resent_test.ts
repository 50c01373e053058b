import { equal } from "node:assert/strict";
import type { Arrival } from "../../scripts/soak/postgres/receiver.ts";
import { isExplained, type Stop } from "../../scripts/soak/postgres/resent.ts";

/** An arrival that was answered at a time, half a second after it was sent. */
function arrival(at: number): Arrival {
  return { id: "e1", customer: "ada", sent: Math.floor((at - 500) / 1000) * 1000, at };
}

/** The death of a process. */
function death(what: Stop["what"], at: number): Stop {
  return { what, from: at, to: at };
}

/** The longest time for a result. */
const STORED_MS = 3000;

const CASES: readonly [name: string, times: [number, number], stop: Stop, explained: boolean][] = [
  [
    "a worker that died before its result was stored",
    [20_000, 27_000],
    death("worker", 20_100),
    true,
  ],
  ["one whose request was answered after its death", [20_000, 26_500], death("all", 19_700), true],
  ["a server that was away while the result came", [20_000, 31_000], {
    what: "server",
    from: 18_000,
    to: 26_000,
  }, true],
  ["a process that sends nothing", [20_000, 27_000], death("api", 20_100), false],
  ["a worker that had died before", [20_000, 27_000], death("worker", 18_900), false],
  ["a worker whose result must have been stored", [20_000, 40_000], death("worker", 23_100), false],
  [
    "a worker that nobody could take for dead so soon",
    [20_000, 23_000],
    death("worker", 20_100),
    false,
  ],
];

for (const [name, [first, again], stop, explained] of CASES) {
  Deno.test(`that an event was sent again is ${explained ? "" : "not "}explained by ${name}`, () => {
    equal(isExplained(arrival(first), arrival(again), [stop], STORED_MS), explained);
  });
}
