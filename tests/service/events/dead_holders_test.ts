import { deepEqual } from "node:assert/strict";
import { createDeadHolders } from "../../../lib/service/events/dead_holders.ts";

Deno.test("a process is dead once it has looked so for five seconds without a break", () => {
  let now = 1000;
  const dead = createDeadHolders(() => now);
  const look = (after: number, ...names: string[]) => {
    now += after;
    return [...dead.among(names)];
  };
  deepEqual(look(0, "a", "b"), []);
  deepEqual(look(3000, "a", "b"), []);
  // b has its connection again.
  deepEqual(look(1999, "a"), []);
  deepEqual(look(1, "a", "b"), ["a"]);
  deepEqual(look(3000, "b"), []);
  deepEqual(look(2000, "b"), ["b"]);
});

Deno.test("the time during which nobody could look makes no process dead", () => {
  let now = 1000;
  const dead = createDeadHolders(() => now);
  deepEqual([...dead.among(["a"])], []);
  now += 60_000;
  deepEqual([...dead.among(["a"])], []);
  // A clock that was set back starts again, too.
  now -= 4000;
  deepEqual([...dead.among(["a"])], []);
});
